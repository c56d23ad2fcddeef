// `parley run` of the real program: how it ends, what it prints, what it lets run, and what it leaves behind.
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ahpClient } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import { eventually } from '../kit/patience.ts';

let home: Home;
beforeEach(() => (home = newHome()));
afterEach(() => home.dispose());

const shell = (command: string) => `tool shell_command ${JSON.stringify({ command })}`;

describe.each([
  ['through the host', []],
  ['alone', ['--standalone']],
] as const)('%s', (_, flags) => {
  test('the answer is printed and the end is good', async () => {
    expect(await home.run('run', ...flags, 'say Hello there.').done).toMatchObject({
      code: 0,
      out: expect.stringContaining('Hello there.'),
    });
  });

  test('what nobody can approve is refused, the model is told, and the exit code says so', async () => {
    const { code, err } = await home.run('run', ...flags, shell('echo x > made.txt')).done;
    expect([code, err]).toEqual([4, expect.stringContaining('Not allowed. Add --allow')]);
    expect(existsSync(join(home.dir, 'made.txt'))).toBe(false);
  });

  test('a rule lets its like run and nothing else', async () => {
    const { code, out } = await home.run(
      'run',
      ...flags,
      '--json',
      '--allow',
      '$ touch *',
      shell('touch made.txt'),
    ).done;
    expect([code, existsSync(join(home.dir, 'made.txt'))]).toEqual([0, true]);
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });
    expect(lines.find(({ type }) => type === 'tool-end')).toMatchObject({
      status: 'done',
      rule: 'allow *: touch * (--allow)',
    });
    expect(lines.at(-1)).toMatchObject({ type: 'result', status: 'done', exitCode: 0 });
    expect(
      (await home.run('run', ...flags, '--allow', '$ touch *', shell('touch a; rm made.txt')).done).code,
    ).toBe(4);
    expect(existsSync(join(home.dir, 'made.txt'))).toBe(true);
  });

  test('--allow * lets every command of the workspace run', async () => {
    const line = 'for n in $(echo 1 2); do echo "$n" > all-$n.txt; done';
    expect((await home.run('run', ...flags, '--allow', '*', shell(line)).done).code).toBe(0);
    expect(existsSync(join(home.dir, 'all-2.txt'))).toBe(true);
  });

  test.each([
    [['--allow', 'rm -rf', 'x'], 2],
    [[], 2],
    [['--agent', 'nobody', 'x'], 2],
    [['fail overloaded'], 1],
  ])('%j ends with %i', async (args, expected) => {
    const { child, done } = home.run('run', ...flags, ...args);
    child.stdin?.end();
    expect((await done).code).toBe(expected);
  });
});

test('what agents say that work for ours is not the answer', async () => {
  const { code, out, err } = await home.run(
    'run',
    '--standalone',
    `tool spawn_agent ${JSON.stringify({ agent: 'general', task: 'say From inside.', activity: 'helping' })}`,
  ).done;
  expect([code, out, err]).toEqual([
    0,
    'spawn_agent: done.\n',
    expect.stringContaining('> general: helping'),
  ]);
});

test.runIf(process.platform === 'linux')(
  'a run that is to work alone where no program can be confined says how to change that, and starts nothing',
  async () => {
    // Here the program that confines others is nothing that can be run.
    const hidden = ['--dev-bind', '/', '/', '--ro-bind', '/dev/null', '/usr/bin/bwrap'];
    const words = [process.execPath, home.program, 'run', '--standalone', '--output', 'json'];
    const inside = (...args: readonly string[]) => outputOf('/usr/bin/bwrap', [...hidden, ...words, ...args]);
    const refused = await inside('--auto', 'say Alone.');
    expect(JSON.parse(refused.out)).toMatchObject({
      exitCode: 1,
      session: null,
      error: {
        message:
          '--auto needs a sandbox. The sandbox needs bubblewrap, which is not installed. Install it: sudo ' +
          'apt-get install bubblewrap (Debian, Ubuntu), sudo dnf install bubblewrap (Fedora), or sudo pacman ' +
          '-S bubblewrap (Arch). Or use --full, which runs everything with your rights.',
      },
    });
    expect(refused.code).toBe(1);
    expect(JSON.parse((await inside('--full', 'say Alone.')).out)).toMatchObject({ status: 'done' });
  },
);

function outputOf(file: string, args: readonly string[]): Promise<{ code: number; out: string }> {
  return new Promise((resolve) => {
    const child = execFile(file, [...args], { cwd: home.dir, env: home.env }, (error, out) =>
      resolve({ code: Number(error?.code ?? 0), out }),
    );
    child.stdin?.end();
  });
}

test('the prompt may come from standard input', async () => {
  const { child, done } = home.run('run', '-');
  child.stdin?.end('say From a pipe.');
  expect(await done).toMatchObject({ code: 0, out: expect.stringContaining('From a pipe.') });
});

test('whoever interrupts it stops the turn, and the session stays', async () => {
  const host = await home.serve();
  const ahp = await ahpClient(host);
  const { child, done } = home.run('run', '--allow', '$ sleep *', shell('sleep 60'));
  const added = await ahp.wait(({ method }) => method === 'root/sessionAdded');
  const { defaultChat } = await ahp.subscribe(added.params.summary.resource as string);
  await ahp.subscribe(defaultChat);
  await ahp.until(defaultChat, (state) =>
    state.activeTurn?.responseParts.some(
      (part: { toolCall?: { status: string } }) => part.toolCall?.status === 'running',
    ),
  );
  child.kill('SIGINT');
  expect((await done).code).toBe(4);
  const after = await ahp.until(defaultChat, (state) => state.turns.length === 1);
  expect(after.turns[0].state).toBe('cancelled');
  await ahp.close();
});

test('rules of the settings hold for it, too, and change while the host runs', async () => {
  await home.serve();
  const file = join(home.dir, 'home', 'config.jsonc');
  expect((await home.run('run', shell('touch a')).done).code).toBe(4);
  writeFileSync(file, '{ "approvals": { "allow": ["$ touch *"] } }');
  const allowed = await eventually(async () => {
    const ran = await home.run('run', shell('touch a')).done;
    return ran.code !== 4 && ran;
  }, 'the new rule');
  expect([allowed.code, existsSync(join(home.dir, 'a'))]).toEqual([0, true]);
});
