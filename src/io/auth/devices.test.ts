import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { proofText } from '../../base/pageProof.ts';
import { createChallenges } from './challenges.ts';
import { openDevices } from './devices.ts';
import { moveDevices, signInFile } from './signInStorage.ts';
import { isPageKey } from './pageKey.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-devices-'));
  path = join(folder, 'devices.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a code makes one device, once', async () => {
  const devices = openDevices(signInFile(path));
  const secret = (await devices.redeem(devices.newCode('control'), 'Phone')) ?? '';
  expect(devices.find(secret)).toMatchObject({ name: 'Phone' });
  const code = devices.newCode('control');
  expect(await devices.redeem(code, 'One')).toBeDefined();
  expect(await devices.redeem(code, 'Two')).toBeUndefined();
  expect(await devices.redeem('made up', 'Three')).toBeUndefined();
  expect(devices.list().map(({ name }) => name)).toEqual(['Phone', 'One']);
});

test('a limit is stored with the device, kept with a new role, and ended by full', async () => {
  const devices = openDevices(signInFile(path));
  const token = (await devices.redeem(devices.newCode('control', 'edits'), 'Tablet')) ?? '';
  const { id = '' } = devices.find(token) ?? {};
  expect(openDevices(signInFile(path)).find(token)).toMatchObject({ role: 'control', most: 'edits' });
  await devices.change(id, { role: 'approve' });
  expect(devices.find(token)).toMatchObject({ role: 'approve', most: 'edits' });
  await devices.change(id, { role: 'control', most: 'full' });
  expect(devices.find(token)).toMatchObject({ role: 'control' });
  expect(devices.find(token)?.most).toBeUndefined();
});

test('a code that lay around too long is worth nothing', async () => {
  let now = 0;
  const devices = openDevices(signInFile(path), () => now);
  const code = devices.newCode('control');
  now = 11 * 60_000;
  expect(await devices.redeem(code, 'Late')).toBeUndefined();
});

test('devices outlive the host, and a revoked one is out at once', async () => {
  const secret = (await openDevices(signInFile(path)).redeem('x', 'x')) ?? '';
  expect(secret).toBe('');
  const first = openDevices(signInFile(path));
  const kept = (await first.redeem(first.newCode('control'), 'Kept')) ?? '';
  const second = openDevices(signInFile(path));
  const { id } = second.find(kept) ?? { id: '' };
  expect(await second.revoke(id)).toBe(true);
  expect(await second.revoke(id)).toBe(false);
  expect(second.find(kept)).toBeUndefined();
  expect(openDevices(signInFile(path)).find(kept)).toBeUndefined();
});

test('the file holds no secret, belongs to its owner, and nonsense in it is no device', async () => {
  const devices = openDevices(signInFile(path));
  const secret = (await devices.redeem(devices.newCode('control'), 'Phone')) ?? 'none';
  expect(readFileSync(path, 'utf8')).not.toContain(secret);
  expect(statSync(path).mode & 0o077).toBe(0);
  for (const nonsense of ['', '{}', '[1, {"id": 1}]', 'x']) {
    writeFileSync(path, nonsense);
    expect(openDevices(signInFile(path)).list()).toEqual([]);
  }
});

/** A page with a key, as a browser has it. */
function page(origin: string, port: number) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64url');
  const prove = (challenge: string, at = { origin, port }) => {
    const text = Buffer.from(proofText(at.origin, challenge));
    const signature = sign('sha256', text, { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return { ...at, challenge, signature: signature.toString('base64url') };
  };
  return { known: { key, origin, port }, prove };
}

test('a page proves its key at the address where it was signed in, and nowhere else', async () => {
  const devices = openDevices(signInFile(path));
  const { known, prove } = page('http://127.0.0.1:1', 1);
  const id = (await devices.redeemForPage(devices.newCode('approve'), 'Browser', known)) ?? '';
  expect([isPageKey(known.key), isPageKey('x')]).toEqual([true, false]);
  const again = openDevices(signInFile(path));
  expect(again.findByProof(id, prove('a'))).toMatchObject({ id, role: 'approve' });
  const moved = [
    { origin: 'http://127.0.0.1:2', port: 1 },
    { origin: 'http://127.0.0.1:1', port: 2 },
  ];
  for (const proof of [
    ...moved.map((at) => prove('a', at)),
    { ...prove('a'), challenge: 'b' },
    { ...prove('a'), signature: 'x' },
    page('http://127.0.0.1:1', 1).prove('a'),
  ])
    expect(again.findByProof(id, proof)).toBeUndefined();
  expect([again.find(id), again.findByProof('x', prove('a'))]).toEqual([undefined, undefined]);
});

test('a browser that signs in again keeps its device and gets the role of the link', async () => {
  const devices = openDevices(signInFile(path));
  const changed: string[] = [];
  devices.follow((id) => changed.push(id));
  const { known } = page('http://127.0.0.1:1', 1);
  const redeem = (role: 'approve' | 'control') =>
    devices.redeemForPage(devices.newCode(role), 'Browser', known);
  const id = await redeem('approve');
  expect([await redeem('approve'), changed, await redeem('control'), changed]).toEqual([id, [id], id, [id]]);
  expect(devices.list()).toMatchObject([{ id, role: 'control' }]);
});

test('devices that a cookie signed in must sign in again', () => {
  const old = { id: 'a', name: 'Old', since: 1, role: 'control', digest: 'x' };
  writeFileSync(path, JSON.stringify([old]));
  expect(openDevices(signInFile(path)).list()).toEqual([]);
});

test('a challenge is ours, counts once, and expires', () => {
  let now = 0;
  const challenges = createChallenges(() => now);
  const [one, two] = [challenges.create(), challenges.create()];
  expect([challenges.spend(one), challenges.spend(one)]).toEqual([true, false]);
  expect(createChallenges(() => now).spend(two)).toBe(false);
  expect(challenges.spend(`zzzz.${two.slice(two.indexOf('.') + 1)}`)).toBe(false);
  now = 61_000;
  expect([challenges.spend(two), challenges.spend('')]).toEqual([false, false]);
});

test('a damaged file is set aside and not overwritten', () => {
  writeFileSync(path, '[{"id":');
  expect(openDevices(signInFile(path)).list()).toEqual([]);
  const [aside = ''] = readdirSync(folder).filter((name) => name.startsWith('devices.json.damaged-'));
  expect(readFileSync(join(folder, aside), 'utf8')).toBe('[{"id":');
});

test('the devices of a file move to a shared storage, once', async () => {
  const before = openDevices(signInFile(path));
  const token = (await before.redeem(before.newCode('control'), 'Phone')) ?? '';
  const storage = signInFile(join(folder, 'shared.json'));
  await moveDevices(path, storage);
  const after = openDevices(storage);
  expect(after.find(token)).toMatchObject({ name: 'Phone' });
  await after.revoke(after.list()[0]?.id ?? '');
  await moveDevices(path, storage);
  expect(after.find(token)).toBeUndefined();
});
