// Stores states of sessions that grow, where several hosts use one store: whoever takes a session over then
// reads only the entries since.
import { keepBefore } from '../session/foldLog.ts';
import type { StoredPart } from '../session/foldLog.ts';
import type { LogPorts } from '../session/logStore.ts';
import type { Session, Step } from '../session/session.ts';

export interface StateKeeperOptions extends Pick<LogPorts, 'store'> {
  /** Whether this host owns the session now. */
  readonly isOurs: () => boolean;
  /** What is stored already. */
  readonly stored?: StoredPart | undefined;
}

/** Fewer new entries than this are read at once. */
const fewEntries = 500;

/** A new state is stored when the session has grown by this part. */
const growth = 1 / 8;

/** Follows a session as long as it is open, and stores its states after turns. */
export function keepStates(session: Session, { store, isOurs, stored }: StateKeeperOptions): void {
  const { states, shared } = store;
  if (!states || !shared) return;
  const before = [...(stored?.earlier ?? [])];
  let at: number | undefined;
  let last = stored?.seq ?? 0;
  const follow = ({ entry, before: state, after }: Step) => {
    keepBefore(entry, { state, at }, before);
    ({ at } = entry);
    const isDue =
      entry.event.kind === 'turn.ended' && after.seq >= last + Math.max(fewEntries, last * growth);
    if (!isDue || !isOurs()) return;
    last = after.seq;
    void states.write({ state: after, at, earlier: [...before] });
  };
  session.follow((steps) => steps.forEach(follow), 'host');
}
