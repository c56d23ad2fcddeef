// A machine in small for attacks on the sandbox: a home with keys, a data directory, a workspace with a
// repository, sockets that answer, and a process with a secret. Attacks run as an ordinary user, and as root
// where the tests run as root.
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { childEnvironment } from '../../src/io/processes/environment.ts';
import { hasNotBegun, mostAttempts } from '../../src/rpc/processes/beginning.ts';
import { openSandbox } from '../../src/io/sandbox/sandbox.ts';

/** Whoever can print it has read what is hidden. */
const secret = 'SECRET-4b1d';

/** What an attack prints when it has done what it should not be able to do. */
const escaped = 'ESCAPED';

export type Attacker = 'this user' | 'an ordinary user';

/** Root has two kinds of attackers. */
export const attackers: readonly Attacker[] =
  process.getuid?.() === 0 ? ['this user', 'an ordinary user'] : ['this user'];

export const nobody = 65_534;

export interface SandboxRig {
  /** Runs a script of bash confined; `edit` changes the words that start the sandbox. */
  attack(script: string, options?: AttackOptions): Promise<AttackResult>;
  close(): Promise<void>;
}

export interface AttackOptions {
  /** Whether whoever starts the program has a terminal. */
  readonly terminal?: boolean;
  readonly edit?: (words: readonly string[]) => readonly string[];
  readonly network?: 'off' | 'on';
}

export interface AttackResult {
  readonly output: string;
  readonly code: number | null;
  /** Everything that the attack has reached: changed files, answered connections, secrets. */
  readonly reached: readonly string[];
  readonly timedOut: boolean;
}

export async function sandboxRig(attacker: Attacker): Promise<SandboxRig> {
  // Not in the temporary folder, which confined programs have their own of.
  const base = mkdtempSync(
    process.getuid?.() === 0 ? '/var/lib/parley-escape-' : join(homedir(), '.parley-escape-'),
  );
  chmodSync(base, 0o755);
  layOut(base);
  const work = join(base, 'work');
  const listening = await listen(base);
  const victim = spawn('sleep', ['1000'], {
    env: { VICTIM: secret, PATH: '/usr/bin:/bin' },
    stdio: 'ignore',
  });
  const sandbox = openSandbox({
    env: { PATH: '/usr/bin:/bin' },
    directory: join(base, 'sandbox'),
    own: [join(base, 'data')],
    home: join(base, 'home'),
  });
  const user = attacker === 'an ordinary user' ? { uid: nobody, gid: nobody } : {};
  const variables = {
    ...places(base),
    VICTIM_PID: String(victim.pid),
    PORT: String(listening.port),
    ABSTRACT: listening.abstract,
    TEMPORARY: listening.temporary,
    LONGER: listening.longer,
    SYSTEM: listening.system,
    DEVICE: namedMemory(base),
    SHARED: sharedMemory(),
    NAMES: readlinkSync('/proc/self/ns/uts'),
    GROUPS: readlinkSync('/proc/self/ns/cgroup'),
  };
  const own = () => user.uid === undefined || spawnSync('chown', ['-R', `${nobody}:${nobody}`, base]);
  own();
  return {
    attack: madeAgain(async (script, options) => {
      const { edit = (words) => words, network = 'off' } = options;
      const before = snapshot(base);
      const heard = listening.count();
      const confined = sandbox.confine(['/bin/bash', '-c', script], work, {
        write: [work],
        network,
        scratch: 'attack',
      });
      if ('refused' in confined) throw new Error(confined.refused);
      own();
      const words = user.uid === undefined ? confined.words : withoutRootsSockets(confined.words, base);
      const start = options.terminal ? inTerminal(edit(words)) : edit(words);
      const ran = await runAs(start, { cwd: work, env: variables, ...user });
      confined.release();
      sandbox.close();
      const reached = [
        ...changes(before, snapshot(base)),
        ...traces(ran.output, listening.count() - heard, victim),
      ];
      // Without its check a program leaves no mark.
      const isMade = options.edit ? !/^bwrap: /m.test(ran.output) : !hasNotBegun(confined);
      return { ...ran, reached, isMade };
    }),
    async close() {
      victim.kill('SIGKILL');
      spawnSync('ipcrm', ['-m', variables.SHARED]);
      rmSync(variables.DEVICE);
      await listening.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

type Try = (script: string, options: AttackOptions) => Promise<AttackResult & { readonly isMade: boolean }>;

/** A test beside this one may have closed a socket that a sandbox covers. */
function madeAgain(attack: Try): SandboxRig['attack'] {
  return async (script, options = {}) => {
    for (let left = mostAttempts; ; left -= 1) {
      const { isMade, ...result } = await attack(script, options);
      if (isMade || left === 1) return result;
    }
  };
}

function inTerminal(words: readonly string[]): readonly string[] {
  const line = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
  return ['/usr/bin/script', '-qefc', line, '/dev/null'];
}

/** The program without the one that starts it: its words, a number, and two words for each path. */
export function withoutCheck(words: readonly string[]): readonly string[] {
  const start = words.indexOf('--') + 1;
  const count = Number(words[start + 3]);
  if (!(count > 0)) throw new Error('The words have no check.');
  return words.toSpliced(start, 4 + 2 * count);
}

/** A file that programs share memory by, with a secret. */
function namedMemory(base: string): string {
  const path = join('/dev/shm', basename(base));
  writeFileSync(path, secret, { mode: 0o644 });
  return path;
}

/** The number of memory that any process can use that knows it. */
function sharedMemory(): string {
  const { stdout } = spawnSync('ipcmk', ['-M', '4096', '-p', '0666'], { encoding: 'utf8' });
  return stdout.trim().split(' ').at(-1) ?? '';
}

/** The host runs as root here and covers sockets in folders that the host of an ordinary user cannot see. */
function withoutRootsSockets(words: readonly string[], base: string): readonly string[] {
  const isForeign = (path = '') =>
    path.startsWith('/') && !path.startsWith(base) && (lstatSync(path, quietly)?.isSocket() ?? false);
  const at = words.findIndex((word, index) => word === '--ro-bind' && isForeign(words[index + 2]));
  return at < 0 ? words : withoutRootsSockets(words.toSpliced(at, 3), base);
}

const quietly = { throwIfNoEntry: false } as const;

function places(base: string): { readonly [name: string]: string } {
  return {
    HOME: join(base, 'home'),
    PATH: '/usr/local/bin:/usr/bin:/bin',
    OUT: join(base, 'outside'),
    DATA: join(base, 'data'),
    BASE: base,
    WORK: join(base, 'work'),
  };
}

function layOut(base: string): void {
  const files: Readonly<Record<string, string>> = {
    'home/.ssh/id_rsa': secret,
    'home/.aws/credentials': secret,
    'home/.config/google-chrome/Cookies': secret,
    'home/.config/gh/hosts.yml': secret,
    'home/.netrc': secret,
    'home/.bash_history': secret,
    'home/.bashrc': '# start',
    'home/.profile': '# start',
    'data/token': secret,
    'outside/kept': 'kept',
    'work/.vscode/settings.json': '{}',
    'work/AGENTS.md': '# rules',
    'work/src/main.js': '1',
    'work/tools/hooks/none': '',
    'work/.github/workflows/ci.yml': '',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  }
  const git = (...args: readonly string[]) => spawnSync('git', args, { cwd: join(base, 'work') });
  git('init', '-q');
  git('config', 'user.email', 'a@example.com');
  git('config', 'user.name', 'a');
  git('config', 'core.hooksPath', 'tools/hooks');
}

interface Listening {
  readonly port: number;
  readonly abstract: string;
  /** A socket in the temporary folder of the machine, in the one that outlives a start, and in `/run`. */
  readonly temporary: string;
  readonly longer: string;
  readonly system: string;
  count(): number;
  close(): Promise<void>;
}

/** Whether this process can open sockets where services of the system do. */
export const mayUseRun = process.getuid?.() === 0;

/** Sockets that a confined program must not reach; each connection counts. */
async function listen(base: string): Promise<Listening> {
  let heard = 0;
  const servers: Server[] = [];
  const open = async (where: Parameters<Server['listen']>[0]) => {
    const server = createServer((socket) => {
      heard += 1;
      socket.on('error', () => {});
      socket.end(secret);
    });
    servers.push(server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(where, () => resolve());
    });
    return server;
  };
  const abstract = `parley-escape-${process.pid}-${base.slice(-6)}`;
  const temporary = join('/tmp', `${abstract}.sock`);
  for (const name of ['docker.sock', 'data/host.sock', 'home/.ssh/agent.sock', 'bus.sock'])
    await open({ path: join(base, name) });
  const [longer, system] = [join('/var/tmp', `${abstract}.sock`), join('/run', `${abstract}.sock`)];
  const others = [temporary, longer, ...(mayUseRun ? [system] : [])];
  for (const path of others) await open({ path });
  for (const path of [join(base, 'docker.sock'), join(base, 'bus.sock'), ...others]) chmodSync(path, 0o777);
  await open({ path: `\0${abstract}` });
  const address = (await open({ port: 0, host: '127.0.0.1' })).address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    abstract,
    temporary,
    longer,
    system,
    count: () => heard,
    close: async () => {
      for (const server of servers) await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface RunOptions {
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly uid?: number;
  readonly gid?: number;
}

/** Longer than any attack takes on a busy machine. */
const patience = 90_000;

function runAs(
  [program = '', ...words]: readonly string[],
  { env, ...options }: RunOptions,
): Promise<Omit<AttackResult, 'reached'>> {
  return new Promise((resolve) => {
    const child = spawn(program, words, {
      ...options,
      env: childEnvironment({}, env),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let output = '';
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    }, patience);
    for (const pipe of [child.stdout, child.stderr])
      pipe.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ output, code, timedOut });
    });
  });
}

/** Everything that no attack may change, with its content. */
function snapshot(base: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const look = (path: string) => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (!stat) return;
    if (stat.isDirectory()) {
      found.set(path, 'folder');
      for (const name of readdirSync(path)) look(join(path, name));
    } else if (stat.isSymbolicLink()) found.set(path, `link to ${readlinkSync(path)}`);
    else
      found.set(path, stat.isFile() ? `${stat.mode} ${stat.mtimeMs} ${readFileSync(path, 'utf8')}` : 'other');
  };
  for (const name of [...guarded.map((path) => `work/${path}`), 'home', 'data', 'outside'])
    look(join(base, name));
  return found;
}

const guarded = [
  '.git/config',
  '.git/hooks',
  '.git/commondir',
  'tools/hooks',
  '.github/workflows',
  '.vscode',
  '.claude',
  '.parley',
  '.envrc',
  '.mcp.json',
  'AGENTS.md',
];

function changes(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).map((path) => `changed ${path}`);
}

function traces(output: string, connections: number, victim: ChildProcess): readonly string[] {
  return [
    ...(output.includes(secret) ? ['read a secret'] : []),
    ...(output.includes(escaped) ? ['did what it must not'] : []),
    ...(connections > 0 ? ['connected'] : []),
    ...(victim.exitCode !== null || victim.signalCode !== null ? ['ended a process'] : []),
  ];
}
