import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDevices } from './devices.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-devices-'));
  path = join(folder, 'devices.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a code makes one device, once', () => {
  const devices = openDevices(path);
  const secret = devices.redeem(devices.newCode('control'), 'Phone') ?? '';
  expect(devices.find(secret)).toMatchObject({ name: 'Phone' });
  const code = devices.newCode('control');
  expect(devices.redeem(code, 'One')).toBeDefined();
  expect(devices.redeem(code, 'Two')).toBeUndefined();
  expect(devices.redeem('made up', 'Three')).toBeUndefined();
  expect(devices.list().map(({ name }) => name)).toEqual(['Phone', 'One']);
});

test('a code that lay around too long is worth nothing', () => {
  let now = 0;
  const devices = openDevices(path, () => now);
  const code = devices.newCode('control');
  now = 11 * 60_000;
  expect(devices.redeem(code, 'Late')).toBeUndefined();
});

test('devices outlive the host, and a revoked one is out at once', () => {
  const secret = openDevices(path).redeem('x', 'x') ?? '';
  expect(secret).toBe('');
  const first = openDevices(path);
  const kept = first.redeem(first.newCode('control'), 'Kept') ?? '';
  const second = openDevices(path);
  const { id } = second.find(kept) ?? { id: '' };
  expect(second.revoke(id)).toBe(true);
  expect(second.revoke(id)).toBe(false);
  expect(second.find(kept)).toBeUndefined();
  expect(openDevices(path).find(kept)).toBeUndefined();
});

test('the file holds no secret, belongs to its owner, and nonsense in it is no device', () => {
  const devices = openDevices(path);
  const secret = devices.redeem(devices.newCode('control'), 'Phone') ?? 'none';
  expect(readFileSync(path, 'utf8')).not.toContain(secret);
  expect(statSync(path).mode & 0o077).toBe(0);
  for (const nonsense of ['', '{}', '[1, {"id": 1}]', 'x']) {
    writeFileSync(path, nonsense);
    expect(openDevices(path).list()).toEqual([]);
  }
});
