// Sends the user's messages to a chat, and takes back those that wait.
import { randomUUID } from 'node:crypto';
import type { ClientAction } from '../../../protocols/ahp/v1_0/actions.ts';
import type { URI } from '../../../protocols/ahp/v1_0/content.ts';
import type { Message } from '../../../protocols/ahp/v1_0/message.ts';
import type { ChatState } from '../../../protocols/ahp/v1_0/state.ts';
import type { HostClient } from '../../client/hostClient.ts';

type Lane = 'queued' | 'steering';

export interface Outgoing {
  readonly text: string;
  readonly lane: Lane;
  readonly attachments: NonNullable<Message['attachments']>;
  readonly model: string | undefined;
}

export class Messages {
  readonly #link: HostClient;
  readonly #chat: URI;
  readonly #state: () => ChatState | undefined;

  constructor(link: HostClient, chat: URI, state: () => ChatState | undefined) {
    this.#link = link;
    this.#chat = chat;
    this.#state = state;
  }

  /** Starts a turn, or adds to the one that runs. Resolves with the reason of a refusal. */
  async send({ text, lane, attachments, model }: Outgoing): Promise<string | undefined> {
    const isSteering = text.startsWith('!') && this.#state()?.activeTurn !== undefined;
    const message: Message = {
      text: isSteering ? text.slice(1).trim() : text,
      origin: { kind: 'user' },
      ...(attachments.length === 0 ? {} : { attachments: [...attachments] }),
      ...(model === undefined ? {} : { model: { id: model } }),
    };
    const kind = isSteering ? 'steering' : lane;
    const pending: ClientAction = { type: 'chat/pendingMessageSet', kind, id: randomUUID(), message };
    const start: ClientAction = {
      type: 'chat/turnStarted',
      turnId: randomUUID(),
      startedAt: new Date().toISOString(),
      message,
    };
    const refused = await this.#dispatch(this.#state()?.activeTurn ? pending : start);
    // Another client may have been faster.
    return refused !== undefined && this.#state()?.activeTurn ? this.#dispatch(pending) : refused;
  }

  /** Stops the turn. What was queued is taken back, so that nothing starts by itself. */
  async stop(): Promise<{ readonly refused: string | undefined; readonly back: readonly string[] }> {
    const { activeTurn, queuedMessages = [], steeringMessage } = this.#state() ?? {};
    if (!activeTurn) return { refused: undefined, back: [] };
    const pending = [
      ...(steeringMessage ? [{ ...steeringMessage, kind: 'steering' as const }] : []),
      ...queuedMessages.map((queued) => ({ ...queued, kind: 'queued' as const })),
    ];
    const duration = Math.max(0, Date.now() - Date.parse(activeTurn.startedAt)) || 0;
    const back: string[] = [];
    for (const { kind, id, message } of pending)
      if ((await this.#remove(kind, id)) === undefined) back.push(message.text);
    const refused = await this.#dispatch({
      type: 'chat/turnCancelled',
      turnId: activeTurn.id,
      duration,
      _meta: { holdQueue: true },
    });
    return { refused, back };
  }

  /** Takes the last queued message back. */
  async takeBack(): Promise<{ readonly text: string } | { readonly refused: string }> {
    const last = this.#state()?.queuedMessages?.at(-1);
    if (!last) return { refused: 'The queue is empty.' };
    const refused = await this.#remove('queued', last.id);
    return refused === undefined ? { text: last.message.text } : { refused };
  }

  /** Removes a queued message by its place, which begins with 1. */
  async drop(place: number): Promise<string | undefined> {
    const queued = this.#state()?.queuedMessages?.[place - 1];
    return queued ? this.#remove('queued', queued.id) : 'No such message. /queue lists them.';
  }

  #remove(kind: Lane, id: string): Promise<string | undefined> {
    return this.#dispatch({ type: 'chat/pendingMessageRemoved', kind, id });
  }

  #dispatch(action: ClientAction): Promise<string | undefined> {
    return this.#link.dispatch(this.#chat, action);
  }
}
