// The AHP door: serves one client until it disconnects. Its sessions continue without it.
import type { Door } from '../../host/door.ts';
import { createPeer } from '../../rpc/peer.ts';
import type { Peer } from '../../rpc/peer.ts';
import type { Transport } from '../../rpc/transports/transport.ts';
import { PipeResumption } from './inbound/resume.ts';
import { ServedClient } from './initialize.ts';
import { methodHandler } from './methods.ts';
import { doorName } from './notes.ts';
import type { AhpOptions } from './options.ts';

export function ahpDoor(options: AhpOptions): Door<Transport> {
  return {
    name: doorName,
    async serve(transport, host) {
      const resumption = options.resumable
        ? new PipeResumption(
            () => client,
            () => peer,
          )
        : undefined;
      const peer: Peer = createPeer(transport, {
        handle: methodHandler(() => client, resumption),
        problem: ({ kind, detail, error }) =>
          kind === 'handler' && host.report(error, `an AHP client: ${detail}`),
      });
      const client = new ServedClient({ host, peer, options });
      await peer.closed;
      client.close();
    },
  };
}
