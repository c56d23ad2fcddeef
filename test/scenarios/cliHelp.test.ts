// Every command of the real program: its help, and what it says to what it does not understand. None of it starts a host.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';

let home: Home;
beforeAll(() => {
  home = newHome();
});
afterAll(() => home.dispose());

const named = Object.entries(commands).filter(([name]) => name !== '');

test('the overview has every command and the exit codes', async () => {
  const { code, out, err } = await home.run('--help').done;
  expect([code, err]).toEqual([0, '']);
  for (const { usage, summary } of Object.values(commands))
    expect(out).toMatch(new RegExp(`${escaped(usage)} +${escaped(summary)}`));
  expect(out).toContain('Exit codes: 0 success');
});

test.each(named)('parley %s --help', async (name, { usage, summary, options }) => {
  const { code, out, err } = await home.run(name, '--help').done;
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain(`Usage: ${usage}\n\n${summary}.\n`);
  for (const [flag, meaning] of options)
    expect(out).toMatch(new RegExp(`  ${escaped(flag)} +${escaped(meaning)}\n`));
});

test.each(named)('parley %s --nonsense', async (name) => {
  const { code, out, err } = await home.run(name, '--nonsense').done;
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(/^parley: .+\n$/s);
});

test.each<[readonly string[], RegExp]>([
  [['serve', 'here'], /"here" is not understood/],
  [['serve', '--port', '70000'], /not a port/],
  [['serve', '--cert', 'x'], /belong together/],
  [['server', 'now'], /now/],
  [['acp', 'now'], /now/],
  [['ahp', 'now'], /now/],
  [['agents', 'dance'], /no parley agents dance/],
  [['agents', 'add'], /name the agent/],
  [['agents', 'add', 'a b'], /is no id/],
  [['agents', 'add', 'parley'], /our own/],
  [['agents', 'add', 'mine'], /say how mine is started/],
  [['agents', 'test'], /name the agent/],
  [['agents', 'remove'], /name the agent/],
  [['models', 'all'], /all/],
  [['login', 'nobody'], /no provider named "nobody"/],
  [['logout'], /one provider/],
  [['logout', 'nobody'], /no provider named "nobody"/],
  [['run'], /say what to do/],
  [['run', '--allow', '((', 'x'], /rule/i],
  [['chat', 'one', 'two'], /"two" is not understood/],
  [['demo', 'now'], /"now" is not understood/],
  [['sessions', 'dance'], /dance/],
  [['sessions', 'show'], /name the session/],
  [['sessions', 'search'], /./],
  [['sessions', 'rename', 'x'], /./],
  [['sessions', 'import'], /./],
  [['mcp', 'dance'], /no parley mcp dance/],
  [['mcp', 'add', 'x'], /say how x is reached/],
  [['mcp', 'remove'], /name the server/],
  [['setup'], /emacs/],
  [['setup', 'ed'], /emacs/],
  [['doctor', 'who'], /"who" is not understood/],
  [['config', 'dance'], /no parley config dance/],
  [['trust', 'a', 'b'], /one folder/],
  [['untrust', 'a', 'b'], /one folder/],
  [['stop', 'now'], /"now" is not understood/],
  [['devices', 'dance'], /no parley devices dance/],
  [['devices', 'role', 'x'], /say parley devices role/],
  [['devices', 'add', '--role', 'king'], /"king" is no role/],
  [['devices', 'revoke'], /name the device/],
])('parley %j is wrong usage', async (args, words) => {
  const { code, out, err } = await home.run(...args).done;
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(/^parley: .+\n$/s);
  expect(err).toMatch(words);
});

test('nothing of this has started a host', () => {
  expect(existsSync(join(home.dir, 'home', 'host.json'))).toBe(false);
});

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
