// A client of the AHP door for our own commands: asks, dispatches, and folds the chats it follows with the protocol's reducers. Knows no terminal.
import type { ClientAction } from '../../protocols/ahp/v1_0/actions.ts';
import type { RequestMethod, Requests } from '../../protocols/ahp/v1_0/commands.ts';
import type { URI } from '../../protocols/ahp/v1_0/content.ts';
import { reduceChat } from '../../protocols/ahp/v1_0/reducers/chat.ts';
import { rootChannel } from '../../protocols/ahp/v1_0/state.ts';
import type { ActionEnvelope, ChatState, SessionState } from '../../protocols/ahp/v1_0/state.ts';
import { createPeer } from '../../rpc/peer.ts';
import type { Transport } from '../../rpc/transports/transport.ts';

export interface AhpLink {
  request<M extends RequestMethod>(method: M, params: Requests[M]['params']): Promise<Requests[M]['result']>;
  /** The chat as it stands, and every later state to the callback. */
  followChat(chat: URI, changed: (state: ChatState) => void): Promise<ChatState>;
  session(session: URI): Promise<SessionState>;
  /** Resolves with why it was refused, or with nothing. */
  dispatch(channel: URI, action: ClientAction): Promise<string | undefined>;
  close(): void;
  readonly closed: Promise<unknown>;
}

declare const PARLEY_VERSION: string;

export async function ahpLink(transport: Transport, clientId: string): Promise<AhpLink> {
  const chats = new Map<
    URI,
    {
      state: ChatState | undefined;
      readonly early: ActionEnvelope[];
      readonly changed: (state: ChatState) => void;
    }
  >();
  const waiting = new Map<number, (refused: string | undefined) => void>();
  let clientSeq = 0;
  const fold = (envelope: ActionEnvelope) => {
    const chat = chats.get(envelope.channel);
    if (!chat || envelope.rejectionReason !== undefined) return;
    if (!chat.state) return void chat.early.push(envelope);
    chat.state = reduceChat(chat.state, envelope.action);
    return chat.changed(chat.state);
  };
  const peer = createPeer(transport, {
    handle: {
      request: () => null,
      notification(method, params) {
        if (method !== 'action') return;
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own host says what our own program reads
        const envelope = params as ActionEnvelope;
        fold(envelope);
        if (envelope.origin?.clientId !== clientId) return;
        waiting.get(envelope.origin.clientSeq)?.(envelope.rejectionReason);
        waiting.delete(envelope.origin.clientSeq);
      },
    },
    malformed: 'report',
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own host says what our own program reads
  const request: AhpLink['request'] = async (method, params) => (await peer.request(method, params)) as never;
  await request('initialize', {
    channel: rootChannel,
    protocolVersions: ['1.0.0'],
    clientId,
    clientInfo: { name: 'parley', title: 'Terminal', version: PARLEY_VERSION },
  });
  return {
    request,
    async followChat(chat, changed) {
      const entry: { state: ChatState | undefined; early: ActionEnvelope[]; changed: typeof changed } = {
        state: undefined,
        early: [],
        changed,
      };
      chats.set(chat, entry);
      const { snapshot } = await request('subscribe', { channel: chat });
      if (!snapshot) throw new Error('there is no such chat.');
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the channel of a chat has the state of a chat
      entry.state = snapshot.state as ChatState;
      for (const envelope of entry.early.splice(0)) if (envelope.serverSeq > snapshot.fromSeq) fold(envelope);
      return entry.state;
    },
    async session(session) {
      const { snapshot } = await request('subscribe', { channel: session });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the channel of a session has the state of a session
      return snapshot?.state as SessionState;
    },
    dispatch(channel, action) {
      clientSeq += 1;
      const mine = clientSeq;
      const settled = new Promise<string | undefined>((resolve) => {
        waiting.set(mine, resolve);
      });
      peer.notify('dispatchAction', { channel, clientSeq: mine, action });
      return Promise.race([settled, peer.closed.then(() => 'the host went away.')]);
    },
    close: () => peer.close(),
    closed: peer.closed,
  };
}
