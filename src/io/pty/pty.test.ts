import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Terminals } from '../../host/terminals/pty.ts';
import { run, terminalsContract } from '../../../test/contracts/terminals.ts';
import { bundle } from '../../../test/kit/bundle.ts';
import { survivors, pause } from '../../../test/kit/living.ts';
import { processes } from '../processes/shellCommands.ts';
import { terminals } from './pty.ts';

terminalsContract('a terminal of Linux', (env) => terminals({ env, grace: 200, platform: 'linux' }));
terminalsContract('a terminal of another system', (env) => terminals({ env, grace: 200, platform: 'other' }));

const linux = terminals({ grace: 200, platform: 'linux' });
const other = terminals({ grace: 200, platform: 'other' });

describe('every byte arrives, however fast the program ends', () => {
  check(linux, { first: 'Linux', last: 300_000, runs: 50, atOnce: 4 });
  check(linux, { first: 'Linux', last: 5_000, runs: 50, atOnce: 4 });
  check(linux, { first: 'Linux', last: 10, runs: 50, atOnce: 4 });
  check(other, { first: 'another system', last: 300_000, runs: 8, atOnce: 4 });
  check(other, { first: 'another system', last: 5_000, runs: 16, atOnce: 8 });

  function check(
    port: Terminals,
    { first, last, runs, atOnce }: { first: string; last: number; runs: number; atOnce: number },
  ): void {
    test(`seq 1 ${last} on ${first}, ${runs} times`, { timeout: 120_000 }, async () => {
      const whole = Array.from({ length: last }, (_, number) => `${number + 1}\r\n`).join('');
      let left = runs;
      const worker = async () => {
        while (left-- > 0) {
          const ran = await run(port, { kind: 'file', file: 'seq', args: ['1', String(last)] });
          expect(await ran.end).toEqual({ exitCode: 0 });
          // A difference of two megabytes is of no use to anybody.
          expect([ran.text().length, ran.text() === whole]).toEqual([whole.length, true]);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, worker));
    });
  }
});

describe('a terminal of Linux', () => {
  test('shows half a letter at the end as such', async () => {
    const ran = await run(linux, "printf 'a\\303'");
    expect([await ran.end, ran.text()]).toEqual([{ exitCode: 0 }, 'a\ufffd']);
  });

  test('loses nothing when the program ends while it is paused', async () => {
    const ran = await run(linux, 'seq 1 2000');
    ran.pty.pause();
    expect(await ran.end).toEqual({ exitCode: 0 });
    expect(ran.text()).toMatch(/\n2000\r\n$/);
  });

  test('ends also when a key has stopped its output', async () => {
    const ran = await run(linux, 'echo ready; sleep 0.3; echo last words; sleep 300');
    await ran.said('ready');
    ran.pty.write('\u0013');
    await pause(400);
    ran.pty.kill();
    expect(await ran.end).toEqual({ signal: 'SIGHUP' });
    expect(ran.text()).not.toContain('633');
  });

  test('tells our last word from the same word of a program', async () => {
    const ran = await run(linux, "printf '\\033]633;0;123456\\007after'");
    expect([await ran.end, ran.text()]).toEqual([{ exitCode: 0 }, '\u001b]633;0;123456\u0007after']);
  });

  test('ends with everything that began in it: stopped jobs, other groups, other sessions, orphans', async () => {
    const script = `trap '' TERM HUP INT
      set -m
      echo pid $$
      sh -c 'trap "" HUP TERM; echo pid $$; while :; do sleep 1; done' &
      sh -c 'setsid sh -c "trap \\"\\" HUP; echo pid \\$\\$; sleep 300 & echo pid \\$!; wait" & wait' &
      (sh -c 'trap "" HUP; echo pid $$; exec sleep 300' &)
      sh -c 'echo pid $$; kill -STOP $$; sleep 300' &
      wait; sleep 300`;
    const ran = await run(linux, script);
    while (pidsOf(ran.text()).length < 6) await pause(10);
    const pids = pidsOf(ran.text());
    ran.pty.kill();
    await ran.end;
    expect(await survivors(pids)).toEqual([]);
  });

  test('ends what the shell leaves behind when it exits', async () => {
    const ran = await run(
      linux,
      'sleep 300 & echo pid $!; set -m; nohup sleep 300 >/dev/null 2>&1 & echo pid $!; mark=$(mktemp ' +
        `-u); sh -c 'trap "" HUP; echo pid $$; mkdir $0; exec sleep 300' $mark & until rmdir $mark ` +
        '2>/dev/null; do sleep 0.02; done; exit 3',
    );
    expect(await ran.end).toEqual({ exitCode: 3 });
    const pids = pidsOf(ran.text());
    expect([pids.length, await survivors(pids)]).toEqual([3, []]);
  });

  test("is nobody else's: no child finds it among what it has open", async () => {
    const ran = await run(linux, 'echo ready; sleep 300');
    await ran.said('ready');
    const look = 'for each in /proc/$$/fd/*; do readlink $each; done';
    const second = await run(linux, look);
    await second.end;
    let text = '';
    await processes().run({
      command: look,
      cwd: '/',
      timeout: 9_000,
      signal: new AbortController().signal,
      output: (_, piece) => (text += piece),
    });
    ran.pty.kill();
    await ran.end;
    expect(second.text()).toContain('/dev/pts/');
    expect(`${second.text()}${text}`).not.toContain('ptmx');
  });

  test('keeps a flood of 100 MB bounded while nobody reads, and ends in the middle of it', async () => {
    const read = { size: 0 };
    const ran = await run(linux, 'head -c 100000000 /dev/zero | tr "\\0" x; sleep 300', {
      data: (text) => (read.size += text.length),
    });
    const before = process.memoryUsage().rss;
    ran.pty.pause();
    await pause(500);
    expect(read.size).toBeLessThan(1_000_000);
    while (read.size < 50_000_000) {
      ran.pty.resume();
      await pause(5);
      ran.pty.pause();
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
    ran.pty.kill();
    await ran.end;
    expect(read.size).toBeLessThan(99_000_000);
  });

  test('goes with us when we are killed', async () => {
    const program = await bundle(
      fileURLToPath(new URL('../../../test/kit/terminalProgram.ts', import.meta.url)),
    );
    const child = spawn(process.execPath, [program.path], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (piece: Buffer) => (text += piece.toString()));
    try {
      while (pidsOf(text).length < 3) await pause(10);
    } finally {
      child.kill('SIGKILL');
      program.dispose();
    }
    expect(await survivors(pidsOf(text))).toEqual([]);
  });
});

test('without the package there are no terminals, and it says so', async () => {
  const missing = terminals({
    load: () => Promise.reject(Object.assign(new Error('Cannot find it.'), { code: 'ERR_MODULE_NOT_FOUND' })),
  });
  const strange = terminals({ load: () => Promise.resolve({}) });
  const wish = {
    program: { kind: 'shell' },
    cwd: '/',
    cols: 80,
    rows: 24,
    data: () => {},
    exited: () => {},
  } as const;
  expect(await missing.open(wish)).toEqual({
    problem: 'unavailable',
    message:
      'Terminals are not available here: the package @lydell/node-pty cannot be loaded on ' +
      `${process.platform}-${process.arch} (ERR_MODULE_NOT_FOUND).`,
  });
  expect(await strange.open(wish)).toMatchObject({ problem: 'unavailable' });
});

function pidsOf(text: string): readonly number[] {
  return [...text.matchAll(/pid (\d+)\r\n/g)].map((match) => Number(match[1]));
}
