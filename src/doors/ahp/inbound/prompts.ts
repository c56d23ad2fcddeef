// Prompts: messages that start a turn, wait in the queue, steer a running turn, or are still drafts.
import { isRecord } from '../../../base/isRecord.ts';
import type { UserMessage } from '../../../model/event.ts';
import type { ActionOf } from '../../../protocols/ahp/v1_0/actions.ts';
import type { Message } from '../../../protocols/ahp/v1_0/message.ts';
import { fromMessage } from '../outbound/messages.ts';
import { dispatch, currentChat, dispatchBounded } from './applyAction.ts';
import type { ActionContext } from './applyAction.ts';

/**
 * A client may start what waits in the queue itself; the message then keeps its id and leaves the queue. Our
 * own clients may replace an earlier turn in the same step.
 */
export function startTurn(
  on: ActionContext,
  { turnId, message, queuedMessageId, _meta: ours }: ActionOf<'chat/turnStarted'>,
): string | undefined {
  if (turnId === '') return 'A turn needs an id.';
  if (isEmpty(message)) return emptyMessage;
  const replaces = isRecord(ours) ? ours['replacesTurn'] : undefined;
  return dispatch(on, {
    kind: 'startTurn',
    chat: on.chat,
    turn: turnId,
    message: on.clients.attach(on.client, fromMessage(message, queuedMessageId ?? turnId)),
    ...(typeof replaces === 'string' ? { replaces } : {}),
  });
}

export const emptyMessage = 'The message is empty.';

/** Whether there is nothing to work on: neither words nor attachments. */
export function isEmpty({ text, attachments = [] }: Message): boolean {
  return text.trim() === '' && attachments.length === 0;
}

/** AHP lets the next queued message start; our own clients ask for the queue to wait. */
export function cancelTurn(
  on: ActionContext,
  { turnId, _meta: ours }: ActionOf<'chat/turnCancelled'>,
): string | undefined {
  const holds = isRecord(ours) && ours['holdQueue'] === true;
  return dispatch(on, { kind: 'stopTurn', chat: on.chat, turn: turnId, next: on.host.ids.next(), holds });
}

export function setPending(
  on: ActionContext,
  { kind, id, message }: ActionOf<'chat/pendingMessageSet'>,
): string | undefined {
  if (id === '') return 'A message needs an id.';
  if (isEmpty(message)) return emptyMessage;
  const lane = kind === 'steering' ? 'steer' : 'queue';
  return dispatch(on, {
    kind: 'queueMessage',
    chat: on.chat,
    lane,
    message: on.clients.attach(on.client, fromMessage(message, id)),
    turn: on.host.ids.next(),
  });
}

export function removePending(
  on: ActionContext,
  { kind, id }: ActionOf<'chat/pendingMessageRemoved'>,
): string | undefined {
  const chat = currentChat(on);
  const waits = (kind === 'steering' ? chat?.steering : chat?.queue)?.some((message) => message.id === id);
  return waits
    ? dispatch(on, { kind: 'withdrawMessage', chat: on.chat, message: id })
    : 'That message is no longer queued.';
}

/** Keeps a message that is not sent yet. */
export function changeDraft(on: ActionContext, { draft }: ActionOf<'chat/draftChanged'>): string | undefined {
  return dispatchBounded(on, {
    kind: 'record',
    fact: { kind: 'draft.set', chat: on.chat, draft: draft ? draftOf(draft) : null },
  });
}

function draftOf(message: Message): Omit<UserMessage, 'id'> {
  const { id: _, ...draft } = fromMessage(message, '');
  return draft;
}
