// What commands do on a terminal and nowhere else: colours, unless somebody wants none, and a word while
// something takes its time.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { terminals } from '../../src/io/pty/pty.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';

let home: Home;
beforeEach(() => {
  home = newHome();
});
afterEach(() => home.dispose());

/** All that a command shows on a terminal until it ends. */
async function shown(
  args: readonly string[],
  env: { readonly [name: string]: string } = {},
): Promise<string> {
  let text = '';
  await new Promise<void>((resolve) => {
    void terminals({ env: home.env }).open({
      program: { kind: 'file', file: process.execPath, args: [home.program, ...args] },
      cwd: home.workspace,
      cols: 120,
      rows: 40,
      env: {
        PARLEY_HOME: String(home.env['PARLEY_HOME']),
        HOME: home.dir,
        PARLEY_SCRIPTED: '1',
        BROWSER: 'none',
        ...env,
      },
      data: (piece) => void (text += piece),
      exited: () => resolve(),
    });
  });
  return text;
}

function isColourful(text: string): boolean {
  return text
    .split('\u001b[')
    .slice(1)
    .some((piece) => /^\d+m/.test(piece));
}

test('the host is started with a word about it, and the link stands out', async () => {
  const text = await shown([]);
  expect(text).toContain('Starting the host …');
  expect(isColourful(text)).toBe(true);
  expect(text).toContain('/sign-in?code=');
});

test.each([['doctor'], ['sessions'], ['demo']])(
  '%s has colours, and none where nobody wants them',
  async (command) => {
    await home.run('run', 'say Hello.').done;
    const looks = [
      await shown([command]),
      await shown([command], { NO_COLOR: '1' }),
      await shown([command], { TERM: 'dumb' }),
    ];
    expect(looks.map(isColourful)).toEqual([true, false, false]);
  },
);
