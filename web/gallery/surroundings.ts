// What components of the gallery find around them: a client that never connects, and its chat.
import { createClient } from '../../client/connection/client.ts';

/** The components show what they are given. */
export const client = createClient({
  clientId: 'gallery',
  wires: [],
  isHostUp: () => Promise.resolve(false),
});

export const chat = {
  uri: 'ahp-chat:/gallery',
  session: 'ahp-session:/gallery',
  dispatch: () => Promise.resolve({ kind: 'accepted' } as const),
};

export const target = { client, channel: client.open('chat', chat.uri) };
