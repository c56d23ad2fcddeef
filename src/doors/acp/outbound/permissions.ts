// The permission requests to one client in one chat. The session decides which client answered first.
import { errorText } from '../../../base/errorText.ts';
import { NotCarriedOut } from '../../../host/session/logStore.ts';
import type { Session } from '../../../host/session/session.ts';
import type { RejectionCode } from '../../../model/command.ts';
import { isLasting } from '../../../model/decideAsk.ts';
import type { Answer, AskId, ChatId, Origin } from '../../../model/event.ts';
import { permissionResult } from '../../../protocols/acp/v1/agentSchema.ts';
import { requestPermission } from '../../../protocols/acp/v1/methods.ts';
import type { Peer } from '../../../rpc/peer.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import type { OfferedOptions, WireVersion } from './wireVersion.ts';

export interface QuestionContext {
  readonly peer: Peer;
  readonly session: Session;
  readonly chat: ChatId;
  readonly origin: () => Origin;
  readonly version: WireVersion;
  /** What tells the request of a question from that of another one with the same words. */
  readonly naming: (ask: AskId) => object;
  readonly report: (problem: unknown, about: string) => void;
}

export interface PermissionContext extends QuestionContext {
  /** Whether the client may make rules that outlive the session. */
  readonly mayRemember: boolean;
}

export class Permissions {
  readonly #context: PermissionContext;
  readonly #asked = new Map<AskId, AbortController>();

  constructor(context: PermissionContext) {
    this.#context = context;
  }

  /**
   * An error or an invalid answer refuses the call: nobody can wait for a client that cannot answer. A lost
   * connection leaves the approval open for other clients.
   */
  async ask(ask: AskId, request: OfferedOptions, chat: ChatId): Promise<void> {
    if (this.#asked.has(ask)) return;
    const stop = new AbortController();
    this.#asked.set(ask, stop);
    const offered = this.#offered(ask, request, chat);
    const { peer, naming } = this.#context;
    const answer = await peer
      .request(requestPermission, { ...offered, ...naming(ask) }, { signal: stop.signal })
      .then((result) => answerOf(result, offered), failedAnswer);
    if (this.#asked.get(ask) === stop) this.#asked.delete(ask);
    if (!answer || stop.signal.aborted) return;
    // The host that owns the session may not have got the answer: then the user is asked again.
    const isLost = await this.#answer(chat, ask, answer);
    if (isLost && this.#isOpen(chat, ask)) await this.ask(ask, request, chat);
  }

  #isOpen(chat: ChatId, ask: AskId): boolean {
    return this.#context.session.state.chats[chat]?.asks[ask] !== undefined;
  }

  /** Cancels the request of an approval that was answered elsewhere or ended with its turn. */
  takeBack(ask: AskId): void {
    this.#asked.get(ask)?.abort();
    this.#asked.delete(ask);
  }

  end(): void {
    for (const ask of [...this.#asked.keys()]) this.takeBack(ask);
  }

  /** The request without the options that this client may not choose. */
  #offered(ask: AskId, request: OfferedOptions, chat: ChatId): OfferedOptions {
    const open = this.#context.session.head.chats[chat]?.asks[ask]?.ask;
    if (this.#context.mayRemember || open?.kind !== 'approval') return request;
    const lasting = new Set(open.options.filter(isLasting).map(({ id }) => id));
    return { ...request, options: request.options.filter(({ optionId }) => !lasting.has(optionId)) };
  }

  /** Another client may have answered first; that refusal is expected. True if the answer was lost. */
  async #answer(chat: ChatId, ask: AskId, answer: Answer): Promise<boolean> {
    const { session, origin, report, mayRemember } = this.#context;
    const rejection = session.dispatch(
      { kind: 'answer', chat, ask, answer, withinSession: !mayRemember },
      origin(),
    );
    if (rejection?.rejected === 'invalid') report(rejection, `an answer in session ${session.id}`);
    if (rejection || session.owner === undefined) return false;
    return session.settled().then(
      () => false,
      (error: unknown) => error instanceof NotCarriedOut && lost.has(error.rejection.rejected),
    );
  }
}

/** Refusals that say nothing about the answer. */
const lost: ReadonlySet<RejectionCode> = new Set<RejectionCode>(['elsewhere', 'unavailable']);

/**
 * A client answers `cancelled` when it cancels the turn, but also when its user only closes the dialog. So
 * `cancelled` alone denies the call and lets the turn continue, which may belong to another client.
 */
function answerOf(result: unknown, { options }: OfferedOptions): Answer {
  const read = permissionResult.safeParse(result);
  if (!read.success) return { kind: 'declined', reason: 'The editor gave an answer that is not valid.' };
  const { outcome } = read.data;
  if (outcome.outcome !== 'selected') return { kind: 'declined', reason: 'The request was dismissed.' };
  return options.some(({ optionId }) => optionId === outcome.optionId)
    ? { kind: 'option', option: outcome.optionId }
    : { kind: 'declined', reason: 'The editor chose an option that was not offered.' };
}

/** Undefined if the client has gone: others may answer. */
function failedAnswer(error: unknown): Answer | undefined {
  if (error instanceof RpcError && error.code === rpcCodes.connectionClosed) return undefined;
  return { kind: 'declined', reason: `The editor could not ask: ${errorText(error, String(error))}` };
}
