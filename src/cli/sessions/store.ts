// `parley store copy FROM TO` moves all sessions between a folder and PostgreSQL, and `parley store compact`
// makes the log of a folder small. No host may use the stores.
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { copyStore } from '../../io/store/copyStore.ts';
import type { DurableStore, LeaseHolder, OutputFiles } from '../../io/store/durableStore.ts';
import { outputFiles } from '../../io/files/outputFiles.ts';
import { acquire } from '../../io/store/lock.ts';
import type { PostgresStore } from '../../io/store/postgres/postgresStore.ts';
import { openStore } from '../../io/store/sqlite/open.ts';
import type { SqliteStore } from '../../io/store/sqlite/sqlite.ts';
import { storePlace } from '../../io/store/storeUrl.ts';
import type { StorePlace } from '../../io/store/storeUrl.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { print, printError } from '../output.ts';
import { noMore, readArgs, UsageError } from '../say.ts';
import { unknownWord } from '../suggest.ts';
import { errorText } from '../../base/errorText.ts';

declare const PARLEY_VERSION: string;

interface OpenPlace {
  readonly store: DurableStore;
  readonly outputs: OutputFiles;
  /** The hosts that use it now. */
  users(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Somebody else uses the store. */
class InUse extends Error {}

export async function run(args: readonly string[]): Promise<number> {
  const { positionals } = readArgs(args, {});
  const [word, ...stores] = positionals;
  if (word === 'copy') return runCopy(stores);
  if (word === 'compact') return unlessInUse(() => compact(stores));
  if (word !== undefined) throw unknownWord('store', word);
  throw new UsageError('Missing word. Use: parley store copy FROM TO, or parley store compact [STORE]');
}

async function compact([address, ...more]: readonly string[]): Promise<number> {
  noMore(more);
  const place = placeOf(address ?? process.env['PARLEY_STORE']);
  if ('url' in place)
    throw new UsageError('Only a folder can be compacted. PostgreSQL does this itself (autovacuum).');
  const path = join(place.directory, 'log.db');
  if (!existsSync(path)) throw new UsageError(`There are no sessions in ${place.directory}.`);
  const before = statSync(path).size;
  const opened = await openFolder(place.directory);
  let isDone: boolean;
  try {
    isDone = await opened.store.compact();
  } finally {
    await opened.close();
  }
  if (!isDone) {
    printError('parley: The log is damaged and was left as it is. See: parley sessions verify\n');
    return 1;
  }
  print(`${path} had ${megabytes(before)} and has ${megabytes(statSync(path).size)} now.\n`);
  return 0;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

async function runCopy([source, target, ...more]: readonly string[]): Promise<number> {
  noMore(more);
  if (source === undefined || target === undefined)
    throw new UsageError(
      'Name two stores. Example: parley store copy file:///var/lib/parley postgres://db/parley',
    );
  const [from, to] = [placeOf(source), placeOf(target)];
  if (JSON.stringify(from) === JSON.stringify(to)) throw new UsageError('Both stores are the same.');
  if ('directory' in from && !existsSync(join(from.directory, 'log.db')))
    throw new UsageError(`There are no sessions in ${from.directory}.`);
  const opened: OpenPlace[] = [];
  return unlessInUse(async () => {
    try {
      for (const place of [from, to]) opened.push(await open(place));
      const [reading, writing] = opened;
      return reading && writing ? await copy(reading, writing) : 1;
    } finally {
      for (const each of opened.toReversed()) await each.close();
    }
  });
}

/** Says so if somebody else uses a store. */
async function unlessInUse(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof InUse)) throw error;
    printError(`parley: ${error.message}\n`);
    return 3;
  }
}

async function copy(from: OpenPlace, to: OpenPlace): Promise<number> {
  const onProgress = (done: number, all: number) => {
    if (done % progressStep === 0) printError(`${done} of ${all} sessions\n`);
  };
  const outputs = { from: from.outputs, to: to.outputs };
  const result = await copyStore({ from: from.store, to: to.store, outputs, onProgress });
  const { sessions, complete, problems } = result;
  const users = [...new Set([...(await from.users()), ...(await to.users())])];
  for (const problem of problems) printError(`parley: ${problem}\n`);
  if (users.length > 0)
    printError(
      `parley: These hosts were started during the copy: ${users.join(', ')}. What they have changed may be ` +
        'missing in the target. Stop them and copy again.\n',
    );
  print(
    `${complete} of ${sessions} sessions are complete in the target; ${result.entries} entries and ` +
      `${result.outputs} long outputs were copied and compared.\n`,
  );
  return problems.length + users.length === 0 ? 0 : 1;
}

const progressStep = 100;

/** Without an address, the store of a host that is started now. */
function placeOf(address: string | undefined): StorePlace {
  const place = storePlace(resolve(dataPaths(process.env).directory), address);
  if ('refused' in place) throw new UsageError(place.refused);
  return place;
}

async function open(place: StorePlace): Promise<OpenPlace> {
  return 'url' in place ? openShared(place) : openFolder(place.directory);
}

function report(problem: unknown): void {
  printError(`parley: ${errorText(problem, String(problem))}\n`);
}

async function openFolder(directory: string): Promise<OpenPlace & { readonly store: SqliteStore }> {
  const lock = await acquire(directory);
  if ('heldBy' in lock)
    throw new InUse(`A host uses ${directory}. Stop it first, for example with parley stop.`);
  try {
    const store = await openStore({ directory, report });
    return {
      store,
      outputs: outputFiles(directory),
      // The lock keeps everybody else out.
      users: () => Promise.resolve([]),
      async close() {
        await store.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** A host that is at work could change a session while it is copied. */
async function openShared(place: Extract<StorePlace, { readonly url: string }>): Promise<OpenPlace> {
  const [{ PostgresStore }, { databaseOutputFiles }] = await Promise.all([
    import('../../io/store/postgres/postgresStore.ts'),
    import('../../io/store/postgres/databaseOutputs.ts'),
  ]);
  const store = await PostgresStore.open({
    ...place,
    name: `a copy in process ${process.pid}`,
    version: PARLEY_VERSION,
    report,
    onLost: () => report(new Error('Another host has taken over the database.')),
  });
  const users = async () => living(await othersOf(store)).map(({ name }) => name);
  const others = await untilLateOnesAreGone(store);
  if (others.length === 0)
    return { store, outputs: databaseOutputFiles(store.connection), users, close: () => store.close() };
  await store.close();
  const named = others.map(({ name, left }) => `${name} (lease ends in ${Math.max(0, Math.ceil(left))} s)`);
  throw new InUse(
    `These use ${place.shown}: ${named.join(', ')}. Stop them first; ` +
      'one that was killed is gone when its lease ends.',
  );
}

type Holding = Pick<PostgresStore, 'holders'>;

async function othersOf(store: Holding): Promise<readonly LeaseHolder[]> {
  return (await store.holders()).filter(({ isMe }) => !isMe);
}

function living(holders: readonly LeaseHolder[]): readonly LeaseHolder[] {
  return holders.filter(({ left }) => left > 0);
}

/**
 * Gives the hosts that use the database. One whose lease is over keeps its sessions until it is removed,
 * which our own lease does when it has lasted as long.
 */
async function untilLateOnesAreGone(store: Holding): Promise<readonly LeaseHolder[]> {
  for (const until = Date.now() + removalTime; ; await pause(removalPause)) {
    const others = await othersOf(store);
    const users = living(others);
    if (users.length > 0 || others.length === 0) return users;
    if (Date.now() > until) return others;
  }
}

/** How long a host whose lease is over is waited for, and the time between two looks, in milliseconds. */
const removalTime = 30_000;
const removalPause = 200;
