// Access to the client from views: one context, and channels that are open as long as a view is mounted.
import { createContext } from 'preact';
import { useContext, useEffect, useMemo } from 'preact/hooks';
import type { URI } from '../../src/protocols/ahp/v1_0/content.ts';
import type { ChannelStates } from '../../src/protocols/ahp/v1_0/state.ts';
import type { Channel, ChannelKind } from '../../client/connection/channel.ts';
import type { Client } from '../../client/connection/client.ts';

export const ClientContext = createContext<Client | undefined>(undefined);

export function useClient(): Client {
  const client = useContext(ClientContext);
  if (!client) throw new Error('useClient needs a ClientContext provider.');
  return client;
}

export function useChannel<Kind extends ChannelKind>(
  kind: Kind,
  uri: URI,
  turns?: number,
): Channel<ChannelStates[Kind]> {
  const client = useClient();
  const channel = useMemo(
    () => client.open(kind, uri, turns === undefined ? {} : { turns }),
    [client, kind, uri],
  );
  useEffect(() => () => client.release(channel), [channel]);
  return channel;
}
