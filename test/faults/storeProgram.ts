// Programs that fault tests start as processes of their own, kill, starve and race: writers of the real log,
// hosts that die or end on a failing disk, and holders of the lock.
import { rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { LogStore } from '../../src/host/session/logStore.ts';
import { summarize } from '../../src/host/session/summary.ts';
import { acquire } from '../../src/io/store/lock.ts';
import { openStore } from '../../src/io/store/sqlite/open.ts';
import type { SqliteStore } from '../../src/io/store/sqlite/sqlite.ts';
import { problemOf } from '../../src/io/store/sqlite/storeError.ts';
import type { Entry, Event, SessionId } from '../../src/model/event.ts';
import { reduce } from '../../src/model/reduce.ts';
import { emptyState } from '../../src/model/state.ts';
import type { State } from '../../src/model/state.ts';
import { openOn } from '../kit/testStore.ts';
import { eventOf } from './writtenEntries.ts';

const programs: { readonly [name: string]: (directory: string) => Promise<void> } = {
  write,
  fill,
  hold,
  pack,
  closeInDoubt,
  stream,
  openAndDie,
};

const [, , program = '', directory = ''] = process.argv;
void programs[program]?.(directory);

/**
 * Writes to three sessions for ever and says which entries are stored: one line
 * `session seq` after each write.
 */
async function write(where: string): Promise<void> {
  const database = process.env['PARLEY_STORE'];
  const store = database === undefined ? await openLocked(where) : await openOn(database, 'the writer');
  const writers = await Promise.all(['one', 'two', 'three'].map((id) => writerOf(store, id)));
  for (let round = 0; ; round += 1) {
    const writer = writers[round % 3];
    if (!writer) continue;
    const streamed = round >= 3 && round % 5 !== 0;
    await writer(1 + (round % 7 === 0 ? 20 : round % 3), streamed ? 'kernel' : 'disk');
    // A process that never lets go of the loop would also never sync in the background.
    if (round % 10 === 0)
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
  }
}

/**
 * Fills the disk, looks at what is left of the store, makes room and goes on. Says what it
 * saw in one line of JSON.
 */
async function fill(where: string): Promise<void> {
  const ballast = join(where, 'ballast');
  writeFileSync(ballast, Buffer.alloc(Number(process.env['BALLAST'] ?? 0)));
  const store = await openStore({ directory: where, report: () => {} });
  const writer = await writerOf(store, 'one');
  // As hosts do, so that the session is in the list before the disk is full.
  await writer(1, 'disk');
  const fillUp = async (sync: 'disk' | 'kernel') => {
    try {
      for (let n = 0; n < 100_000; n += 1) await writer(1 + (n % 5), sync);
      return 'never';
    } catch (error) {
      return problemOf(error);
    }
  };
  const codes = [await fillUp('kernel'), await fillUp('disk'), await fillUp('kernel')];
  const before = await count(store, 'one');
  const listed = store.summaries().length;
  rmSync(ballast);
  let after: string;
  try {
    await writer(5, 'disk');
    await writer(1, 'kernel');
    after = 'works';
  } catch (error) {
    after = problemOf(error);
  }
  const findings = await store.verify();
  say(
    JSON.stringify({
      codes,
      before,
      listed,
      after,
      entries: await count(store, 'one'),
      acknowledged: await writer(0, 'kernel'),
      findings,
    }),
  );
  await store.close();
}

/** Adds a session with a long answer, packs it, and says a word after each step. */
async function pack(where: string): Promise<void> {
  const store = await openLocked(where);
  const session = `packed-${store.summaries().length}`;
  const events: Event[] = [
    { kind: 'session.created', session, agent: 'script', roots: [] },
    ...Array.from({ length: packedPieces }, (_, at) => eventOf(session, at + 2)),
  ];
  let state = emptyState(session);
  const entries = events.map((event): { session: SessionId; entry: Entry } => {
    const { seq } = state;
    const entry = {
      seq: seq + 1,
      pos: store.head() + seq + 1,
      at: seq,
      by: { kind: 'host' } as const,
      event,
    };
    state = reduce(state, entry);
    return { session, entry };
  });
  await store.write({ entries, summaries: [summarize(state)], sync: 'disk' });
  // Every step of the work is followed by a beat.
  const beat = () => {
    say('beat');
    setImmediate(beat);
  };
  const done = store.pack();
  setImmediate(beat);
  await done;
  say('packed');
}

/** Streams an answer, and closes the store after a sync of it and the recovery from that have failed. */
async function closeInDoubt(where: string): Promise<void> {
  const failures: unknown[] = [];
  const store = await openStore({ directory: where, report: (failure) => failures.push(failure) });
  await streamSynced(store);
  const writer = await writerOf(store, 'one');
  await writer(1, 'kernel');
  while (failures.length < 2) await wait(10);
  await store.close();
}

/** Streams an answer, moves it from the file of pieces to the database, and dies. */
async function stream(where: string): Promise<void> {
  const store = await openLocked(where);
  await streamSynced(store);
  await count(store, 'one');
  process.kill(process.pid, 'SIGKILL');
}

/** Dies right after the start. */
async function openAndDie(where: string): Promise<void> {
  await openLocked(where);
  process.kill(process.pid, 'SIGKILL');
}

/** The last pieces are on the disk when it returns, unless that takes unusually long. */
async function streamSynced(store: LogStore): Promise<void> {
  const writer = await writerOf(store, 'one');
  await writer(3, 'disk');
  for (let n = 0; n < 20; n += 1) await writer(1, 'kernel');
  await wait(500);
}

async function hold(where: string): Promise<void> {
  const lock = await acquire(where);
  say('heldBy' in lock ? JSON.stringify(lock.heldBy) : 'held');
  if ('release' in lock) setInterval(() => {}, 60_000);
}

async function openLocked(where: string): Promise<SqliteStore> {
  const lock = await acquire(where);
  if ('heldBy' in lock) throw new Error('Somebody else has the lock.');
  return openStore({
    directory: where,
    report: (problem) => {
      throw problem;
    },
  });
}

/**
 * Appends entries whose text says who and which they are; returns the last sequence number that was stored.
 */
async function writerOf(
  store: LogStore,
  session: SessionId,
): Promise<(count: number, sync: 'disk' | 'kernel') => Promise<number>> {
  const owner = await store.shared?.claim(session);
  if (owner) throw new Error(`${owner.host} has the session.`);
  let state: State = emptyState(session);
  for await (const entry of store.read(session)) state = reduce(state, entry);
  return async (entries, sync) => {
    let next = state;
    const fresh = Array.from({ length: entries }, (): Entry => {
      const seq = next.seq + 1;
      const entry: Entry = {
        seq,
        pos: store.head() + 1 + (seq - state.seq),
        at: seq,
        by: { kind: 'host' },
        event: eventOf(session, seq),
      };
      next = reduce(next, entry);
      return entry;
    });
    if (entries > 0) {
      await store.write({
        entries: fresh.map((entry) => ({ session, entry })),
        summaries: sync === 'disk' ? [summarize(next)] : [],
        sync,
      });
      state = next;
      if (program === 'write') say(`${session} ${state.seq} ${state.pos}`);
    }
    return state.seq;
  };
}

/** Enough for many steps. */
const packedPieces = 6_000;

async function count(store: LogStore, session: SessionId): Promise<number> {
  let entries = 0;
  for await (const entry of store.read(session)) entries += entry.seq > 0 ? 1 : 0;
  return entries;
}

/** Straight to the kernel: what was said before a kill is heard. */
function say(line: string): void {
  writeSync(1, `${line}\n`);
}
