// Where a host says that it listens.
import { linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readHostInfo, writeHostInfo } from './hostInfo.ts';

const info = (pid: number) => ({ pid, version: '1', host: '127.0.0.1', port: 1, url: 'http://127.0.0.1:1/' });

test('the file is replaced in one step, so that a host that is killed leaves the old one or the new one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [file, old] = [join(folder, 'host.json'), join(folder, 'old.json')];
  writeHostInfo(file, info(1));
  linkSync(file, old);
  writeHostInfo(file, info(2));
  expect([readHostInfo(old), readHostInfo(file)]).toEqual([info(1), info(2)]);
  expect(readFileSync(file, 'utf8')).toMatch(/\n$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toHaveLength(2);
});
