import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readAgentSettings, removeAgent, storeAgent } from './agentSettings.ts';

let folder: string;
const file = () => join(folder, 'config.jsonc');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-settings-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the settings file', () => {
  check('that is not there', undefined, [], []);
  check('that is empty', ' \n', [], []);
  check('with agents and comments', '{\n  // mine\n  "agents": { "a": { "command": "x", "args": ["y"], }, },\n}', [{ id: 'a', command: 'x', args: ['y'] }], []);
  check('with one that is wrong', '{"agents":{"a":{"command":7},"b":{"disabled":true}}}', [{ id: 'b', disabled: true }], [expect.stringMatching(/^The agent "a" in .*config\.jsonc cannot be used: command: /)]);
  check('with a list', '{"agents":[]}', [], [expect.stringMatching(/must be an object of agents by id\.$/)]);
  check('that is broken', '{"agents": {', [], [expect.stringMatching(/is not valid JSON with comments/)]);

  // oxlint-disable-next-line max-params -- one line a case
  function check(name: string, text: string | undefined, agents: readonly object[], problems: readonly unknown[]): void {
    test(`a file ${name}`, () => {
      if (text !== undefined) writeFileSync(file(), text);
      expect(readAgentSettings(folder)).toEqual({ path: file(), agents, problems });
    });
  }
});

test('an agent is added and removed, and every comment stays', () => {
  writeFileSync(file(), '{\n  // keep me\n  "other": 1\n}\n');
  storeAgent(folder, { id: 'a', command: 'x', args: ['y z'], env: { K: 'v' } });
  storeAgent(folder, { id: 'b', command: 'b' });
  expect(readFileSync(file(), 'utf8')).toContain('// keep me');
  expect(readAgentSettings(folder).agents).toEqual([{ id: 'a', command: 'x', args: ['y z'], env: { K: 'v' } }, { id: 'b', command: 'b' }]);
  expect([removeAgent(folder, 'a'), removeAgent(folder, 'a')]).toEqual([true, false]);
  expect(readAgentSettings(folder).agents).toEqual([{ id: 'b', command: 'b' }]);
  expect(statSync(file()).mode & 0o077).toBe(0);
});

test('a file that is not there is made, and a broken one is left alone', () => {
  storeAgent(join(folder, 'new'), { id: 'a', command: 'x' });
  expect(readFileSync(join(folder, 'new', 'config.jsonc'), 'utf8')).toBe('{\n  "agents": {\n    "a": {\n      "command": "x"\n    }\n  }\n}\n');
  writeFileSync(file(), '{ broken');
  expect(() => storeAgent(folder, { id: 'a', command: 'x' })).toThrow('mend it first');
  expect(readFileSync(file(), 'utf8')).toBe('{ broken');
});
