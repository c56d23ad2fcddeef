// The real program for tests: a home of its own, the host as a process, and clients of each
// protocol over its real doors.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownDatabase } from './testStore.ts';

const built = join(import.meta.dirname, '..', '..', 'bin', 'parley.js');

export interface Home {
  /** The launcher that every process here is started with. */
  readonly program: string;
  readonly dir: string;
  readonly workspace: string;
  readonly env: NodeJS.ProcessEnv;
  /** Starts the host in the foreground and waits until it listens. */
  serve(...flags: readonly string[]): Promise<Served>;
  /** Starts any command; its output is collected. */
  run(...args: readonly string[]): Ran;
  /** What `parley doctor` says, again as it advises where a busy machine kept checks from ending in time. */
  doctor(...flags: readonly string[]): Promise<RunResult>;
  /** Ends every process started here and removes the directory. */
  dispose(): Promise<void>;
}

export interface Served {
  readonly pid: number;
  readonly port: number;
  readonly token: string;
  readonly exited: Promise<number | null>;
  /** Ends the host and the pipes to it, which would start it again. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Kills the host only. */
  killAlone(): Promise<void>;
}

export interface RunResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Ran {
  readonly child: ChildProcess;
  readonly done: Promise<RunResult>;
}

/** Confined programs have a temporary folder of their own: what they are to see lies elsewhere. */
export function visibleBase(): string {
  return process.getuid?.() === 0 ? '/var/lib' : homedir();
}

export function newHome(program = built, base = tmpdir()): Home {
  const dir = mkdtempSync(join(base, 'parley-test-'));
  const workspace = join(dir, 'workspace');
  mkdirSync(workspace);
  const children = new Set<ChildProcess>();
  const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;
  // Nothing of whoever runs the tests is found there.
  for (const name of Object.keys(inherited)) if (name.startsWith('XDG_')) delete inherited[name];
  const database = ownDatabase();
  const env = {
    ...inherited,
    ...(database === undefined ? {} : { PARLEY_STORE: database }),
    HOME: dir,
    USERPROFILE: dir,
    PARLEY_HOME: join(dir, 'home'),
    PARLEY_SCRIPTED: '1',
    PARLEY_PRICES_URL: 'off',
    PARLEY_FETCH_MODELS: 'off',
  };
  const start = (args: readonly string[]) => {
    const child = spawn(process.execPath, [program, ...args], {
      env,
      cwd: dir,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    return child;
  };
  const run = (...args: readonly string[]): Ran => {
    const child = start(args);
    const collected = { out: '', err: '' };
    child.stdout?.on('data', (chunk: Buffer) => (collected.out += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (collected.err += chunk.toString()));
    return {
      child,
      done: once(child, 'close').then(([code]: (number | null)[]) => ({ code: code ?? null, ...collected })),
    };
  };
  return {
    program,
    dir,
    workspace,
    env,
    async serve(...flags) {
      const child = start(['serve', '--port', '0', ...flags]);
      const exited = once(child, 'exit').then(([code]: (number | null)[]) => code ?? null);
      await said(child, 'is listening on');
      const { port } = JSON.parse(readFileSync(join(env.PARLEY_HOME, 'host.json'), 'utf8')) as {
        port: number;
      };
      const token = readFileSync(join(env.PARLEY_HOME, 'token'), 'utf8').trim();
      return {
        pid: child.pid ?? 0,
        port,
        token,
        exited,
        async kill(signal = 'SIGKILL') {
          await stopPipes(env.PARLEY_HOME);
          child.kill(signal);
          await exited;
        },
        async killAlone() {
          child.kill('SIGKILL');
          await exited;
        },
      };
    },
    run,
    async doctor(...flags) {
      for (let attempt = 1; ; attempt++) {
        const result = await run('doctor', ...flags).done;
        if (attempt === 20 || !result.out.includes('not known in time')) return result;
      }
    },
    async dispose() {
      // A pipe that still runs would start its host again.
      await stopPipes(env.PARLEY_HOME);
      await stopBackground(join(env.PARLEY_HOME, 'host.json'));
      await Promise.all(
        [...children].map(async (child) => {
          const gone = once(child, 'exit');
          child.kill('SIGKILL');
          await gone;
        }),
      );
      // An agent whose host was killed may still write its last state.
      rmSync(dir, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

/** Kills the stdio commands that clients of a test have started; each names its home in its environment. */
async function stopPipes(home: string): Promise<void> {
  const isPipe = (pid: string) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      const isStdio = ['acp', 'ahp', 'server'].includes(words[2] ?? '') && !words.includes('--standalone');
      return isStdio && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`PARLEY_HOME=${home}\0`);
    } catch {
      return false;
    }
  };
  if (!existsSync('/proc')) return;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isPipe(name))) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended by itself.
      continue;
    }
    while (isPipe(pid))
      await new Promise((resolve) => {
        setTimeout(resolve, 10);
      });
  }
}

/** A host that a pipe started in the background is not our child; it names itself in its info file. */
async function stopBackground(info: string): Promise<void> {
  try {
    const { pid } = JSON.parse(readFileSync(info, 'utf8')) as { pid: number };
    process.kill(pid, 'SIGKILL');
    for (;;) {
      process.kill(pid, 0);
      await new Promise((resolve) => {
        setTimeout(resolve, 10);
      });
    }
  } catch {
    // There is none, or it is gone.
  }
}

export function said(child: ChildProcess, words: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let heard = '';
    const hear = (chunk: Buffer) => {
      heard += chunk.toString();
      if (heard.includes(words)) resolve();
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('exit', (code) => reject(new Error(`ended with ${code} before saying "${words}": ${heard}`)));
  });
}
