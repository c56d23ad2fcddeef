// Sends messages: as a new turn if the chat is idle, else queued or as steering. A message that is not
// accepted becomes the draft again.
import { signal } from '@preact/signals';
import { present } from '../../../src/base/present.ts';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { Message, PendingMessage } from '../../../src/protocols/ahp/v1_0/message.ts';
import type { ChatState, SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../../client/connection/channel.ts';
import type { Settlement } from '../../../client/connection/channels.ts';
import type { Client } from '../../../client/connection/client.ts';
import { freshId } from '../../../client/connection/freshId.ts';
import { toast } from '../../state/toasts.ts';
import { draftOf, emptyDraft } from './drafts.ts';
import type { MessageDraft } from './drafts.ts';

/** The chat in which the last turn was started from this page; its transcript shows it. */
export const startedHere = signal<{ readonly chat: URI } | undefined>(undefined);

export interface ChatTarget {
  readonly client: Client;
  readonly channel: Channel<ChatState>;
}

export function messageOf({ text, attachments, model }: MessageDraft): Message {
  return {
    text,
    origin: { kind: 'user' },
    ...present({
      attachments: attachments.length === 0 ? undefined : attachments,
      model: model === undefined ? undefined : { id: model },
    }),
  };
}

/**
 * The model that a chat shows where the draft names none. A command that chooses a model for the session
 * outdates what earlier messages named.
 */
export function lastModel({ activeTurn, turns }: ChatState): string | undefined {
  const messages = [...turns, ...(activeTurn ? [activeTurn] : [])].map(({ message }) => message);
  const last = messages.findLast((message) => message.model ?? choosesModel(message));
  return last && !choosesModel(last) ? last.model?.id : undefined;
}

function choosesModel({ text }: Pick<Message, 'text'>): boolean {
  return /^\/model\s+\S/.test(text);
}

/** The model that was chosen for the whole session, as our host tells it. */
export function chosenModel({ _meta: ours }: SessionState): string | undefined {
  const model = ours?.['model'];
  return typeof model === 'string' ? model : undefined;
}

function shownModel({ state }: Channel<ChatState>): string | undefined {
  const chat = state.peek();
  return chat && lastModel(chat);
}

/**
 * Sends the draft with the model that is shown, and clears it; restores it if the host does not accept the
 * message.
 */
export async function sendDraft(
  target: ChatTarget,
  draft: MessageDraft,
  lane: 'turn' | 'steer',
): Promise<void> {
  const current = draftOf(target.channel.uri);
  current.value = { ...emptyDraft, ...present({ model: choosesModel(draft) ? undefined : draft.model }) };
  const model = draft.model ?? shownModel(target.channel);
  const message = messageOf({ ...draft, ...present({ model }) });
  const settlement =
    lane === 'steer' ? await addPending(target, 'steering', message) : await sendMessage(target, message);
  if (settlement.kind === 'accepted') return;
  const reason =
    settlement.kind === 'rejected'
      ? settlement.reason
      : 'The connection was lost before the host confirmed it.';
  toast('problem', `The message was not sent: ${reason}`);
  if (current.peek().text === '') current.value = draft;
}

/**
 * Starts a turn if the chat is idle; queues the message if a turn is running or another client was faster.
 * A message without a model goes to the one that the chat shows.
 */
export async function sendMessage(target: ChatTarget, wanted: Message): Promise<Settlement> {
  const { client, channel } = target;
  const shown = draftOf(channel.uri).peek().model ?? shownModel(channel);
  const message = shown === undefined ? wanted : { model: { id: shown }, ...wanted };
  if (channel.state.peek()?.activeTurn) return addPending(target, 'queued', message);
  startedHere.value = { chat: channel.uri };
  const settlement = await client.dispatch(channel, {
    type: 'chat/turnStarted',
    turnId: freshId(),
    startedAt: new Date().toISOString(),
    message,
  });
  const otherWasFaster = settlement.kind === 'rejected' && channel.state.peek()?.activeTurn !== undefined;
  return otherWasFaster ? addPending(target, 'queued', message) : settlement;
}

function addPending(
  { client, channel }: ChatTarget,
  kind: 'queued' | 'steering',
  message: Message,
): Promise<Settlement> {
  return client.dispatch(channel, { type: 'chat/pendingMessageSet', kind, id: freshId(), message });
}

/** Sends a message to the running turn; whether the host has taken it. */
export async function steer(target: ChatTarget, message: Message): Promise<boolean> {
  if (message.text.trim() === '') return false;
  const settlement = await addPending(target, 'steering', message);
  if (settlement.kind === 'rejected') toast('problem', `The message was not sent: ${settlement.reason}`);
  return settlement.kind === 'accepted';
}

/** Starts a turn with a queued message of an idle chat. */
export function startQueued(
  { client, channel }: ChatTarget,
  { id, message }: PendingMessage,
): Promise<Settlement> {
  return client.dispatch(channel, {
    type: 'chat/turnStarted',
    turnId: freshId(),
    startedAt: new Date().toISOString(),
    message,
    queuedMessageId: id,
  });
}

export async function stopTurn({ client, channel }: ChatTarget): Promise<void> {
  const turn = channel.state.peek()?.activeTurn;
  if (!turn) return;
  const duration = Math.max(0, Date.now() - Date.parse(turn.startedAt)) || 0;
  const settlement = await client.dispatch(channel, {
    type: 'chat/turnCancelled',
    turnId: turn.id,
    duration,
    // Who stops does not want the next message to start.
    _meta: { holdQueue: true },
  });
  if (settlement.kind === 'rejected') toast('problem', settlement.reason);
}

/** Moves a queued message to the running turn. */
export async function steerQueued(target: ChatTarget, { id, message }: PendingMessage): Promise<void> {
  const { client, channel } = target;
  const removed = await client.dispatch(channel, { type: 'chat/pendingMessageRemoved', kind: 'queued', id });
  if (removed.kind !== 'accepted') return;
  const settlement = await addPending(target, 'steering', message);
  if (settlement.kind === 'rejected') toast('problem', settlement.reason);
}
