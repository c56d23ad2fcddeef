// The checks of `parley doctor`. They are independent of each other and change nothing.
import { accessSync, constants, existsSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readHostInfo } from '../../app/hostInfo.ts';
import { errorText } from '../../base/errorText.ts';
import { isRecord } from '../../base/isRecord.ts';
import type { SessionRow } from '../../app/control/sessions.ts';
import type { LinkStatus } from '../../io/links/hostLinks.ts';
import type { LeaseHolder } from '../../io/store/durableStore.ts';
import { findProgram } from '../../io/processes/findProgram.ts';
import { openSandbox } from '../../io/sandbox/sandbox.ts';
import { acquire } from '../../io/store/lock.ts';
import { loadDatabase, query } from '../../io/store/sqlite/database.ts';
import { checkSchema } from '../../io/store/sqlite/schema.ts';
import { StoreError } from '../../io/store/sqlite/storeError.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { openSettings } from '../../io/settings/open.ts';
import { realClock } from '../../io/store/realWorld.ts';
import { agents, servers } from './probes.ts';
import type { Peer } from '../../rpc/peer.ts';
import { runningHost } from '../client/controlClient.ts';
import { catalogueOf, cachedListsBeside } from '../../app/models/openModels.ts';
import { readUserFile } from '../../io/files/folderFile.ts';

declare const PARLEY_VERSION: string;

export interface CheckOutcome {
  readonly name: string;
  readonly state: 'ok' | 'note' | 'broken';
  readonly words: string;
  /** What the user can do. */
  readonly fix?: string;
}

export type CheckResult = Omit<CheckOutcome, 'name'>;

const defaultPort = 4517;

/** How long a host may take to answer, in milliseconds; less than a whole check may take. */
const answerTime = 3_500;

/** What only a host that answers can tell. */
const unchecked: readonly CheckResult[] = [{ state: 'note', words: 'not checked: the host does not answer' }];

const { env } = process;

/** In the order of the output. The last ones start programs and take longest. */
export const checks: { readonly [name: string]: () => Promise<readonly CheckResult[]> } = {
  runtime,
  data,
  settings,
  host,
  port,
  store: async () => [...(await store()), ...losses()],
  providers: keys,
  editors,
  sandbox,
  crash,
  log,
  agents: () => agents(),
  mcp: () => servers(),
};

async function runtime(): Promise<readonly CheckResult[]> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isTooOld = major < 20 || (major === 20 && minor < 19);
  const node: CheckResult = isTooOld
    ? {
        state: 'broken',
        words: `Node ${process.versions.node} is too old.`,
        fix: 'Install Node 20.19 or newer; 24 is recommended.',
      }
    : {
        state: 'ok',
        words: `Parley ${PARLEY_VERSION} on Node ${process.versions.node}, ${process.platform} ${process.arch}`,
      };
  const terminals: CheckResult = await import('@lydell/node-pty').then(
    () => ({ state: 'ok', words: 'terminals ok' }),
    () => ({
      state: 'note',
      words: 'Terminals are not available: an optional package is missing.',
      fix: 'Reinstall without --omit=optional.',
    }),
  );
  await loadDatabase();
  return [node, { state: 'ok', words: 'SQLite ok' }, terminals];
}

async function data(): Promise<readonly CheckResult[]> {
  const { directory } = dataPaths(env);
  if (!existsSync(directory))
    return [{ state: 'ok', words: `${directory} will be created with the first start` }];
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return [
      {
        state: 'broken',
        words: `${directory} is not writable.`,
        fix: 'Fix its owner, or set PARLEY_HOME to another folder.',
      },
    ];
  }
  const exposed =
    process.platform === 'win32'
      ? []
      : [
          directory,
          ...['token', 'secrets.json', 'devices.json', 'push.json', 'log.db', 'host.sock'].map((name) =>
            join(directory, name),
          ),
        ].filter((path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0);
  const privacy: readonly CheckResult[] =
    exposed.length === 0
      ? [{ state: 'ok', words: `${directory} is private` }]
      : exposed.map((path) => ({
          state: 'broken',
          words: `${path} is readable by other users.`,
          fix: `chmod go-rwx ${path}`,
        }));
  return [...privacy, ...space(directory)];
}

/** In bytes: with less a host can hardly store a turn, and with less than the other one it soon cannot. */
const fullBelow = 4_000_000;
const scarceBelow = 100_000_000;

/** Whether the disk has room for what is said next. */
function space(directory: string): readonly CheckResult[] {
  const { bavail, bsize, files, ffree } = statfsSync(directory);
  const free = bavail * bsize;
  const hasNoNames = files > 0 && ffree === 0;
  if (free >= scarceBelow && !hasNoNames) return [];
  const left = hasNoNames ? 'it takes no more files' : `${(free / 1_000_000).toFixed(1)} MB are free`;
  const isFull = hasNoNames || free < fullBelow;
  return [
    {
      state: isFull ? 'broken' : 'note',
      words: `The disk of ${directory} is ${isFull ? 'full' : 'almost full'}: ${left}.`,
      fix: isFull
        ? 'Make room; until then nothing new is stored.'
        : 'Make room before nothing new is stored.',
    },
  ];
}

async function settings(): Promise<readonly CheckResult[]> {
  const opened = openSettings({ env });
  opened.of([process.cwd()]);
  const problems = opened.problems();
  opened.close();
  if (problems.length === 0) return [{ state: 'ok', words: 'settings ok' }];
  return problems.map(({ kind, message }) => ({
    state: kind === 'untrusted' ? 'note' : 'broken',
    words: message,
  }));
}

async function host(): Promise<readonly CheckResult[]> {
  const peer = await answeringHost();
  if (!peer) return [{ state: 'ok', words: 'host not running (starts on demand)' }];
  const info = readHostInfo(dataPaths(env).info);
  if (peer === 'silent')
    return [
      {
        state: 'broken',
        words: `The host (pid ${info?.pid ?? 'unknown'}) did not answer within ${answerTime / 1_000} s.`,
        fix: 'If it stays busy, parley stop ends it, and the next command starts a new one.',
      },
    ];
  peer.close();
  if (info?.version !== PARLEY_VERSION)
    return [
      {
        state: 'note',
        words: `The running host is version ${info?.version ?? 'unknown'}.`,
        fix: 'Run parley stop; the next command starts the new version.',
      },
    ];
  return [{ state: 'ok', words: `running (pid ${info.pid})` }];
}

/** A connection to the host, if it has answered. A host that hangs still accepts connections. */
async function answeringHost(): Promise<Peer | 'silent' | undefined> {
  const peer = await runningHost();
  if (!peer) return undefined;
  // A host that refuses the request has answered, too.
  const answered = peer.request('store/links', {}).then(
    () => peer,
    () => peer,
  );
  const first = await Promise.race([answered, delay(answerTime, 'silent' as const, { ref: false })]);
  if (first === 'silent') peer.close();
  return first;
}

async function port(): Promise<readonly CheckResult[]> {
  const peer = await answeringHost();
  if (peer === 'silent') return unchecked;
  peer?.close();
  const info = peer ? readHostInfo(dataPaths(env).info) : undefined;
  if (!info) {
    const wanted = chosenPort();
    return (await isFree(wanted))
      ? [{ state: 'ok', words: `port ${wanted} is free` }]
      : [
          {
            state: 'note',
            words: `Port ${wanted} is used by another program.`,
            fix: 'The host will use a free port; set server.port or PARLEY_PORT to choose one.',
          },
        ];
  }
  const address = new URL('healthz', info.url).href;
  const healthy = await answers(address);
  return healthy
    ? [{ state: 'ok', words: `the console answers on port ${info.port}` }]
    : [
        {
          state: 'broken',
          words: `The host does not answer at ${address}.`,
          fix: 'Run parley stop, then parley.',
        },
      ];
}

/** The port of the settings or the environment, as the next host will try it. */
function chosenPort(): number {
  const opened = openSettings({ env });
  const { port: chosen = defaultPort } = opened.of([]).server;
  opened.close();
  return chosen;
}

const damageFix = 'Run parley sessions verify for details; undamaged parts can still be read and exported.';

/** A running host knows its damaged sessions. Without a host this runs SQLite's quick check of the file. */
async function store(): Promise<readonly CheckResult[]> {
  const peer = await answeringHost();
  if (peer === 'silent') return unchecked;
  if (peer) {
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer comes from our own host
      const all = (await peer.request('sessions/list', {})) as readonly SessionRow[];
      const damaged = all.filter(({ damage }) => damage !== undefined);
      const newer = all.filter((session) => session.newer);
      if (newer.length > 0)
        return [
          {
            state: 'note',
            words: `A newer version of Parley has written ${newer.length} of ${all.length} sessions.`,
            fix: 'Update Parley to use them.',
          },
        ];
      return damaged.length > 0
        ? [
            {
              state: 'broken',
              words: `${damaged.length} of ${all.length} sessions are damaged.`,
              fix: damageFix,
            },
          ]
        : [
            { state: 'ok', words: all.length === 1 ? '1 session' : `${all.length} sessions` },
            ...(await sharingHosts(peer)),
          ];
    } finally {
      peer.close();
    }
  }
  return storedFile();
}

async function storedFile(): Promise<readonly CheckResult[]> {
  const { directory } = dataPaths(env);
  const path = join(directory, 'log.db');
  if (!existsSync(path)) return [{ state: 'ok', words: 'no sessions yet' }];
  const lock = await acquire(directory);
  if ('heldBy' in lock)
    return [{ state: 'note', words: 'A host is starting or stopping. Try again in a moment.' }];
  try {
    const open = await loadDatabase();
    const database = open(path);
    try {
      checkSchema(database);
      const lines = query(database, 'PRAGMA quick_check(3)')().map(([line]) => String(line));
      return lines.every((line) => line === 'ok')
        ? [{ state: 'ok', words: 'store ok' }]
        : [{ state: 'broken', words: `The store is damaged: ${lines.join('; ')}`, fix: damageFix }];
    } finally {
      database.close();
    }
  } catch (error) {
    return [
      {
        state: 'broken',
        words: `Cannot open the store: ${errorText(error, String(error))}`,
        fix:
          error instanceof StoreError && error.code === 'newer'
            ? 'Update Parley.'
            : 'Start the host: it recovers what it can and sets the damaged file aside.',
      },
    ];
  } finally {
    lock.release();
  }
}

/** Who uses the database of this host, and how many sessions each one has. */
async function sharingHosts(peer: {
  request(method: string, params: object): Promise<unknown>;
}): Promise<readonly CheckResult[]> {
  // A host of an older version does not know the request.
  const answer = await peer.request('store/hosts', {}).catch(() => []);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer comes from our own host
  const hosts = answer as readonly LeaseHolder[];
  const found: readonly CheckResult[] = hosts.map(({ name, isMe, sessions, left }) => {
    const owned = `${name}${isMe ? ' (this host)' : ''} has ${sessions} open sessions`;
    return left > 0
      ? { state: 'ok', words: owned }
      : { state: 'note', words: `${owned} and does not answer. Other hosts take them over soon.` };
  });
  return [...found, ...(await hostLinks(peer))];
}

/** The links of this host to those whose sessions its clients use. */
async function hostLinks(peer: {
  request(method: string, params: object): Promise<unknown>;
}): Promise<readonly CheckResult[]> {
  const answer = await peer.request('store/links', {}).catch(() => []);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer comes from our own host
  const links = answer as readonly LinkStatus[];
  return links.map(({ host: other, url, isUp, sessions, problem }) =>
    isUp
      ? { state: 'ok', words: `The link to ${other} is open (sessions that are followed: ${sessions})` }
      : {
          state: 'note',
          words: `The link to ${other} at ${url} is down: ${problem ?? 'it is being opened.'}`,
          fix: 'Until then its sessions are shown late. Hosts must reach the addresses they listen on.',
        },
  );
}

/** What the host wrote down when the log was missing or older than before. */
function losses(): readonly CheckResult[] {
  const path = join(dataPaths(env).directory, 'log.db.loss');
  if (!existsSync(path)) return [];
  const lines = readUserFile(path).trim().split('\n');
  return [{ state: 'broken', words: lines.at(-1) ?? '', fix: `Remove ${path} once you have read it.` }];
}

async function keys(): Promise<readonly CheckResult[]> {
  const { secrets } = dataPaths(env);
  const cachedLists = cachedListsBeside(secrets);
  const opened = openSettings({ env });
  const catalogue = catalogueOf({ env, clock: realClock, secrets, cachedLists, settings: opened }, []);
  const all = catalogue.providers();
  const unlisted = all.flatMap(({ id, name }): readonly CheckResult[] => {
    const { problem } = cachedLists.of(id) ?? {};
    return problem === undefined
      ? []
      : [
          {
            state: 'note',
            words: `Cannot list the models of ${name}: ${problem}. Using the built-in list.`,
            fix: 'Try again with parley models --refresh.',
          },
        ];
  });
  const usable = all.flatMap((provider) => {
    const standing = catalogue.access(provider);
    return standing.usable && standing.keyFrom !== undefined ? [`${provider.id} (${standing.keyFrom})`] : [];
  });
  opened.close();
  return [
    usable.length === 0
      ? {
          state: 'note',
          words: 'No API keys; using the demo model.',
          fix: 'Add one with parley login anthropic; parley models lists all providers.',
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

async function editors(): Promise<readonly CheckResult[]> {
  const installed = Object.entries(programs)
    .filter(([, names]) => names.some((name) => findProgram(name, env) !== undefined))
    .map(([editor]) => editor);
  return [
    {
      state: 'ok',
      words: installed.length === 0 ? 'none on the PATH' : installed.join(', '),
      ...(installed.length === 0 ? {} : { fix: `parley setup ${installed[0]} connects it` }),
    },
  ];
}

/** Really starts a confined program. */
async function sandbox(): Promise<readonly CheckResult[]> {
  const directory = mkdtempSync(join(tmpdir(), 'parley-doctor-'));
  // A check that takes too long is left out, and does not come to its end.
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const status = await openSandbox({ env, directory, own: [] }).status();
  return status.available
    ? [{ state: 'ok', words: `commands can be confined (${status.how})` }]
    : [{ state: 'note', words: `${status.why} Every command asks.`, fix: status.cure }];
}

/** A host removes its info file when it stops, so a leftover file means a crash. */
async function crash(): Promise<readonly CheckResult[]> {
  const info = readHostInfo(dataPaths(env).info);
  const peer = await runningHost();
  peer?.close();
  if (!info || peer) return [{ state: 'ok', words: 'no crash recorded' }];
  return [
    {
      state: 'note',
      words: `The last host (pid ${info.pid}) crashed.`,
      fix: `No saved data is lost. See host.log and host.ndjson in ${dataPaths(env).directory}.`,
    },
  ];
}

const lastErrors = 3;

async function log(): Promise<readonly CheckResult[]> {
  const { log: file } = dataPaths(env);
  if (!existsSync(file)) return [{ state: 'ok', words: 'the host has nothing to report' }];
  const errors = readUserFile(file)
    .split('\n')
    .slice(-2_000)
    .flatMap((line) => {
      const entry = parseLine(line);
      return entry?.['level'] === 'error' ? [`${String(entry['at'])} ${String(entry['message'])}`] : [];
    });
  if (errors.length === 0) return [{ state: 'ok', words: `no errors in ${file}` }];
  return errors.slice(-lastErrors).map((words, at) => ({
    state: 'note',
    words,
    ...(at === 0 ? { fix: `Latest of ${errors.length} errors in ${file}` } : {}),
  }));
}

/** True if the health check answers. Accepts our self-signed certificate. */
async function answers(address: string): Promise<boolean> {
  const { get } = address.startsWith('https:') ? await import('node:https') : await import('node:http');
  return new Promise((resolve) => {
    const options = { timeout: answerTime, agent: false, rejectUnauthorized: false };
    const request = get(address, options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}

function parseLine(text: string): { readonly [name: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFree(candidate: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(candidate, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
