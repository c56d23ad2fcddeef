// A PostgreSQL server of its own for tests: on a free port and a socket in a temporary folder, as a
// normal user, and gone afterwards.
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause, untilGone } from './living.ts';
import { freePort } from './freePort.ts';

/** Where a server is, and what tests ask of it. */
export interface PostgresPlace {
  /** The address over the socket, which needs no password. */
  readonly url: string;
  /** The folder of the socket. */
  readonly directory: string;
  readonly port: number;
  /** Makes an empty database, or a copy of another one, and returns its address. */
  database(name: string, like?: string): string;
  /** The address of a database. */
  address(name: string): string;
  /** Runs statements and returns what psql prints, without headings. */
  sql(text: string, database?: string): string;
}

export interface PostgresServer extends PostgresPlace {
  /** The password of the user `parley` over the network. */
  readonly password: string;
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Stops every process of the server where it is; connections stay open and nobody answers. */
  freeze(): void;
  thaw(): void;
  dispose(): Promise<void>;
}

/** The server refuses to run as root. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const password = 'not so secret';

/** A program of PostgreSQL that takes longer hangs, in milliseconds: most run for a moment. */
const programTime = 120_000;

/** `settings` are given to the server, such as `fsync=off` where no crash is tested. */
export async function startPostgres(settings: readonly string[] = ['fsync=off']): Promise<PostgresServer> {
  // The folder for the temporary files of root's tests may be closed to others.
  const above = user.uid === undefined ? tmpdir() : '/tmp';
  const directory = mkdtempSync(join(above, 'parley-postgres-'));
  if (user.uid !== undefined) chownSync(directory, user.uid, user.gid);
  const data = join(directory, 'data');
  const secret = join(directory, 'password');
  writeFileSync(secret, password);
  if (user.uid !== undefined) chownSync(secret, user.uid, user.gid);
  const initialised = ['-D', data, '-U', 'parley', '-E', 'UTF8', '--locale=C', '--no-sync'];
  run('initdb', [...initialised, '--auth-local=trust', '--auth-host=scram-sha-256', `--pwfile=${secret}`]);
  const port = await freePort();
  const server = new Server({ directory, data, port, settings });
  await server.start();
  return {
    ...postgresAt({ directory, port }),
    password,
    kill: () => server.kill(),
    start: () => server.start(),
    freeze: () => server.signal('SIGSTOP'),
    thaw: () => server.signal('SIGCONT'),
    async dispose() {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A server that runs already. */
export function postgresAt({ directory, port }: Pick<PostgresPlace, 'directory' | 'port'>): PostgresPlace {
  const urlOf = (database: string) => `postgres:///${database}?host=${directory}&port=${port}&user=parley`;
  const sql = (text: string, database = 'postgres') =>
    run('psql', ['-h', directory, '-p', String(port), '-U', 'parley', '-d', database, '-AtXqc', text]).trim();
  return {
    url: urlOf('postgres'),
    directory,
    port,
    sql,
    address: urlOf,
    database(name, like = 'template1') {
      sql(`CREATE DATABASE "${name}" TEMPLATE "${like}"`);
      return urlOf(name);
    },
  };
}

interface ServerOptions {
  readonly directory: string;
  readonly data: string;
  readonly port: number;
  readonly settings: readonly string[];
}

class Server {
  readonly #options: ServerOptions;
  #process: ChildProcess | undefined;
  #told = '';

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  /** After a kill the old memory is in use until the last helper process has noticed; so it tries again. */
  async start(): Promise<void> {
    for (let tries = 0; tries < 100; tries += 1) {
      if (await this.#tryStart()) return;
      await pause(200);
    }
    throw new Error(`PostgreSQL does not start: ${this.#told}`);
  }

  /** As by a crash of the machine: nothing is shut down. */
  async kill(): Promise<void> {
    if (!this.#process) return;
    const pids = this.#pids();
    this.#process = undefined;
    // One that serves a connection would answer it until it has noticed.
    for (const pid of pids) send(pid, 'SIGKILL');
    await Promise.all(pids.map(untilGone));
  }

  /** At once, but not as by a crash: the kernel would keep its shared memory. */
  async stop(): Promise<void> {
    // Only the next start removes what a killed one has left.
    if (!this.#process) await this.start();
    this.signal('SIGCONT');
    const pids = this.#pids();
    this.#process?.kill('SIGQUIT');
    await Promise.all(pids.map(untilGone));
    this.#process = undefined;
  }

  /** Reaches the processes that serve the connections, too. */
  signal(signal: NodeJS.Signals): void {
    for (const pid of this.#pids()) send(pid, signal);
  }

  #pids(): readonly number[] {
    const pid = this.#process?.pid;
    if (pid === undefined) return [];
    const served = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return [pid, ...served.map(Number)];
  }

  async #tryStart(): Promise<boolean> {
    const { directory, data, port, settings } = this.#options;
    const given = [
      `listen_addresses=127.0.0.1`,
      `unix_socket_directories=${directory}`,
      // In files of its folder.
      'dynamic_shared_memory_type=mmap',
      ...settings,
    ];
    const child = spawn(
      program('postgres'),
      ['-D', data, '-p', String(port), ...given.flatMap((each) => ['-c', each])],
      { ...user, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.#process = child;
    let told = '';
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`PostgreSQL is not ready: ${told}`)), programTime);
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        told = `${told}${text}`.slice(-10_000);
        this.#told = told;
        if (!told.includes('database system is ready to accept connections')) return;
        clearTimeout(timer);
        resolve(true);
      });
      child.once('exit', () => {
        clearTimeout(timer);
        if (this.#process === child) this.#process = undefined;
        resolve(false);
      });
    });
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Those that serve connections come and go.
  }
}

function run(name: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program(name), args, {
    ...user,
    encoding: 'utf8',
    cwd: '/',
    timeout: programTime,
    killSignal: 'SIGKILL',
  });
  if (status !== 0)
    throw new Error(`${name} failed: ${error?.message ?? stderr}\n${args.join(' ')}`, { cause: error });
  return stdout;
}

/** Debian keeps the programs of each version in a folder of their own. */
function program(name: string): string {
  const above = '/usr/lib/postgresql';
  const versions = existsSync(above) ? readdirSync(above).toSorted((a, b) => Number(b) - Number(a)) : [];
  return [...versions.map((version) => join(above, version, 'bin', name)), name].find(existsSync) ?? name;
}
