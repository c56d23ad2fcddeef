// The things that `parley doctor` looks at, each by itself: none depends on another, and none changes anything.
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { providers } from '../../agents/native/models/providers/providers.ts';
import type { Summary } from '../../host/session/summary.ts';
import { findProgram } from '../../io/processes/findProgram.ts';
import { acquire } from '../../io/store/lock.ts';
import { loadDatabase, query } from '../../io/store/sqlite/database.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { openSettings } from '../../io/settings/open.ts';
import { realClock } from '../../io/store/realWorld.ts';
import { agents, servers } from './probes.ts';
import { hostControl } from '../client/controlClient.ts';
import { catalogueOf, listsBeside } from '../../app/models/openModels.ts';

declare const PARLEY_VERSION: string;

export interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'note' | 'broken';
  readonly words: string;
  /** What to do about it. */
  readonly fix?: string;
}

export type Said = Omit<Finding, 'name'>;

const usualPort = 4517;
const { env } = process;

/** In the order in which they are told; the last ones start programs and take their time. */
export const checks: { readonly [name: string]: () => Promise<readonly Said[]> } = {
  runtime,
  data,
  settings,
  host,
  port,
  store,
  providers: keys,
  editors,
  crash,
  log,
  agents: () => agents(),
  mcp: () => servers(),
};

async function runtime(): Promise<readonly Said[]> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const old = major < 20 || (major === 20 && minor < 19);
  const node: Said = old
    ? {
        state: 'broken',
        words: `Node ${process.versions.node} is too old.`,
        fix: 'Install Node 20.19 or newer; 24 is recommended.',
      }
    : {
        state: 'ok',
        words: `Parley ${PARLEY_VERSION} on Node ${process.versions.node}, ${process.platform} ${process.arch}`,
      };
  const terminals: Said = await import('@lydell/node-pty').then(
    () => ({ state: 'ok', words: 'terminals can be opened' }),
    () => ({
      state: 'note',
      words: 'There are no terminals: the package for them is not there.',
      fix: 'Install again without --omit=optional.',
    }),
  );
  await loadDatabase();
  return [node, { state: 'ok', words: 'SQLite is there' }, terminals];
}

async function data(): Promise<readonly Said[]> {
  const { directory } = dataPaths(env);
  if (!existsSync(directory))
    return [{ state: 'ok', words: `${directory} will be made when the host first starts` }];
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return [
      {
        state: 'broken',
        words: `${directory} cannot be written.`,
        fix: 'Give it back to your user, or set PARLEY_HOME to another folder.',
      },
    ];
  }
  const open =
    process.platform === 'win32'
      ? []
      : [
          directory,
          ...['token', 'secrets.json', 'devices.json', 'log.db', 'host.sock'].map((name) =>
            join(directory, name),
          ),
        ].filter((path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0);
  return open.length === 0
    ? [{ state: 'ok', words: `${directory} is yours alone` }]
    : open.map((path) => ({
        state: 'broken',
        words: `Others on this machine can use ${path}.`,
        fix: `chmod go-rwx ${path}`,
      }));
}

async function settings(): Promise<readonly Said[]> {
  const opened = openSettings({ env });
  opened.of([process.cwd()]);
  const problems = opened.problems();
  opened.close();
  if (problems.length === 0) return [{ state: 'ok', words: 'the settings are in order' }];
  return problems.map(({ kind, message }) => ({
    state: kind === 'untrusted' ? 'note' : 'broken',
    words: message,
  }));
}

async function host(): Promise<readonly Said[]> {
  const peer = await hostControl('leave');
  if (!peer) return [{ state: 'ok', words: 'no host is running; whoever needs one starts it' }];
  peer.close();
  const { pid, version } = infoOf() ?? {};
  if (version !== PARLEY_VERSION)
    return [
      {
        state: 'note',
        words: `The host that runs is of version ${String(version)}.`,
        fix: 'parley stop lets the next command start the new one.',
      },
    ];
  return [{ state: 'ok', words: `a host is running (pid ${String(pid)})` }];
}

async function port(): Promise<readonly Said[]> {
  const peer = await hostControl('leave');
  peer?.close();
  const info = peer ? infoOf() : undefined;
  if (!info) {
    return (await isFree(usualPort))
      ? [{ state: 'ok', words: `port ${usualPort} is free` }]
      : [
          {
            state: 'note',
            words: `Port ${usualPort} is taken by another program.`,
            fix: 'The host will take a free one; server.port in the settings chooses another.',
          },
        ];
  }
  const address = new URL('healthz', String(info['url'])).href;
  const healthy = await answers(address);
  return healthy
    ? [{ state: 'ok', words: `the console answers at port ${String(info['port'])}` }]
    : [
        {
          state: 'broken',
          words: `The host does not answer at ${address}.`,
          fix: 'parley stop, then parley.',
        },
      ];
}

/** A running host knows which logs it found damaged; otherwise the file is looked at, without reading every entry. */
async function store(): Promise<readonly Said[]> {
  const peer = await hostControl('leave');
  const fix = 'parley sessions verify says more; what is sound can still be read and exported.';
  if (peer) {
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own host says what our own program reads
      const all = (await peer.request('sessions/list', {})) as readonly Summary[];
      const damaged = all.filter(({ damage }) => damage !== undefined);
      const newer = all.filter((one) => one.newer);
      if (newer.length > 0)
        return [
          {
            state: 'note',
            words: `A newer version of Parley has written ${newer.length} of ${all.length} sessions.`,
            fix: 'Update Parley to go on with them.',
          },
        ];
      return damaged.length > 0
        ? [{ state: 'broken', words: `${damaged.length} of ${all.length} sessions are damaged.`, fix }]
        : [{ state: 'ok', words: all.length === 1 ? '1 session' : `${all.length} sessions` }];
    } finally {
      peer.close();
    }
  }
  const { directory } = dataPaths(env);
  const path = join(directory, 'log.db');
  if (!existsSync(path)) return [{ state: 'ok', words: 'nothing is stored yet' }];
  const lock = await acquire(directory);
  if ('heldBy' in lock)
    return [{ state: 'note', words: 'A host is just starting or stopping; ask again in a moment.' }];
  try {
    const open = await loadDatabase();
    const database = open(path);
    try {
      const said = query(database, 'PRAGMA quick_check(3)')().map(([line]) => String(line));
      return said.every((line) => line === 'ok')
        ? [{ state: 'ok', words: 'the log is sound' }]
        : [{ state: 'broken', words: `The log is damaged: ${said.join('; ')}`, fix }];
    } finally {
      database.close();
    }
  } catch (error) {
    return [
      {
        state: 'broken',
        words: `The log cannot be opened: ${error instanceof Error ? error.message : String(error)}`,
        fix: 'Start the host: it saves what can be saved and keeps the rest aside.',
      },
    ];
  } finally {
    lock.release();
  }
}

async function keys(): Promise<readonly Said[]> {
  const { secrets } = dataPaths(env);
  const kept = listsBeside(secrets);
  const catalogue = catalogueOf({ env, clock: realClock, secrets, kept }, []);
  const unlisted = providers.flatMap(({ id, name }): readonly Said[] => {
    const { problem } = kept.of(id) ?? {};
    return problem === undefined
      ? []
      : [
          {
            state: 'note',
            words: `The models of ${name} could not be listed: ${problem}. Those that are known are offered.`,
            fix: 'parley models --refresh asks again.',
          },
        ];
  });
  const usable = providers.flatMap((provider) => {
    const standing = catalogue.standing(provider);
    return standing.usable && standing.keyFrom !== undefined ? [`${provider.id} (${standing.keyFrom})`] : [];
  });
  return [
    usable.length === 0
      ? {
          state: 'note',
          words: 'No model provider has a key; the built-in demo model answers.',
          fix: 'parley login PROVIDER; parley models lists them.',
        }
      : { state: 'ok', words: usable.join(', ') },
    ...unlisted,
  ];
}

const programs: { readonly [editor: string]: readonly string[] } = {
  emacs: ['emacs'],
  nvim: ['nvim'],
  vscode: ['code'],
  zed: ['zed', 'zeditor'],
  jetbrains: ['idea', 'pycharm', 'webstorm', 'goland', 'rustrover'],
};

async function editors(): Promise<readonly Said[]> {
  const found = Object.entries(programs)
    .filter(([, names]) => names.some((name) => findProgram(name, env) !== undefined))
    .map(([editor]) => editor);
  return [
    {
      state: 'ok',
      words: found.length === 0 ? 'none on the PATH' : found.join(', '),
      ...(found.length === 0 ? {} : { fix: `parley setup ${found[0]} connects it` }),
    },
  ];
}

/** A host that was stopped takes its info file along. */
async function crash(): Promise<readonly Said[]> {
  const info = infoOf();
  const peer = await hostControl('leave');
  peer?.close();
  if (!info || peer) return [{ state: 'ok', words: 'the last host was stopped in good order, or runs' }];
  return [
    {
      state: 'note',
      words: `The last host (pid ${String(info['pid'])}) ended without being stopped.`,
      fix: `Nothing that was shown is lost. host.log and host.ndjson in ${dataPaths(env).directory} may say why.`,
    },
  ];
}

const lastErrors = 3;

async function log(): Promise<readonly Said[]> {
  const { log: file } = dataPaths(env);
  if (!existsSync(file)) return [{ state: 'ok', words: 'the host has written nothing yet' }];
  const errors = readFileSync(file, 'utf8')
    .split('\n')
    .slice(-2_000)
    .flatMap((line) => {
      const entry = parsed(line);
      return entry?.['level'] === 'error' ? [`${String(entry['at'])} ${String(entry['message'])}`] : [];
    });
  if (errors.length === 0) return [{ state: 'ok', words: `no error in ${file}` }];
  return errors.slice(-lastErrors).map((words, at) => ({
    state: 'note',
    words,
    ...(at === 0 ? { fix: `The last of ${errors.length} errors in ${file}` } : {}),
  }));
}

/** Whether something healthy answers there; our own certificate is one that nobody else vouches for. */
async function answers(address: string): Promise<boolean> {
  const { get } = address.startsWith('https:') ? await import('node:https') : await import('node:http');
  return new Promise((resolve) => {
    const asked = get(address, { timeout: 5_000, agent: false, rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false));
  });
}

function infoOf(): { readonly [name: string]: unknown } | undefined {
  const { info } = dataPaths(env);
  return existsSync(info) ? parsed(readFileSync(info, 'utf8')) : undefined;
}

function parsed(text: string): { readonly [name: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function isFree(wanted: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(wanted, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
