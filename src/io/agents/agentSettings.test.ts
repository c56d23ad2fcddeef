import { lstatSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeAgent, storeAgent } from './agentSettings.ts';
import { loadFile } from '../settings/load.ts';

let folder: string;
const file = () => join(folder, 'config.jsonc');
const agents = () => loadFile(file()).values.agents;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-settings-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('an agent is added and removed, and every comment stays', () => {
  writeFileSync(file(), '{\n  // keep me\n  "defaultModel": "a/b",\n}\n');
  storeAgent(file(), 'a', { command: 'x', args: ['y z'], env: { K: 'v' } });
  storeAgent(file(), 'b', { command: 'b' });
  expect(readFileSync(file(), 'utf8')).toContain('// keep me');
  expect(agents()).toEqual({ a: { command: 'x', args: ['y z'], env: { K: 'v' } }, b: { command: 'b' } });
  expect([removeAgent(file(), 'a'), removeAgent(file(), 'a')]).toEqual([true, false]);
  expect(agents()).toEqual({ b: { command: 'b' } });
  expect(statSync(file()).mode & 0o077).toBe(0);
});

test('neighbours keep every byte, and a link to the file stays a link', () => {
  const kept = join(folder, 'kept.jsonc');
  const before = '\ufeff{\r\n\t"agents": {\r\n\t\t"mine": { "command": "x" }, // one line\r\n\t}\r\n}\r\n';
  writeFileSync(kept, before);
  symlinkSync(kept, file());
  storeAgent(file(), 'a', { command: 'y' });
  expect(readFileSync(kept, 'utf8')).toContain('{ "command": "x" }, // one line\r\n');
  expect(agents()).toEqual({ mine: { command: 'x' }, a: { command: 'y' } });
  expect([removeAgent(file(), 'a'), readFileSync(kept, 'utf8')]).toEqual([true, before]);
  expect(lstatSync(file()).isSymbolicLink()).toBe(true);
});

test('a file that is not there is made, and a broken one is left alone', () => {
  const other = join(folder, 'new', 'config.jsonc');
  expect(removeAgent(other, 'a')).toBe(false);
  storeAgent(other, 'a', { command: 'x' });
  expect(readFileSync(other, 'utf8')).toBe(
    '{\n  "agents": {\n    "a": {\n      "command": "x"\n    }\n  }\n}\n',
  );
  for (const text of ['{ broken', '[]']) {
    writeFileSync(file(), text);
    expect(() => storeAgent(file(), 'a', { command: 'x' })).toThrow('Fix it and try again');
    expect(readFileSync(file(), 'utf8')).toBe(text);
  }
});
