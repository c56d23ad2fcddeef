import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSecrets } from './secrets.ts';

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-secrets-'));
  path = join(directory, 'data', 'secrets.json');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('a key is kept, replaced and forgotten, also for another process', () => {
  const secrets = openSecrets(path);
  expect([secrets.get('a'), secrets.names(), secrets.delete('a')]).toEqual([undefined, [], false]);
  secrets.set('a', 'one');
  secrets.set('b', 'two');
  const other = openSecrets(path);
  expect([other.get('a'), other.names()]).toEqual(['one', ['a', 'b']]);
  secrets.set('a', 'three');
  expect(other.get('a')).toBe('three');
  expect([secrets.delete('a'), secrets.get('a'), other.get('a')]).toEqual([true, undefined, undefined]);
});

test('nobody else may read the file, and nothing is left beside it', () => {
  openSecrets(path).set('a', 'one');
  expect([
    statSync(path).mode & 0o777,
    statSync(join(directory, 'data')).mode & 0o777,
    readdirSync(join(directory, 'data')),
  ]).toEqual([0o600, 0o700, ['secrets.json']]);
});

test('a file that others could read is closed to them', () => {
  openSecrets(path).set('a', 'one');
  chmodSync(path, 0o644);
  expect(openSecrets(path).get('a')).toBe('one');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a damaged file has no keys, is not overwritten, and is not quoted', () => {
  const secrets = openSecrets(path);
  secrets.set('a', 'one');
  writeFileSync(path, '{"a":{"key":"sk-secret"');
  expect([secrets.get('a'), secrets.names()]).toEqual([undefined, []]);
  expect(() => secrets.set('b', 'two')).toThrow(`The file ${path} is damaged. Fix or remove it.`);
  expect(readFileSync(path, 'utf8')).toBe('{"a":{"key":"sk-secret"');
});

test('entries of another kind are no keys but stay, and names are only names', () => {
  openSecrets(path).set('__proto__', 'x');
  expect(openSecrets(path).get('__proto__')).toBe('x');
  writeFileSync(path, '{"a":{"key":1},"b":"two","c":{"key":"three"}}');
  const secrets = openSecrets(path);
  expect([secrets.names(), secrets.get('c')]).toEqual([['c'], 'three']);
  secrets.delete('c');
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ a: { key: 1 }, b: 'two' });
});
