// Messages that wait, on the channel of their chat: the queue, and the one place where AHP
// shows what steers a turn.
import type { Step } from '../../../../host/session/session.ts';
import type { EventOf, UserMessage } from '../../../../model/event.ts';
import type { Chat } from '../../../../model/state.ts';
import type { StateAction } from '../../../../protocols/ahp/v1_0/actions.ts';
import { chatOf } from '../../outbound/chat.ts';
import { toMessage } from '../../outbound/messages.ts';
import { echo, on } from './outgoingAction.ts';
import type { TargetedAction } from './outgoingAction.ts';

/** Our steering is a list and AHP has one place for it, which shows the newest. */
export function messageQueued(
  { chat: id, lane, message }: EventOf<'message.queued'>,
  { after }: Step,
): readonly TargetedAction[] {
  const chat = chatOf(after, id);
  const set = echo(id, pendingSet(lane, message));
  return chat && lane === 'steer' ? [set, ...slotChange(chat, message)] : [set];
}

export function messageRemoved(
  { chat: id, message }: EventOf<'message.removed'>,
  step: Step,
): readonly TargetedAction[] {
  const [old, chat] = [chatOf(step.before, id), chatOf(step.after, id)];
  if (!old || !chat) return [];
  const steered = old.steering.some((waiting) => waiting.id === message);
  const removed = echo(id, {
    type: 'chat/pendingMessageRemoved',
    kind: steered ? 'steering' : 'queued',
    id: message,
  });
  const slot = old.steering.at(-1);
  return [removed, ...slotChange(chat, slot?.id === message ? undefined : slot)];
}

/** Puts what steers now into the place where `shown` stands. */
export function slotChange(chat: Chat, shown: UserMessage | undefined): readonly TargetedAction[] {
  const slot = chat.steering.at(-1);
  if (slot === shown) return [];
  if (slot) return [on(chat.id, pendingSet('steer', slot))];
  return shown ? [on(chat.id, { type: 'chat/pendingMessageRemoved', kind: 'steering', id: shown.id })] : [];
}

function pendingSet(lane: 'queue' | 'steer', message: UserMessage): StateAction {
  return {
    type: 'chat/pendingMessageSet',
    kind: lane === 'steer' ? 'steering' : 'queued',
    id: message.id,
    message: toMessage(message),
  };
}
