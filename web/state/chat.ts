// Dispatches actions to one chat from any view: its transcript, a nested tool call or the inbox.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ClientAction } from '../../src/protocols/ahp/v1_0/actions.ts';
import type { URI } from '../../src/protocols/ahp/v1_0/content.ts';
import type { Channel } from '../../client/connection/channel.ts';
import type { Settlement } from '../../client/connection/channels.ts';
import type { Client } from '../../client/connection/client.ts';
import { pathOf } from '../text/format.ts';
import { ClientContext } from './app.ts';
import { toast } from './toasts.ts';

export interface ChatPort {
  readonly uri: URI;
  readonly session: URI;
  /** A refusal by the host becomes a toast. */
  dispatch(action: ClientAction): Promise<Settlement>;
}

export const ChatContext = createContext<ChatPort | undefined>(undefined);

export function useChat(): ChatPort {
  const chat = useContext(ChatContext);
  if (!chat) throw new Error('useChat needs a ChatContext provider.');
  return chat;
}

/** A path in the folder of the session begins there. */
export function useShortPath(path: string): string {
  const client = useContext(ClientContext);
  const session = useContext(ChatContext)?.session ?? '';
  const [folder] = client?.sessions.value.get(session)?.workingDirectories ?? [];
  const start = folder === undefined ? undefined : `${pathOf(folder)}/`;
  return start !== undefined && path.startsWith(start) ? path.slice(start.length) : path;
}

export function chatPort(client: Client, session: URI, channel: Channel): ChatPort {
  return { uri: channel.uri, session, dispatch: (action) => dispatchOrToast(client, channel, action) };
}

/** For a chat that no view shows: it is followed until the host has answered. */
export function backgroundChatPort(client: Client, session: URI, uri: URI): ChatPort {
  return {
    uri,
    session,
    dispatch: async (action) => {
      const channel = client.open('chat', uri, { turns: 1 });
      const settlement = await dispatchOrToast(client, channel, action);
      client.release(channel);
      return settlement;
    },
  };
}

export async function dispatchOrToast(
  client: Client,
  channel: Channel,
  action: ClientAction,
): Promise<Settlement> {
  const settlement = await client.dispatch(channel, action);
  if (settlement.kind === 'rejected') toast('problem', settlement.reason);
  if (settlement.kind === 'unconfirmed')
    toast('problem', 'The connection was lost before the host confirmed this. Check whether it arrived.');
  return settlement;
}
