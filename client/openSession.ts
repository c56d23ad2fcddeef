// One session that is followed live.
import type { Message } from '../src/protocols/ahp/v1_0/message.ts';
import type { ChatState, SessionState } from '../src/protocols/ahp/v1_0/state.ts';
import { findSummary } from './connection/catalogue.ts';
import type { Channel } from './connection/channel.ts';
import type { Settlement } from './connection/channels.ts';
import type { Client } from './connection/client.ts';
import { freshId } from './connection/freshId.ts';
import type { Approval, Question, Session, SessionInfo, Turn, TurnRecord, Unsubscribe } from './api.ts';
import { OpenTurn } from './openTurn.ts';
import { sessionInfo } from './sessionInfo.ts';
import { turnRecord } from './turnEvents.ts';
import { waitingPart } from './waiting.ts';
import type { SendAnswer } from './waiting.ts';

interface SessionChannels {
  readonly session: Channel<SessionState>;
  readonly chat: Channel<ChatState>;
}

export class OpenSession implements Session {
  readonly id: string;
  readonly #client: Client;
  readonly #channels: SessionChannels;
  readonly #model: string | undefined;
  readonly #turns = new Set<OpenTurn>();
  readonly #unwatch: Unsubscribe;

  constructor(
    id: string,
    client: Client,
    options: SessionChannels & { readonly model?: string | undefined },
  ) {
    this.id = id;
    this.#client = client;
    this.#channels = options;
    this.#model = options.model;
    this.#unwatch = options.chat.state.subscribe((state) => {
      if (!state) return;
      for (const turn of [...this.#turns]) if (turn.follow(state)) this.#turns.delete(turn);
    });
  }

  info(): SessionInfo | undefined {
    const summary = findSummary(this.#client.sessions.value, this.#channels.session.uri);
    return summary && sessionInfo(summary);
  }

  turns(): readonly TurnRecord[] {
    const { turns = [], activeTurn } = this.#channels.chat.state.value ?? {};
    return [...turns, ...(activeTurn ? [activeTurn] : [])].map(turnRecord);
  }

  waiting(): readonly (Approval | Question)[] {
    const parts = this.#channels.chat.state.value?.activeTurn?.responseParts ?? [];
    return parts.flatMap((part) => waitingPart(part, this.#answer) ?? []);
  }

  prompt(text: string): Turn {
    const turn = new OpenTurn(freshId(), this.#answer);
    this.#turns.add(turn);
    const startedAt = new Date().toISOString();
    void this.#dispatch({
      type: 'chat/turnStarted',
      turnId: turn.id,
      startedAt,
      message: this.#message(text),
    }).catch((error: unknown) => {
      this.#turns.delete(turn);
      turn.fail(error instanceof Error ? error : new Error(String(error)));
    });
    return turn;
  }

  queue(text: string): Promise<void> {
    return this.#pending('queued', text);
  }

  steer(text: string): Promise<void> {
    return this.#pending('steering', text);
  }

  async stop(): Promise<void> {
    const turn = this.#channels.chat.state.value?.activeTurn;
    if (turn) await this.#dispatch({ type: 'chat/turnCancelled', turnId: turn.id, duration: 0 });
  }

  async setPermissions(mode: string): Promise<void> {
    check(
      await this.#client.dispatch(this.#channels.session, {
        type: 'session/configChanged',
        config: { permissions: mode },
      }),
    );
  }

  onChange(listener: () => void): Unsubscribe {
    return this.#channels.chat.state.subscribe(() => listener());
  }

  close(): void {
    this.#unwatch();
    for (const turn of this.#turns) turn.fail(new Error('The session was closed.'));
    this.#turns.clear();
    this.#client.release(this.#channels.chat);
    this.#client.release(this.#channels.session);
  }

  readonly #answer: SendAnswer = (action) =>
    this.#dispatch(action(this.#channels.chat.state.value?.activeTurn?.id ?? ''));

  #pending(kind: 'queued' | 'steering', text: string): Promise<void> {
    return this.#dispatch({
      type: 'chat/pendingMessageSet',
      kind,
      id: freshId(),
      message: this.#message(text),
    });
  }

  #message(text: string): Message {
    const model = this.#model === undefined ? {} : { model: { id: this.#model } };
    return { text, origin: { kind: 'user' }, ...model };
  }

  async #dispatch(action: Parameters<Client['dispatch']>[1]): Promise<void> {
    check(await this.#client.dispatch(this.#channels.chat, action));
  }
}

function check(settlement: Settlement): void {
  if (settlement.kind === 'rejected') throw new Error(settlement.reason);
  if (settlement.kind === 'unconfirmed')
    throw new Error('The host did not confirm it. Check before you repeat it.');
}
