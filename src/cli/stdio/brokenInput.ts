// What a stdio command says in the end whose client sent bytes in which no messages can be found.
import type { Farewell } from '../../io/local/socketGreeting.ts';
import { overhear } from '../../rpc/transports/observe.ts';
import type { Transport } from '../../rpc/transports/transport.ts';

/** The same transport, and the words for it once its messages are lost. */
export function mayLose(transport: Transport): {
  readonly transport: Transport;
  readonly lost: () => Farewell | undefined;
} {
  let lost: Farewell | undefined;
  const heard = overhear(transport, {
    problem({ kind, detail }) {
      if (kind === 'framing')
        lost = {
          exit: 1,
          message: `the client's messages cannot be told apart any more: ${detail}. Is it set up for this command?`,
        };
    },
  });
  return { transport: heard, lost: () => lost };
}
