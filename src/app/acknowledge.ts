// Tells a pipe which messages of its client are handled and stored, so that it repeats only the others to the
// next host.
import { pipeMethods } from '../host/door.ts';
import type { Host } from '../host/host.ts';
import type { Hello } from '../io/local/socketGreeting.ts';
import { encodeNotification } from '../rpc/envelope.ts';
import { observeTransport } from '../rpc/transports/observe.ts';
import type { Transport } from '../rpc/transports/transport.ts';

/** The transport itself for a client that does not continue with the next host. */
export function acknowledge(transport: Transport, host: Host, { options }: Hello): Transport {
  if (options['resume'] !== 'yes') return transport;
  let [received, told] = [0, 0];
  let isScheduled = false;
  const tell = async () => {
    while (told < received) {
      const count = received;
      // Handlers run in the order of arrival, so what they dispatched is on its way to the store by now.
      await Promise.allSettled(host.openSessions().map((session) => session.settled()));
      told = count;
      transport.send(encodeNotification(pipeMethods.taken, { count }));
    }
    isScheduled = false;
  };
  return observeTransport(transport, {
    incoming() {
      received += 1;
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(() => void tell());
    },
  });
}
