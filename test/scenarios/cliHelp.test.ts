// Every command of the real program: its help, and what it says to what it does not understand.
// None of it starts a host.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cliCommands } from '../../src/cli/commands.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';

let home: Home;
beforeAll(() => {
  home = newHome();
});
afterAll(() => home.dispose());

const named = Object.entries(cliCommands).filter(([name]) => name !== '');

test('the overview has every command and the exit codes', async () => {
  const { code, out, err } = await home.run('--help').done;
  expect([code, err]).toEqual([0, '']);
  for (const [name, { summary }] of Object.entries(cliCommands))
    expect(out).toMatch(new RegExp(`${escaped(`parley ${name}`.trim())} +${escaped(summary)}\n`));
  expect(out).toContain('Exit codes: 0 success');
  expect(tooLong(out)).toEqual([]);
});

test.each(named)('parley %s --help', async (name, { usage, summary, options }) => {
  const { code, out, err } = await home.run(name, '--help').done;
  expect([code, err]).toEqual([0, '']);
  expect(oneLine(out).toLowerCase()).toContain(`Usage: ${usage} ${summary}. `.toLowerCase());
  for (const [flag, meaning] of options) expect(oneLine(out)).toContain(` ${flag} ${meaning}`);
  expect(tooLong(out)).toEqual([]);
});

test.each(named)('parley %s --nonsense', async (name) => {
  const { code, out, err } = await home.run(name, '--nonsense').done;
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(/^parley: .+\n$/s);
});

test.each<[readonly string[], RegExp]>([
  [['serve', 'here'], /Unexpected argument "here"/],
  [['serve', '--port', '70000'], /Invalid port/],
  [['serve', '--cert', 'x'], /must be used together/],
  [['server', 'now'], /now/],
  [['acp', 'now'], /now/],
  [['ahp', 'now'], /now/],
  [['agents', 'dance'], /parley agents dance/],
  [['agents', 'add'], /Missing agent ID/],
  [['agents', 'add', 'a b'], /Invalid agent ID/],
  [['agents', 'add', 'parley'], /built-in agent/],
  [['agents', 'add', 'mine'], /Missing command for mine/],
  [['agents', 'test'], /Missing agent ID/],
  [['agents', 'remove'], /Missing agent ID/],
  [['models', 'all'], /all/],
  [['login', 'nobody'], /Unknown provider "nobody"/],
  [['logout'], /Name one provider/],
  [['logout', 'nobody'], /Unknown provider "nobody"/],
  [['run'], /Missing prompt/],
  [['run', '--allow', '((', 'x'], /rule/i],
  [['chat', 'one', 'two'], /Unexpected argument "two"/],
  [['demo', 'now'], /Unexpected argument "now"/],
  [['sessions', 'dance'], /dance/],
  [['sessions', 'show'], /Missing session ID/],
  [['sessions', 'search'], /./],
  [['sessions', 'rename', 'x'], /./],
  [['sessions', 'import'], /./],
  [['mcp', 'dance'], /parley mcp dance/],
  [['mcp', 'add', 'x'], /either a command or a URL/],
  [['mcp', 'remove'], /Missing server name/],
  [['setup'], /emacs/],
  [['setup', 'ed'], /emacs/],
  [['doctor', 'who'], /Unexpected argument "who"/],
  [['config', 'dance'], /no parley config dance/],
  [['trust', 'a', 'b'], /one folder/],
  [['untrust', 'a', 'b'], /one folder/],
  [['stop', 'now'], /Unexpected argument "now"/],
  [['devices', 'dance'], /parley devices dance/],
  [['devices', 'role', 'x'], /Usage: parley devices role/],
  [['devices', 'add', '--role', 'king'], /Invalid role "king"/],
  [['devices', 'revoke'], /Missing device ID/],
])('parley %j is wrong usage', async (args, words) => {
  const { code, out, err } = await home.run(...args).done;
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(/^parley: .+\n$/s);
  expect(err).toMatch(words);
});

test('nothing of this has started a host', () => {
  expect(existsSync(join(home.dir, 'home', 'host.json'))).toBe(false);
});

/** Long lines are wrapped, so texts are compared without line breaks. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

function tooLong(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.length > 80);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
