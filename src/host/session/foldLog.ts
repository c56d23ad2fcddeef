// The state of a session, folded from its log.
import type { SessionId } from '../../model/event.ts';
import { reduce } from '../../model/reduce.ts';
import { emptyState } from '../../model/state.ts';
import type { State } from '../../model/state.ts';
import { entriesAround } from './damagedLog.ts';
import { LogNewer } from './logStore.ts';
import type { LogDamage, LogPorts } from './logStore.ts';
import { newerTitle } from './summary.ts';

export interface FoldedLog {
  readonly state: State;
  /** The first damage; the state leaves out what could not be read. */
  readonly unreadable: LogDamage | undefined;
}

export async function foldLog({ store }: Pick<LogPorts, 'store'>, id: SessionId): Promise<FoldedLog> {
  let state = emptyState(id);
  let unreadable: LogDamage | undefined;
  const damaged = (damage: LogDamage) => (unreadable ??= damage);
  for await (const entry of entriesAround(store, id, damaged)) state = reduce(state, entry);
  return {
    state: unreadable instanceof LogNewer ? { ...state, title: newerTitle(state.title) } : state,
    unreadable,
  };
}
