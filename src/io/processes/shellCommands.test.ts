import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { survivors } from '../../../test/kit/living.ts';
import type { ShellEnd } from '../../host/ports.ts';
import { childEnvironment } from './environment.ts';
import { processes } from './shellCommands.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'parley-processes-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

interface Run {
  readonly end: ShellEnd;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(
  command: string,
  options: {
    input?: string;
    timeout?: number;
    signal?: AbortSignal;
    grace?: number;
    seen?: (text: string) => void;
  } = {},
): Promise<Run> {
  const text = { stdout: '', stderr: '' };
  const end = await processes({
    env: { PATH: process.env['PATH'], HOME: cwd, OPENAI_API_KEY: 'secret' },
    grace: options.grace ?? 200,
  }).run({
    command,
    cwd,
    timeout: options.timeout ?? 20_000,
    signal: options.signal ?? new AbortController().signal,
    ...(options.input === undefined ? {} : { input: options.input }),
    output: (stream, piece) => {
      text[stream] += piece;
      options.seen?.(text.stdout);
    },
  });
  return { end, ...text };
}

test('a command reads what it is given, or leaves it', async () => {
  const input = 'x'.repeat(300_000);
  expect((await run('wc -c', { input })).stdout.trim()).toBe('300000');
  expect((await run('true', { input })).end).toEqual({ kind: 'exited', code: 0 });
});

describe('a command line and how it ends', () => {
  check('echo hi', { end: { kind: 'exited', code: 0 }, stdout: 'hi\n', stderr: '' });
  check('echo no >&2; exit 3', { end: { kind: 'exited', code: 3 }, stdout: '', stderr: 'no\n' });
  check('kill -KILL $$', { end: { kind: 'signalled', signal: 'SIGKILL' }, stdout: '', stderr: '' });
  check('printf "a b" | tr b c', { end: { kind: 'exited', code: 0 }, stdout: 'a c', stderr: '' });
  check('echo "$OPENAI_API_KEY."', { end: { kind: 'exited', code: 0 }, stdout: '.\n', stderr: '' });
  check('read x; echo "got $x"', { end: { kind: 'exited', code: 0 }, stdout: 'got \n', stderr: '' });
  check('echo "it\'s $(echo "a  b")" # "', {
    end: { kind: 'exited', code: 0 },
    stdout: "it's a  b\n",
    stderr: '',
  });
  check('wait; echo waited', { end: { kind: 'exited', code: 0 }, stdout: 'waited\n', stderr: '' });
  check('sleep 300 & echo started', { end: { kind: 'exited', code: 0 }, stdout: 'started\n', stderr: '' });
  check('[ -e /dev/fd/3 ] || echo closed', {
    end: { kind: 'exited', code: 0 },
    stdout: 'closed\n',
    stderr: '',
  });

  function check(command: string, expected: Run): void {
    test(`${command} ends`, async () => {
      expect(await run(command)).toEqual(expected);
    });
  }
});

test('a missing directory is an outcome, not an exception', async () => {
  const end = await processes().run({
    command: 'true',
    cwd: join(cwd, 'nowhere'),
    timeout: 1000,
    signal: new AbortController().signal,
    output: () => {},
  });
  expect(end.kind).toBe('failed');
});

test('a command that was stopped before it began never runs', async () => {
  expect((await run('touch ran', { signal: AbortSignal.abort() })).end).toEqual({ kind: 'stopped' });
  expect(readdirSync(cwd)).toEqual([]);
});

test('a timeout ends the command', async () => {
  expect((await run('echo $$; sleep 300', { timeout: 100 })).end).toEqual({ kind: 'timeout' });
});

test('a stop ends the whole tree, with those that ignore it and those that left the group', async () => {
  const stop = new AbortController();
  const script = `trap '' TERM
    echo $$
    sh -c 'trap "" TERM; echo $$; while :; do sleep 1; done' &
    setsid sh -c 'echo $$; sleep 300 & echo $!; wait' &
    wait; sleep 300`;
  const result = await run(script, {
    signal: stop.signal,
    seen: (text) => text.trim().split('\n').length === 4 && stop.abort(),
  });
  const pids = result.stdout.trim().split('\n').map(Number);
  expect(result.end).toEqual({ kind: 'stopped' });
  expect(pids).toHaveLength(4);
  expect(await survivors(pids)).toEqual([]);
});

test('what a command leaves in its group ends with it', async () => {
  const { stdout } = await run('sleep 300 & echo $!; (sleep 300 & echo $!)');
  expect(await survivors(stdout.trim().split('\n').map(Number))).toEqual([]);
});

/** Starts a process that has no parent of ours and is in no group and session of ours, and prints its id. */
const daemon = `(setsid sh -c 'sleep 300 & echo $!' &)`;

test('a daemon that left its session ends with its command, and nobody waits for it', async () => {
  // The shell goes on when the daemon has said its id.
  const { stdout, end } = await run(
    "mkfifo said; (setsid sh -c 'sleep 300 & echo $! | tee said' &); setsid sleep 300 & cat said > /dev/null; echo $!",
  );
  expect(end).toEqual({ kind: 'exited', code: 0 });
  const pids = stdout.trim().split('\n').map(Number);
  expect(pids).toHaveLength(2);
  expect(await survivors(pids)).toEqual([]);
});

test('when we are killed, the command goes too', async () => {
  const script = `
    import { processes } from ${JSON.stringify(join(import.meta.dirname, 'shellCommands.ts'))};
    processes().run({ command: ${JSON.stringify(`echo $$; ${daemon}; sleep 300 & echo $!; wait`)}, cwd: '/', timeout: 60000, signal: new AbortController().signal, output: (_, text) => process.stdout.write(text) });`;
  await build({
    stdin: { contents: script, resolveDir: cwd },
    bundle: true,
    platform: 'node',
    outfile: join(cwd, 'host.cjs'),
    logLevel: 'error',
  });
  const child = spawn(process.execPath, [join(cwd, 'host.cjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
  const pids = await new Promise<number[]>((resolve) => {
    let text = '';
    child.stdout.on('data', (piece: Buffer) => {
      text += piece.toString();
      const lines = text.trim().split('\n');
      if (lines.length === 3) resolve(lines.map(Number));
    });
  });
  child.kill('SIGKILL');
  expect(await survivors(pids)).toEqual([]);
});

test('a flood is passed on whole', async () => {
  let size = 0;
  const end = await processes().run({
    command: 'head -c 20000000 /dev/zero | tr "\\0" x',
    cwd,
    timeout: 100_000,
    signal: new AbortController().signal,
    output: (_, text) => (size += text.length),
  });
  expect([end, size]).toEqual([{ kind: 'exited', code: 0 }, 20_000_000]);
});

test('letters that arrive in pieces are put together', async () => {
  expect((await run("printf '\\303'; sleep 0.1; printf '\\274'")).stdout).toBe('ü');
});

test('the environment of a child holds what the list names and what its caller adds', () => {
  const own = {
    PATH: '/bin',
    LC_ALL: 'C',
    lc_time: 'C',
    ANTHROPIC_API_KEY: 's',
    PARLEY_TOKEN: 's',
    AWS_SECRET_ACCESS_KEY: 's',
    NODE_OPTIONS: 'x',
    LD_PRELOAD: 'x',
    HOME: undefined,
  };
  expect(childEnvironment(own, { EXTRA: '1', PATH: '/opt' })).toEqual({
    PATH: '/opt',
    LC_ALL: 'C',
    lc_time: 'C',
    EXTRA: '1',
  });
});
