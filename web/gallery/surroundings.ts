// What components of the gallery find around them: the client of a host that is a table, and its chat.
import type { ChatState } from '../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../client/connection/channel.ts';
import { LiveChannel } from '../../client/connection/channel.ts';
import { shop, shopChat } from './samples/sessions.ts';
import { createInbox } from '../state/inbox.ts';
import { empty, world } from './samples/world.ts';
import { tableClient } from './tableClient.ts';

export const client = tableClient(world);

export const chat = {
  uri: shopChat,
  session: shop,
  dispatch: () => Promise.resolve({ kind: 'accepted' } as const),
};

export const target = { client, channel: client.open('chat', chat.uri) };

export const nothing = () => undefined;

export const inbox = createInbox(client);

export const noInbox = createInbox(tableClient(empty));

/** A chat in any state. */
export function chatChannel(state: ChatState): Channel<ChatState> {
  const channel = new LiveChannel(state.resource, 'chat');
  channel.load({ resource: state.resource, state, fromSeq: 0 });
  return channel;
}
