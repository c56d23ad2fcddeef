// The prompts of one client in one chat that wait for the end of their turn.
import type { Session } from '../../../host/session/session.ts';
import type { ChatId, MessageId, Origin, Outcome, Usage, UserMessage } from '../../../model/event.ts';
import type { PromptResponse } from '../../../protocols/acp/v1/messages.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import { explainLoss, rejectionError } from '../errors.ts';
import { promptUsage } from '../unstable/usage.ts';

export interface PromptContext {
  readonly session: Session;
  readonly chat: ChatId;
  readonly origin: () => Origin;
  readonly nextId: () => string;
}

interface Waiting {
  resolve(result: PromptResponse): void;
  reject(error: unknown): void;
}

export class WaitingPrompts {
  readonly #context: PromptContext;
  readonly #waiting = new Map<MessageId, Waiting>();

  constructor(context: PromptContext) {
    this.#context = context;
  }

  has(message: MessageId): boolean {
    return this.#waiting.has(message);
  }

  /** Waits for the end of the turn of a message. */
  wait(message: MessageId): Promise<PromptResponse> {
    return new Promise<PromptResponse>((resolve, reject) => this.#waiting.set(message, { resolve, reject }));
  }

  /** Starts a turn, or queues the message behind others. Resolves when the turn of this message has ended. */
  async send(message: UserMessage): Promise<PromptResponse> {
    const { session, chat: id, origin, nextId } = this.#context;
    const answer = this.wait(message.id);
    const chat = session.head.chats[id];
    const idle = chat && !chat.active && chat.queue.length === 0;
    const rejection = session.dispatch(
      idle
        ? { kind: 'startTurn', chat: id, turn: nextId(), message, orQueue: true }
        : { kind: 'queueMessage', lane: 'queue', chat: id, turn: nextId(), message },
      origin(),
    );
    if (rejection) this.#settle(message.id, rejectionError(rejection, id));
    else session.settled().catch((error: unknown) => this.#fail(message.id, explainLoss(error)));
    return answer;
  }

  /** True if a prompt of this client waited for the turn. */
  ended(message: MessageId, outcome: Outcome, usage: Usage | undefined): boolean {
    const { session, chat } = this.#context;
    if (session.head.chats[chat]?.held) this.#giveUpQueued();
    const result = resultOf(outcome);
    return this.#settle(message, result instanceof RpcError ? result : { ...result, ...promptUsage(usage) });
  }

  withdrawn(message: MessageId): boolean {
    return this.#settle(message, cancelled);
  }

  /** Ends one prompt: withdraws a queued message, or stops its running turn. */
  cancel(message: MessageId): void {
    const { session, chat: id, origin, nextId } = this.#context;
    const active = session.head.chats[id]?.active;
    if (active?.message.id === message)
      session.dispatch({ kind: 'stopTurn', chat: id, turn: active.id, next: nextId() }, origin());
    else session.dispatch({ kind: 'withdrawMessage', chat: id, message }, origin());
  }

  /** Stops the running turn and withdraws all queued prompts of this client; those of other clients stay. */
  cancelAll(): void {
    const { session, chat: id, origin, nextId } = this.#context;
    for (const message of this.#queued())
      session.dispatch({ kind: 'withdrawMessage', chat: id, message }, origin());
    session.dispatch({ kind: 'stopTurn', chat: id, next: nextId() }, origin());
  }

  /** Answers all waiting prompts, because the chat is closed. */
  end(): void {
    for (const message of [...this.#waiting.keys()]) this.#settle(message, cancelled);
  }

  /**
   * After a turn that failed, was taken back, or was stopped together with the queue, the queue is paused
   * until a user continues it. An ACP client can neither see nor continue it, so its own queued prompts are
   * withdrawn.
   */
  #giveUpQueued(): void {
    const { session, chat, origin } = this.#context;
    for (const message of this.#queued()) {
      session.dispatch({ kind: 'withdrawMessage', chat, message }, origin());
      this.#settle(message, notSent);
    }
  }

  #queued(): readonly MessageId[] {
    const { session, chat } = this.#context;
    return (session.head.chats[chat]?.queue ?? []).map(({ id }) => id).filter((id) => this.#waiting.has(id));
  }

  #settle(message: MessageId, answer: PromptResponse | RpcError): boolean {
    if (answer instanceof RpcError) return this.#fail(message, answer);
    const waiting = this.#waiting.get(message);
    this.#waiting.delete(message);
    waiting?.resolve(answer);
    return waiting !== undefined;
  }

  #fail(message: MessageId, error: unknown): boolean {
    const waiting = this.#waiting.get(message);
    this.#waiting.delete(message);
    waiting?.reject(error);
    return waiting !== undefined;
  }
}

const cancelled: PromptResponse = { stopReason: 'cancelled' };
const notSent = new RpcError(
  rpcCodes.internalError,
  'The prompt was not run because the turn before it failed or was stopped.',
  { code: 'held' },
);
const interrupted = new RpcError(
  rpcCodes.internalError,
  'The turn was interrupted. Send a prompt to continue.',
  { code: 'interrupted' },
);

/** `cancelled` means that a user stopped the turn, so an interruption by the host is an error. */
function resultOf(outcome: Outcome): PromptResponse | RpcError {
  switch (outcome.kind) {
    case 'completed':
    case 'cancelled':
      return { stopReason: stopReasonOf(outcome) };
    case 'interrupted':
      return interrupted;
    case 'failed':
      return new RpcError(rpcCodes.internalError, outcome.problem.message, { code: outcome.problem.code });
    default:
      return outcome satisfies never;
  }
}

export function stopReasonOf(
  outcome: Extract<Outcome, { readonly kind: 'completed' | 'cancelled' }>,
): PromptResponse['stopReason'] {
  if (outcome.kind === 'cancelled') return 'cancelled';
  return outcome.stop === undefined ? 'end_turn' : stopReasons[outcome.stop];
}

const stopReasons = { length: 'max_tokens', steps: 'max_turn_requests', refusal: 'refusal' } as const;
