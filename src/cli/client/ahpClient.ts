// A small AHP client for our own commands: sends requests and actions, and folds the chats it follows.
import type { ClientAction } from '../../protocols/ahp/v1_0/actions.ts';
import type { RequestMethod, Requests } from '../../protocols/ahp/v1_0/commands.ts';
import type { URI } from '../../protocols/ahp/v1_0/content.ts';
import { reduceChat } from '../../protocols/ahp/v1_0/reducers/chat.ts';
import { rootChannel } from '../../protocols/ahp/v1_0/state.ts';
import type { ActionEnvelope, ChatState, SessionState } from '../../protocols/ahp/v1_0/state.ts';
import { createPeer } from '../../rpc/peer.ts';
import type { Peer } from '../../rpc/peer.ts';
import type { Transport } from '../../rpc/transports/transport.ts';

declare const PARLEY_VERSION: string;

/** Connects and performs the handshake. */
export async function connectAhp(transport: Transport, clientId: string): Promise<AhpClient> {
  const client = new AhpClient(transport, clientId);
  await client.request('initialize', {
    channel: rootChannel,
    protocolVersions: ['1.0.0'],
    clientId,
    clientInfo: { name: 'parley', title: 'Terminal', version: PARLEY_VERSION },
  });
  return client;
}

interface FollowedChat {
  /** Undefined until the snapshot arrives. */
  state: ChatState | undefined;
  /** Actions that arrived before the snapshot. */
  readonly early: ActionEnvelope[];
  readonly changed: (state: ChatState) => void;
}

export class AhpClient {
  readonly #peer: Peer;
  readonly #clientId: string;
  readonly #chats = new Map<URI, FollowedChat>();
  readonly #unconfirmed = new Map<number, (refusal: string | undefined) => void>();
  #lastSeq = 0;

  constructor(transport: Transport, clientId: string) {
    this.#clientId = clientId;
    this.#peer = createPeer(transport, {
      handle: {
        request: () => null,
        notification: (method, params) => {
          // The notification comes from our own host.
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion
          if (method === 'action') this.#receive(params as ActionEnvelope);
        },
      },
      malformed: 'report',
    });
  }

  get closed(): Promise<unknown> {
    return this.#peer.closed;
  }

  async request<M extends RequestMethod>(
    method: M,
    params: Requests[M]['params'],
  ): Promise<Requests[M]['result']> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer comes from our own host
    return (await this.#peer.request(method, params)) as never;
  }

  /** Resolves with the current state of the chat; the callback gets every later one. */
  async followChat(chat: URI, changed: (state: ChatState) => void): Promise<ChatState> {
    const followed: FollowedChat = { state: undefined, early: [], changed };
    this.#chats.set(chat, followed);
    const { snapshot } = await this.request('subscribe', { channel: chat });
    if (!snapshot) throw new Error('Chat not found.');
    // The channel of a chat has the state of a chat.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const state = snapshot.state as ChatState;
    followed.state = state;
    for (const envelope of followed.early.splice(0))
      if (envelope.serverSeq > snapshot.fromSeq) this.#fold(envelope);
    return followed.state;
  }

  async session(session: URI): Promise<SessionState> {
    const { snapshot } = await this.request('subscribe', { channel: session });
    // The channel of a session has the state of a session.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return snapshot?.state as SessionState;
  }

  /** Resolves with the reason if the host refuses the action, otherwise with undefined. */
  dispatch(channel: URI, action: ClientAction): Promise<string | undefined> {
    this.#lastSeq += 1;
    const clientSeq = this.#lastSeq;
    const confirmed = new Promise<string | undefined>((resolve) => {
      this.#unconfirmed.set(clientSeq, resolve);
    });
    this.#peer.notify('dispatchAction', { channel, clientSeq, action });
    return Promise.race([confirmed, this.#peer.closed.then(() => 'Lost the connection to the host.')]);
  }

  close(): void {
    this.#peer.close();
  }

  #receive(envelope: ActionEnvelope): void {
    this.#fold(envelope);
    if (envelope.origin?.clientId !== this.#clientId) return;
    this.#unconfirmed.get(envelope.origin.clientSeq)?.(envelope.rejectionReason);
    this.#unconfirmed.delete(envelope.origin.clientSeq);
  }

  #fold(envelope: ActionEnvelope): void {
    const chat = this.#chats.get(envelope.channel);
    if (!chat || envelope.rejectionReason !== undefined) return;
    if (!chat.state) {
      chat.early.push(envelope);
      return;
    }
    chat.state = reduceChat(chat.state, envelope.action);
    chat.changed(chat.state);
  }
}
