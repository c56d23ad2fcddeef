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
  for (const { usage, summary } of Object.values(commands)) expect(out).toMatch(new RegExp(`${escaped(usage)} +${escaped(summary)}`));
  expect(out).toContain('Exit codes: 0 success');
});

test.each(named)('parley %s --help', async (name, { usage, summary, options }) => {
  const { code, out, err } = await home.run(name, '--help').done;
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain(`Usage: ${usage}\n\n${summary}.\n`);
  for (const [flag, meaning] of options) expect(out).toMatch(new RegExp(`  ${escaped(flag)} +${escaped(meaning)}\n`));
});

test.each(named)('parley %s --nonsense', async (name) => {
  const { code, out, err } = await home.run(name, '--nonsense').done;
  expect([[1, 2].includes(code ?? 0), out]).toEqual([true, '']);
  expect(err).toMatch(/^parley: .+\n$/s);
});

test('nothing of this has started a host', () => {
  expect(existsSync(join(home.dir, 'home', 'host.json'))).toBe(false);
});

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
