// The state of a session, folded from its log.
import type { Entry, SessionId } from '../../model/event.ts';
import { reduce } from '../../model/reduce.ts';
import { emptyState } from '../../model/state.ts';
import type { State } from '../../model/state.ts';
import { entriesAround } from './damagedLog.ts';
import { LogDamage, LogNewer } from './logStore.ts';
import type { EarlierState, LogPorts, StoredState } from './logStore.ts';
import { newerTitle } from './summary.ts';

export interface FoldedLog {
  readonly state: State;
  /** The first damage; the state leaves out what could not be read. */
  readonly unreadable: LogDamage | undefined;
  /** What is stored, or is about to be; undefined if the log cannot be read whole. */
  readonly stored?: StoredPart;
}

/** How much of a session need not be read from its log. */
export interface StoredPart {
  /** The last entry of the stored state; 0 if there is none. */
  readonly seq: number;
  /** The states before the last turns, also later ones. */
  readonly earlier: readonly EarlierState[];
}

/** Reading more entries than this takes a time that people notice. */
const longLog = 2_000;

/** Who comes back after so many turns is told the whole chat again anyway. */
export const keptTurns = 20;

export async function foldLog({ store }: Pick<LogPorts, 'store'>, id: SessionId): Promise<FoldedLog> {
  try {
    const { state, earlier, entries, from } = await fold(store, id, {});
    const last = store.states && entries > longLog ? await entryAt(store, id, state.seq) : undefined;
    if (last) void store.states?.write({ state, at: last.at, earlier });
    return { state, unreadable: undefined, stored: { seq: last ? state.seq : from, earlier } };
  } catch (error) {
    if (!(error instanceof LogDamage)) throw error;
  }
  let state = emptyState(id);
  let unreadable: LogDamage | undefined;
  const damaged = (damage: LogDamage) => (unreadable ??= damage);
  for await (const entry of entriesAround(store, id, damaged)) state = reduce(state, entry);
  return {
    state: unreadable instanceof LogNewer ? { ...state, title: newerTitle(state.title) } : state,
    unreadable,
  };
}

export interface FoldOptions {
  readonly isBehind?: (at: LogPoint) => boolean;
  /** An earlier state of the session, which is not behind the point. */
  readonly from?: State | undefined;
}

/** A place in a log: that of an entry, or of the last entry of a state. */
export type LogPoint = Pick<Entry, 'seq' | 'pos'>;

/**
 * The state of a session before the first entry that is behind a point of its log; the newest state if none
 * is. Throws LogDamage.
 */
export async function foldUntil(
  store: LogPorts['store'],
  id: SessionId,
  options: FoldOptions = {},
): Promise<State> {
  return (await fold(store, id, options)).state;
}

interface Folded extends Required<Pick<StoredState, 'state' | 'earlier'>> {
  /** How many entries were read for it. */
  readonly entries: number;
  /** The last entry that was not read. */
  readonly from: number;
}

async function fold(
  store: LogPorts['store'],
  id: SessionId,
  { isBehind = () => false, from }: FoldOptions,
): Promise<Folded> {
  const stored = from ? undefined : await storedState(store, id, isBehind);
  const begin = from ?? stored?.state ?? emptyState(id);
  let state = begin;
  let at = stored?.at;
  const earlier = [...(stored?.earlier ?? [])];
  let entries = 0;
  // Most of a log is pieces of streams; merged ones are folded many times faster.
  for (const merged of ['merged', undefined] as const) {
    let isWhole = true;
    for await (const entry of store.read(id, state.seq, merged)) {
      isWhole = !isBehind(entry);
      if (!isWhole) break;
      keepBefore(entry, { state, at }, earlier);
      state = reduce(state, entry);
      ({ at } = entry);
      entries += 1;
    }
    // Some pieces of a merged entry may be before the point.
    if (isWhole) break;
  }
  return { state, earlier, entries, from: begin.seq };
}

/** Keeps the states before the last turns. */
export function keepBefore(
  { event }: Entry,
  { state, at }: { readonly state: State; readonly at: number | undefined },
  earlier: EarlierState[],
): void {
  if (event.kind !== 'turn.started' || at === undefined) return;
  earlier.push({ seq: state.seq, pos: state.pos, at, read: () => state });
  if (earlier.length > keptTurns) earlier.shift();
}

/** The stored state, or one before its last turns: the newest that is not behind the point. */
async function storedState(
  store: LogPorts['store'],
  id: SessionId,
  isBehind: (at: LogPoint) => boolean,
): Promise<StoredState | undefined> {
  const stored = await store.states?.read(id);
  const last = stored && (await entryOf(store, id, { ...stored.state, at: stored.at }));
  if (!last) return undefined;
  if (!isBehind(last)) return stored;
  const earlier = stored.earlier?.findLast((each) => !isBehind(each));
  if (!earlier || !(await entryOf(store, id, earlier))) return undefined;
  const state = earlier.read();
  return state && { state, at: earlier.at };
}

/** The last entry of a stored state, if the log still has it. */
async function entryOf(
  store: LogPorts['store'],
  id: SessionId,
  { seq, pos, at }: Omit<EarlierState, 'read'>,
): Promise<Entry | undefined> {
  const entry = await entryAt(store, id, seq);
  // A log that was replaced by an older copy may use a position again, but not at the same time.
  return entry?.pos === pos && entry.at === at ? entry : undefined;
}

async function entryAt(store: LogPorts['store'], id: SessionId, seq: number): Promise<Entry | undefined> {
  for await (const entry of store.read(id, seq - 1, 'one')) return entry.seq === seq ? entry : undefined;
  return undefined;
}
