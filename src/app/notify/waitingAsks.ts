// Follows the asks that wait for a person in the sessions that are open.
import type { Host } from '../../host/host.ts';
import type { AskId, ChatId, SessionId } from '../../model/event.ts';
import type { State } from '../../model/state.ts';

/** Which ask waits. */
export interface WaitingAsk {
  readonly session: SessionId;
  readonly chat: ChatId;
  readonly ask: AskId;
}

export interface NewAsk extends WaitingAsk {
  readonly isApproval: boolean;
}

/** Calls back once for each ask, and returns what ends it. */
export function followAsks(host: Host, opened: (ask: NewAsk) => void): () => void {
  const told = new Map<SessionId, ReadonlySet<AskId>>();
  return host.follow((change) => {
    if (change.kind === 'removed' && change.old) told.delete(change.old.id);
    if (change.kind !== 'changed' && change.kind !== 'added') return;
    const session = host.opened(change.summary.id);
    // The host that owns a session tells of its asks.
    if (!session || session.owner !== undefined) return;
    const { state } = session;
    const open = openAsks(state);
    const known = told.get(state.id);
    if (open.length > 0) told.set(state.id, new Set(open.map(({ ask }) => ask)));
    else told.delete(state.id);
    for (const each of open) if (!known?.has(each.ask)) opened(each);
  });
}

function openAsks(state: State): readonly NewAsk[] {
  return Object.values(state.chats).flatMap(({ id: chat, asks }) =>
    Object.values(asks).map(({ ask }) => ({
      session: state.id,
      chat,
      ask: ask.id,
      isApproval: ask.kind === 'approval',
    })),
  );
}
