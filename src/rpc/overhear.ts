// The same transport with an ear at it, which hears each message before it goes on. Changes nothing that passes.
import type { Transport } from './transport.ts';

export interface Ear {
  readonly incoming?: (text: string) => void;
  readonly outgoing?: (text: string) => void;
}

export function overhear(transport: Transport, { incoming, outgoing }: Ear): Transport {
  return {
    get buffered() {
      return transport.buffered;
    },
    ready: () => transport.ready(),
    onDrain: (callback) => transport.onDrain(callback),
    close: (reason) => transport.close(reason),
    send(text) {
      outgoing?.(text);
      transport.send(text);
    },
    listen: (listener) => transport.listen({
      message(text) {
        incoming?.(text);
        listener.message(text);
      },
      problem: (problem) => listener.problem(problem),
      ...(listener.ended ? { ended: () => listener.ended?.() ?? Promise.resolve() } : {}),
      closed: (reason) => listener.closed(reason),
    }),
  };
}
