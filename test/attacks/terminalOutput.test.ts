// Text that others wrote controls no terminal: the commands of the real program, fed with escape sequences.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { terminals } from '../../src/io/pty/pty.ts';
import { run } from '../contracts/terminals.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';

let home: Home;
beforeEach(() => (home = newHome()));
afterEach(() => home.dispose());

/** Clipboard, title, cleared screen, hidden text, cursor moves, one-byte introducer, reversed text. */
const hostile = '\u001b]52;c;ZQ==\u0007\u001b]0;e\u0007\u001b[2J\u001b[8m\u001b[1A\u001b[2K\u009b31m\r\u202e';
const spelled = [
  '\\u001b]52;c;ZQ==\\u0007',
  '\\u001b]0;e\\u0007',
  '\\u001b[2J',
  '\\u001b[8m',
  '\\u001b[1A',
  '\\u001b[2K',
  '\\u009b31m',
  '\\r',
  '\\u202e',
].join('');

function expectHarmless(text: string): void {
  expect(text).not.toMatch(/[^\P{Cc}\t\n]|\u202e/u);
}

/** Writes the settings of a folder, with a name that would hide what was said before it. */
function hostileFolder(): string {
  mkdirSync(join(home.dir, '.parley'));
  const mcpServers = { [`x${hostile}`]: { command: `touch${hostile}` } };
  const settings = JSON.stringify({ defaultModel: `m${hostile}`, mcpServers });
  writeFileSync(join(home.dir, '.parley', 'config.jsonc'), settings);
  return home.dir;
}

test('parley run: words, titles and refusals', async () => {
  const said = await home.run('run', `say Begin${hostile}end.`).done;
  expectHarmless(said.out + said.err);
  expect(said.out).toContain(`Begin${spelled}end.`);
  const call = `tool shell_command ${JSON.stringify({ command: `touch x${hostile}` })}`;
  const refused = await home.run('run', call).done;
  expectHarmless(refused.out + refused.err);
  expect(refused.err).toContain(`touch x${spelled.slice(0, 40)}`);
});

test('the JSON of parley run means the same without them', async () => {
  const { out } = await home.run('run', '--json', `say Begin${hostile}end.`).done;
  expectHarmless(out);
  type Line = { readonly type: string; readonly text?: string; readonly result?: string };
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const said = lines.flatMap(({ type, text = '' }) => (type === 'text' ? [text] : [])).join('');
  expect(said).toBe(`Begin${hostile}end.\n`);
  expect(lines.at(-1)).toMatchObject({ type: 'result', result: said });
});

test('parley config show, sessions and errors', async () => {
  const folder = hostileFolder();
  await home.run('trust', folder, '--yes').done;
  await home.run('run', `say ${hostile}`).done;
  const commands = [
    ['config', 'show'],
    ['sessions', 'list'],
    ['sessions', 'search', 'say'],
    ['mcp', 'list'],
    [`no${hostile}`],
    ['sessions', 'show', `no${hostile}`],
  ];
  for (const args of commands) {
    const { out, err } = await home.run(...args).done;
    expectHarmless(out + err);
  }
  expect((await home.run('config', 'show').done).out).toContain(spelled.slice(0, 30));
});

test('parley trust shows, and trusts nothing where nobody can answer', async () => {
  const folder = hostileFolder();
  const { code, out, err } = await home.run('trust', folder).done;
  expectHarmless(out + err);
  expect([code, err]).toEqual([1, expect.stringContaining('--yes')]);
  expect(out).toContain('touch');
  expect(existsSync(join(home.dir, 'home', 'trust.json'))).toBe(false);
  expect((await home.run('config', 'show').done).err).toContain('is not trusted');
});

test.each([
  ['n', 'Nothing was trusted', 1],
  ['y', 'is trusted as it was shown', 0],
])('parley trust on a terminal asks first: %s', async (answer, words, exitCode) => {
  const folder = hostileFolder();
  const env = { PARLEY_HOME: String(home.env['PARLEY_HOME']), HOME: home.dir };
  const program = { kind: 'file', file: process.execPath, args: [home.program, 'trust', folder] } as const;
  const one = await run(terminals({ env: home.env }), program, { cwd: home.dir, env, cols: 400 });
  await one.said('[y/N]');
  expect(one.text()).toContain('mcpServers."x');
  expect(one.text()).not.toContain('trusted as it was shown');
  one.pty.write(`${answer}\r`);
  await one.said(words);
  const controls = ['\u001b]', '\u001b[2J', '\u001b[8m', '\u001b[1A', '\u001b[2K', '\u0007'];
  expect(controls.filter((control) => one.text().includes(control))).toEqual([]);
  expect(await one.end).toEqual({ exitCode });
});
