// One request to the host on a connection of its own, for code without a page. This browser proves itself
// with the key of its page.
import { rootChannel } from '../../src/protocols/ahp/v1_0/state.ts';
import type { ExtensionMethod, ExtensionRequests } from '../../client/connection/extensions.ts';
import { connectionProof } from '../client/pageKey.ts';
import { createRpc } from '../../client/connection/rpc.ts';
import { socketAddress, socketWire } from '../../client/connection/socket.ts';

const patienceMs = 15_000;

export async function callHost<Method extends ExtensionMethod>(
  method: Method,
  params: ExtensionRequests[Method]['params'],
): Promise<ExtensionRequests[Method]['result']> {
  // A phone that has just woken up may wait for an answer that never comes.
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('The host cannot be reached.')), patienceMs);
  });
  const proof = await Promise.race([connectionProof(), late]);
  if (proof === undefined) throw new Error('This browser is not signed in.');
  const answered = new Promise<ExtensionRequests[Method]['result']>((resolve, reject) => {
    const rpc = createRpc(
      (text) => wire.send(text),
      () => {},
    );
    const ask = async () => {
      await rpc.request('initialize', {
        channel: rootChannel,
        protocolVersions: ['1.0.0'],
        clientId: crypto.randomUUID(),
        clientInfo: { name: 'parley-console', title: 'Parley notification' },
      });
      return rpc.requestExtension(method, params);
    };
    const wire = socketWire(socketAddress(location, proof))({
      opened: () =>
        void ask()
          .then(resolve, reject)
          .finally(() => wire.close()),
      received: (text) => rpc.receive(text),
      closed: () => {
        rpc.end();
        reject(new Error('The host cannot be reached.'));
      },
    });
    late.catch(() => wire.close());
  });
  return Promise.race([answered, late]);
}
