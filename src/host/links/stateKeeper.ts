// Stores states of sessions that grow, where several hosts use one store: whoever takes a session over then
// reads only the entries since.
import type { LogPorts, EarlierState } from '../session/logStore.ts';
import { keepBefore } from '../session/foldLog.ts';
import type { Session, Step } from '../session/session.ts';

export interface StateKeeperOptions extends Pick<LogPorts, 'store'> {
  /** Whether this host owns the session now. */
  readonly isOurs: () => boolean;
  /** The states before the last turns, as far as they are known. */
  readonly earlier: readonly EarlierState[];
}

/** Fewer new entries than this are read at once. */
const fewEntries = 500;

/** A new state is stored when the session has grown by this part. */
const growth = 1 / 8;

/** Follows a session as long as it is open, and stores its states after turns. */
export function keepStates(session: Session, { store, isOurs, earlier }: StateKeeperOptions): void {
  const { states, shared } = store;
  if (!states || !shared) return;
  const before = [...earlier];
  let at: number | undefined;
  // What is older was read from what is stored.
  let stored = session.state.seq;
  const follow = ({ entry, before: state, after }: Step) => {
    keepBefore(entry, { state, at }, before);
    ({ at } = entry);
    if (entry.event.kind !== 'turn.ended' || after.seq < stored + Math.max(fewEntries, stored * growth))
      return;
    stored = after.seq;
    if (isOurs()) void states.write({ state: after, at, earlier: [...before] });
  };
  session.follow((steps) => steps.forEach(follow), 'host');
}
