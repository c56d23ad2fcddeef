// What a view needs to act in one chat, wherever it is shown: in its transcript, below a tool call or in the inbox.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ClientAction } from '../../src/protocols/ahp/v1_0/actions.ts';
import type { URI } from '../../src/protocols/ahp/v1_0/content.ts';
import type { Channel } from '../client/channel.ts';
import type { Settlement } from '../client/channels.ts';
import type { Client } from '../client/client.ts';
import { toast } from './toasts.ts';

export interface ChatPort {
  readonly uri: URI;
  readonly session: URI;
  /** Says so to the person when the host refuses. */
  act(action: ClientAction): Promise<Settlement>;
}

export const ChatContext = createContext<ChatPort | undefined>(undefined);

export function useChat(): ChatPort {
  const chat = useContext(ChatContext);
  if (!chat) throw new Error('A part of a chat was shown outside a chat.');
  return chat;
}

export function chatPort(client: Client, session: URI, channel: Channel): ChatPort {
  return { uri: channel.uri, session, act: (action) => act(client, channel, action) };
}

/** Acts in a chat that nobody shows: it is followed just long enough to hear what came of it. */
export function distantChatPort(client: Client, session: URI, uri: URI): ChatPort {
  return {
    uri,
    session,
    act: async (action) => {
      const channel = client.open('chat', uri, { turns: 1 });
      const settlement = await act(client, channel, action);
      client.release(channel);
      return settlement;
    },
  };
}

export async function act(client: Client, channel: Channel, action: ClientAction): Promise<Settlement> {
  const settlement = await client.dispatch(channel, action);
  if (settlement.kind === 'rejected') toast('problem', settlement.reason);
  if (settlement.kind === 'unconfirmed')
    toast('problem', 'The connection was lost before the host confirmed; please look whether it arrived.');
  return settlement;
}
