// The ECA door: serves one client until it disconnects.
import type { Door } from '../../host/door.ts';
import type { Host } from '../../host/host.ts';
import { createPeer } from '../../rpc/peer.ts';
import type { Peer } from '../../rpc/peer.ts';
import type { Transport } from '../../rpc/transports/transport.ts';
import { closeConnection, openConnection } from './connection.ts';
import { catalogueChanged, storageChanged } from './inbound/lifecycle.ts';
import { methodHandler } from './methods.ts';
import type { EcaOptions } from './options.ts';

export function ecaDoor(options: EcaOptions): Door<Transport> {
  return { name: 'eca', serve: (transport, host) => serve(transport, host, options) };
}

async function serve(transport: Transport, host: Host, options: EcaOptions): Promise<void> {
  const peer: Peer = createPeer(transport, {
    cancel: { method: '$/cancelRequest', idKey: 'id' },
    lenient: true,
    problem: ({ kind, detail, error }) =>
      host.report(error ?? new Error(`${kind}: ${detail}`), 'an ECA connection'),
    handle: methodHandler(() => connection),
  });
  const connection = openConnection(host, peer, options);
  const unfollow = host.follow((change) => catalogueChanged(connection, change));
  const leave = host.storage.follow((isWaiting) => storageChanged(connection, isWaiting));
  await peer.closed;
  unfollow();
  leave();
  closeConnection(connection);
}
