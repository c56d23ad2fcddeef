// The state of a session, folded from its log.
import type { Entry, SessionId } from '../../model/event.ts';
import { reduce } from '../../model/reduce.ts';
import { emptyState } from '../../model/state.ts';
import type { State } from '../../model/state.ts';
import { entriesAround } from './damagedLog.ts';
import { LogDamage, LogNewer } from './logStore.ts';
import type { LogPorts } from './logStore.ts';
import { newerTitle } from './summary.ts';

export interface FoldedLog {
  readonly state: State;
  /** The first damage; the state leaves out what could not be read. */
  readonly unreadable: LogDamage | undefined;
}

export async function foldLog({ store }: Pick<LogPorts, 'store'>, id: SessionId): Promise<FoldedLog> {
  try {
    return { state: await foldUntil(store, id), unreadable: undefined };
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

/**
 * The state of a session before the first entry that is behind a point of its log; the newest state if none
 * is. Throws LogDamage.
 */
export async function foldUntil(
  store: LogPorts['store'],
  id: SessionId,
  isBehind: (entry: Entry) => boolean = () => false,
): Promise<State> {
  let state = emptyState(id);
  // Most of a log is pieces of streams; merged ones are folded many times faster.
  for (const merged of ['merged', undefined] as const) {
    let isWhole = true;
    for await (const entry of store.read(id, state.seq, merged)) {
      isWhole = !isBehind(entry);
      if (!isWhole) break;
      state = reduce(state, entry);
    }
    // Some pieces of a merged entry may be before the point.
    if (isWhole) break;
  }
  return state;
}
