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
import { draftOf, editOf, emptyDraft, isReady } from './drafts.ts';
import type { MessageDraft, MessageEdit } from './drafts.ts';

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

/** Sends what is written in the composer, if it is ready; with no turn running `steer` is a turn, too. */
export async function sendWritten(target: ChatTarget, wanted: 'turn' | 'steer'): Promise<void> {
  const { uri, state } = target.channel;
  const edit = editOf(uri).peek();
  const draft = (edit?.draft ?? draftOf(uri)).peek();
  if (!isReady(draft)) return;
  if (edit) return sendEdit(target, edit);
  return sendDraft(target, draft, state.peek()?.activeTurn ? wanted : 'turn');
}

/**
 * Sends the draft with the model that is shown, and clears it; restores it if the host does not accept the
 * message.
 */
async function sendDraft(target: ChatTarget, draft: MessageDraft, lane: 'turn' | 'steer'): Promise<void> {
  const current = draftOf(target.channel.uri);
  current.value = { ...emptyDraft, ...present({ model: choosesModel(draft) ? undefined : draft.model }) };
  const model = draft.model ?? shownModel(target.channel);
  const message = messageOf({ ...draft, ...present({ model }) });
  const settlement =
    lane === 'steer' ? await addPending(target, 'steering', message) : await sendMessage(target, message);
  if (wasSent(settlement)) return;
  if (current.peek().text === '') current.value = draft;
}

/** Says why a message was not sent. */
function wasSent(settlement: Settlement): boolean {
  if (settlement.kind === 'accepted') return true;
  const reason =
    settlement.kind === 'rejected'
      ? settlement.reason
      : 'The connection was lost before the host confirmed it.';
  toast('problem', `The message was not sent: ${reason}`);
  return false;
}

/** Sends an edited message in place of its turn and all after it; nothing is gone until the host accepts. */
async function sendEdit(target: ChatTarget, given: MessageEdit): Promise<void> {
  const edit = editOf(target.channel.uri);
  edit.value = undefined;
  const draft = given.draft.peek();
  const model = draft.model ?? shownModel(target.channel);
  const message = messageOf({ ...draft, ...present({ model }) });
  if (!wasSent(await replaceTurn(target, given.turnId, message))) edit.value ??= given;
}

async function replaceTurn(target: ChatTarget, turnId: string, message: Message): Promise<Settlement> {
  const { client, channel } = target;
  startedHere.value = { chat: channel.uri };
  const start = {
    type: 'chat/turnStarted' as const,
    turnId: freshId(),
    startedAt: new Date().toISOString(),
    message,
  };
  // Our host does both in one step.
  if (client.access.peek() !== undefined)
    return client.dispatch(channel, { ...start, _meta: { replacesTurn: turnId } });
  const truncated = await truncateBefore(target, turnId);
  return truncated.kind === 'accepted' ? client.dispatch(channel, start) : truncated;
}

/** Drops the turn and all after it. */
export async function truncateBefore(target: ChatTarget, turnId: string): Promise<Settlement> {
  const { client, channel } = target;
  const turns = () => channel.state.peek()?.turns ?? [];
  const cursor = channel.state.peek()?.turnsNextCursor;
  // Going back to no turn would drop those that are not loaded, too.
  if (turns()[0]?.id === turnId && cursor !== undefined)
    await client.request('fetchTurns', { channel: channel.uri, cursor }).catch(() => undefined);
  const at = turns().findIndex(({ id }) => id === turnId);
  if (at < 0) return { kind: 'rejected', reason: 'The message does not exist any more.' };
  if (at === 0 && channel.state.peek()?.turnsNextCursor !== undefined)
    return { kind: 'rejected', reason: 'The turns before it could not be loaded.' };
  const before = turns()[at - 1]?.id;
  return client.dispatch(channel, { type: 'chat/truncated', ...present({ turnId: before }) });
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
