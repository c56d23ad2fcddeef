// How a message leaves: as a new turn when the chat is free, otherwise behind the running one or into it. Nothing written is lost.
import type { Message, PendingMessage } from '../../../src/protocols/ahp/v1_0/message.ts';
import type { ChatState } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../client/channel.ts';
import type { Settlement } from '../../client/channels.ts';
import type { Client } from '../../client/client.ts';
import { freshId } from '../../client/freshId.ts';
import { toast } from '../../state/toasts.ts';
import { draftOf, emptyDraft } from './drafts.ts';
import type { Draft } from './drafts.ts';

export interface Sending {
  readonly client: Client;
  readonly channel: Channel<ChatState>;
}

export function messageOf({ text, attachments, model }: Draft): Message {
  return {
    text,
    origin: { kind: 'user' },
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(model === undefined ? {} : { model: { id: model } }),
  };
}

/** Sends the draft and empties it; puts it back when the host does not take it. */
export async function send(
  { client, channel }: Sending,
  draft: Draft,
  lane: 'turn' | 'steer',
): Promise<void> {
  const keep = draft.model === undefined ? emptyDraft : { ...emptyDraft, model: draft.model };
  draftOf(channel.uri).value = keep;
  const message = messageOf(draft);
  const settlement =
    lane === 'steer'
      ? await pend({ client, channel }, 'steering', message)
      : await ask({ client, channel }, message);
  if (settlement.kind === 'accepted') return;
  const why =
    settlement.kind === 'rejected'
      ? settlement.reason
      : 'The connection was lost before the host confirmed it.';
  toast('problem', `The message was not sent: ${why}`);
  if (draftOf(channel.uri).peek().text === '') draftOf(channel.uri).value = draft;
}

/** A new turn if the chat is free; if somebody was faster, the message waits for its turn instead. */
export async function ask(sending: Sending, message: Message): Promise<Settlement> {
  const { client, channel } = sending;
  if (channel.state.peek()?.activeTurn) return pend(sending, 'queued', message);
  const settlement = await client.dispatch(channel, {
    type: 'chat/turnStarted',
    turnId: freshId(),
    startedAt: new Date().toISOString(),
    message,
  });
  const beaten = settlement.kind === 'rejected' && channel.state.peek()?.activeTurn !== undefined;
  return beaten ? pend(sending, 'queued', message) : settlement;
}

function pend(
  { client, channel }: Sending,
  kind: 'queued' | 'steering',
  message: Message,
): Promise<Settlement> {
  return client.dispatch(channel, { type: 'chat/pendingMessageSet', kind, id: freshId(), message });
}

/** Starts the turn of a message that waits in the queue of an idle chat. */
export function sendNow({ client, channel }: Sending, { id, message }: PendingMessage): Promise<Settlement> {
  return client.dispatch(channel, {
    type: 'chat/turnStarted',
    turnId: freshId(),
    startedAt: new Date().toISOString(),
    message,
    queuedMessageId: id,
  });
}

export async function stop({ client, channel }: Sending): Promise<void> {
  const turn = channel.state.peek()?.activeTurn;
  if (!turn) return;
  const duration = Math.max(0, Date.now() - Date.parse(turn.startedAt)) || 0;
  const settlement = await client.dispatch(channel, {
    type: 'chat/turnCancelled',
    turnId: turn.id,
    duration,
  });
  if (settlement.kind === 'rejected') toast('problem', settlement.reason);
}
