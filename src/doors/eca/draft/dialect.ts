// The dialect of the first draft on one connection: which clients speak it, and what reaches them.
import type { Method, Notifications } from '../../../protocols/eca/messages.ts';
import type { RequestParams } from '../../../protocols/eca/schema.ts';
import type { Peer } from '../../../rpc/peer.ts';
import { DraftView } from './outbound.ts';

/** Only the draft knew these capabilities. */
export function speaksDraft({ capabilities }: RequestParams<'initialize'>): boolean {
  const { doc, edit, fix } = capabilities?.codeAssistant ?? {};
  return doc !== undefined || edit !== undefined || fix !== undefined;
}

/** Stands between the door and the client: what the draft does not know is not sent. */
export class Draft {
  readonly #peer: Peer;
  readonly #view = new DraftView();
  /** What a newer client would have been shown last. */
  problem: string | undefined;

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  tell<M extends Method>(method: M, params: Notifications[M]): void {
    if (method === 'chat/contentReceived' && 'content' in params && 'role' in params)
      for (const message of this.#view.messages(params)) this.#peer.notify(method, message);
    if (method === '$/showMessage' && 'message' in params) this.problem = params.message;
  }
}
