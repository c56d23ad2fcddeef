// The first draft of the protocol on one connection: detects its clients and translates
// notifications for them.
import type { Method, Notifications } from '../../../protocols/eca/messages.ts';
import type { RequestParams } from '../../../protocols/eca/schema.ts';
import type { Peer } from '../../../rpc/peer.ts';
import type { NotificationSink } from '../outbound/sender.ts';
import { DraftView } from './outbound.ts';

/** Only clients of the draft have these capabilities. */
export function speaksDraft({ capabilities }: RequestParams<'initialize'>): boolean {
  const { doc, edit, fix } = capabilities?.codeAssistant ?? {};
  return doc !== undefined || edit !== undefined || fix !== undefined;
}

/** Sends only what the draft has a form for. */
export class DraftClient implements NotificationSink {
  readonly #peer: Peer;
  readonly #view = new DraftView();
  #problem: string | undefined;

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  notify<M extends Method>(method: M, params: Notifications[M]): void {
    if (method === 'chat/contentReceived' && 'content' in params && 'role' in params)
      for (const message of this.#view.messages(params)) this.#peer.notify(method, message);
    if (method === '$/showMessage' && 'message' in params) this.#problem = params.message;
  }

  /** The last message that a newer client would have shown; it is forgotten with this call. */
  takeProblem(): string | undefined {
    const problem = this.#problem;
    this.#problem = undefined;
    return problem;
  }
}
