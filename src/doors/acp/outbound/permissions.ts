// The approvals one client is asked for in one chat. The first answer from anywhere wins; that is decided by the session.
import type { Session } from '../../../host/session/session.ts';
import type { Answer, AskId, ChatId, Origin } from '../../../model/event.ts';
import { permissionResult } from '../../../protocols/acp/v1/agentSchema.ts';
import type { PermissionRequest } from '../../../protocols/acp/v1/messages.ts';
import { requestPermission } from '../../../protocols/acp/v1/methods.ts';
import type { Peer } from '../../../rpc/peer.ts';

export interface PermissionPlace {
  readonly peer: Peer;
  readonly session: Session;
  readonly chat: ChatId;
  readonly origin: () => Origin;
  readonly report: (problem: unknown, about: string) => void;
}

export class Permissions {
  readonly #place: PermissionPlace;
  readonly #asked = new Map<AskId, AbortController>();

  constructor(place: PermissionPlace) {
    this.#place = place;
  }

  /** An error, an answer we cannot read and a connection that ends are no answer: the question stays open for everybody else. */
  async ask(ask: AskId, request: PermissionRequest, chat: ChatId): Promise<void> {
    if (this.#asked.has(ask)) return;
    const stop = new AbortController();
    this.#asked.set(ask, stop);
    const result = await this.#place.peer
      .request(requestPermission, request, { signal: stop.signal })
      .catch(() => undefined);
    if (this.#asked.get(ask) === stop) this.#asked.delete(ask);
    const answer = answerOf(result);
    if (answer && !stop.signal.aborted) this.#answer(chat, ask, answer);
  }

  /** Takes a question back that was answered elsewhere or is gone with its turn. */
  takeBack(ask: AskId): void {
    this.#asked.get(ask)?.abort();
    this.#asked.delete(ask);
  }

  end(): void {
    for (const ask of [...this.#asked.keys()]) this.takeBack(ask);
  }

  /** Somebody else may have been first; that refusal is expected. */
  #answer(chat: ChatId, ask: AskId, answer: Answer): void {
    const { session, origin, report } = this.#place;
    const rejection = session.dispatch({ kind: 'answer', chat, ask, answer }, origin());
    if (rejection?.rejected === 'invalid') report(rejection, `an answer in session ${session.id}`);
  }
}

/**
 * A client that cancels its turn answers `cancelled`, before or after its session/cancel. One that only closed its dialog says the
 * same, so the word alone refuses the call and leaves the turn, which may be another client's, to go on.
 */
function answerOf(result: unknown): Answer | undefined {
  const read = permissionResult.safeParse(result);
  if (!read.success) return undefined;
  const { outcome } = read.data;
  return outcome.outcome === 'selected'
    ? { kind: 'option', option: outcome.optionId }
    : { kind: 'declined', reason: 'The request was dismissed.' };
}
