// A small AHP client for our own commands: sends requests and actions, and folds the channels it follows.
import type { ClientAction } from '../../protocols/ahp/v1_0/actions.ts';
import type { RequestMethod, Requests } from '../../protocols/ahp/v1_0/commands.ts';
import type { URI } from '../../protocols/ahp/v1_0/content.ts';
import type { Reducer } from '../../protocols/ahp/reducer.ts';
import { reduceChat } from '../../protocols/ahp/v1_0/reducers/chat.ts';
import { reduceSession } from '../../protocols/ahp/v1_0/reducers/session.ts';
import { reduceTerminal } from '../../protocols/ahp/v1_0/reducers/terminal.ts';
import { rootChannel } from '../../protocols/ahp/v1_0/state.ts';
import type {
  ActionEnvelope,
  ChannelStates,
  ChatState,
  RootState,
  SessionState,
} from '../../protocols/ahp/v1_0/state.ts';
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

/** The channels that can be followed. */
type FollowedKind = 'chat' | 'session' | 'terminal';

const reducers: { readonly [Kind in FollowedKind]: Reducer<ChannelStates[Kind]> } = {
  chat: reduceChat,
  session: reduceSession,
  terminal: reduceTerminal,
};

interface FollowedChannel {
  /** Actions that arrived before the snapshot; undefined after it. */
  early: ActionEnvelope[] | undefined;
  readonly fold: (envelope: ActionEnvelope) => void;
}

export class AhpClient {
  readonly #peer: Peer;
  readonly #clientId: string;
  readonly #followed = new Map<URI, FollowedChannel>();
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
  followChat(chat: URI, changed: (state: ChatState) => void): Promise<ChatState> {
    return this.follow('chat', chat, changed);
  }

  /** Resolves with the current state of the channel; the callback gets every later one. */
  async follow<Kind extends FollowedKind>(
    kind: Kind,
    channel: URI,
    changed: (state: ChannelStates[Kind]) => void,
  ): Promise<ChannelStates[Kind]> {
    let state: ChannelStates[Kind] | undefined;
    const reduce = reducers[kind];
    const fold = ({ action }: ActionEnvelope) => {
      if (!state) return;
      state = reduce(state, action);
      changed(state);
    };
    const early: ActionEnvelope[] = [];
    const followed: FollowedChannel = { early, fold };
    this.#followed.set(channel, followed);
    const { snapshot } = await this.request('subscribe', { channel });
    if (!snapshot) throw new Error('There is nothing to follow.');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each kind of channel has its state
    state = snapshot.state as ChannelStates[Kind];
    followed.early = undefined;
    for (const envelope of early) if (envelope.serverSeq > snapshot.fromSeq) fold(envelope);
    return state;
  }

  /** Stops following a channel. */
  leave(channel: URI): void {
    if (this.#followed.delete(channel)) this.#peer.notify('unsubscribe', { channel });
  }

  /** The agents with their models. */
  async root(): Promise<RootState> {
    const { snapshot } = await this.request('subscribe', { channel: rootChannel });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the root channel has the root state
    return snapshot?.state as RootState;
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
    const followed = this.#followed.get(envelope.channel);
    if (!followed || envelope.rejectionReason !== undefined) return;
    if (followed.early) followed.early.push(envelope);
    else followed.fold(envelope);
  }
}
