// Decides how turns start, queue, steer and end.
import { present } from '../base/present.ts';
import { reject } from './command.ts';
import type { Command } from './command.ts';
import type { Decision } from './decide.ts';
import type { Event, TurnId } from './event.ts';
import { findItem, findTurn } from './state.ts';
import type { Chat } from './state.ts';

type Of<K extends Command['kind']> = Extract<Command, { readonly kind: K }>;

export function decideStart(chat: Chat, command: Of<'startTurn'>): Decision {
  const { turn, message, replaces, orQueue = false } = command;
  if (orQueue && isBusy(chat)) return decideQueue(chat, { ...command, kind: 'queueMessage', lane: 'queue' });
  if (chat.active)
    return reject('turn-active', 'A turn is running in this chat; queue the message or stop the turn.');
  if (findTurn(chat, turn)) return reject('already-exists', `Turn ${turn} already exists.`);
  if (replaces === undefined) return [started(chat, turn, message)];
  const at = chat.turns.findIndex(({ id }) => id === replaces);
  if (at < 0) return reject('unknown-turn', 'The message that is replaced does not exist any more.');
  const after = chat.turns[at - 1]?.id;
  return [{ kind: 'chat.truncated', chat: chat.id, ...present({ after }) }, started(chat, turn, message)];
}

export function decideQueue(chat: Chat, { lane, message, turn }: Of<'queueMessage'>): Decision {
  const other = lane === 'queue' ? chat.steering : chat.queue;
  if (other.some(({ id }) => id === message.id))
    return reject('invalid', 'That message is already queued in the other lane.');
  const queued: Event = { kind: 'message.queued', chat: chat.id, lane, message };
  const known = chat.queue.some(({ id }) => id === message.id);
  const runsNow = lane === 'queue' && !chat.active && !known && !findTurn(chat, turn);
  return runsNow ? [queued, { ...started(chat, turn, chat.queue[0] ?? message), queued: true }] : [queued];
}

export function decideSteering(chat: Chat, { turn }: Of<'takeSteering'>): Decision {
  if (chat.active?.id !== turn) return reject('no-turn', 'That turn is not running.');
  return chat.steering.map((message) => ({ kind: 'message.steered', chat: chat.id, turn, message }));
}

/**
 * Ends a turn and starts the next message: after a completed or stopped turn it runs immediately,
 * after a failed or interrupted one the queue is held, so that a broken provider does not consume
 * every queued message. A user who stops a turn may hold the queue too. A subagent works only for its parent,
 * so it takes what was left over with its next task.
 */
export function decideEnd(chat: Chat, { turn, outcome, next, holds = false }: Of<'endTurn'>): Decision {
  if (chat.active?.id !== turn) return reject('no-turn', 'That turn is not running.');
  const ended: Event = { kind: 'turn.ended', chat: chat.id, turn, outcome };
  const goesOn =
    !holds && chat.origin.type !== 'tool' && (outcome.kind === 'completed' || outcome.kind === 'cancelled');
  const message = chat.steering[0] ?? chat.queue[0];
  return goesOn && message && !findTurn(chat, next)
    ? [ended, { ...started(chat, next, message), queued: true }]
    : [ended];
}

/** Only the last turn can be continued, and only if nothing has happened since. */
export function decideResume(chat: Chat, { turn }: Of<'resumeTurn'>): Decision {
  if (chat.active) return reject('turn-active', 'A turn is running in this chat.');
  const last = chat.turns.at(-1);
  if (last?.id !== turn) return reject('unknown-turn', 'Only the last turn can be continued.');
  const broken = last.outcome.kind === 'failed' || last.outcome.kind === 'interrupted';
  return broken
    ? [{ kind: 'turn.resumed', chat: chat.id, turn }]
    : reject('wrong-state', 'That turn ended normally and cannot be continued.');
}

export function decideTruncate(chat: Chat, { after }: Of<'truncateChat'>): Decision {
  if (after !== undefined && !chat.turns.some(({ id }) => id === after))
    return reject('unknown-turn', 'The turn to go back to does not exist.');
  const end: readonly Event[] = chat.active
    ? [{ kind: 'turn.ended', chat: chat.id, turn: chat.active.id, outcome: { kind: 'cancelled' } }]
    : [];
  return [...end, { kind: 'chat.truncated', chat: chat.id, ...(after === undefined ? {} : { after }) }];
}

export function decideCompact(chat: Chat, { summary, after, item, trigger }: Of<'compactChat'>): Decision {
  const turn = findTurn(chat, after);
  if (!turn) return reject('unknown-turn', 'The turn to summarise up to does not exist.');
  if (item !== undefined && !findItem(turn, item)) return reject('invalid', 'That turn has no such item.');
  return [{ kind: 'chat.compacted', chat: chat.id, summary, after, ...present({ item, trigger }) }];
}

/** Whether a message of a user has to wait. */
function isBusy({ active, queue }: Chat): boolean {
  return active !== undefined || queue.length > 0;
}

function started(
  chat: Chat,
  turn: TurnId,
  message: Of<'startTurn'>['message'],
): Extract<Event, { kind: 'turn.started' }> {
  return { kind: 'turn.started', chat: chat.id, turn, message, queued: false };
}
