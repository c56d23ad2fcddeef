// What clients see of turns that a failed write has cut off, until their end can be stored.
import type { Entry } from '../../model/event.ts';
import { reduce } from '../../model/reduce.ts';
import { NotStored, isTakenOver } from './logStore.ts';
import type { Session, Step } from './session.ts';

/**
 * The ends of the running turns as steps that no log holds: the session stores the real ends later. They
 * have the position of the last stored entry, so that no client takes them for something new. A session that
 * another host has taken over shows nothing more here: that host stores how its turns end.
 */
export function cutTurns({ state }: Session, cause: unknown): readonly Step[] {
  if (isTakenOver(cause)) return [];
  const problem = { code: 'storage', message: new NotStored(cause).message };
  return Object.values(state.chats).flatMap(({ id, active }) => {
    if (!active) return [];
    const entry: Entry = {
      seq: state.seq + 1,
      pos: state.pos,
      at: state.modifiedAt,
      by: { kind: 'host' },
      event: { kind: 'turn.ended', chat: id, turn: active.id, outcome: { kind: 'failed', problem } },
    };
    return [{ entry, before: state, after: reduce(state, entry) }];
  });
}
