// Wraps a transport and reports each message and problem to an observer before passing it on unchanged.
import type { Transport, TransportProblem } from './transport.ts';

export interface TransportObserver {
  readonly incoming?: (text: string) => void;
  readonly outgoing?: (text: string) => void;
  readonly problem?: (problem: TransportProblem) => void;
}

export function observeTransport(
  transport: Transport,
  { incoming, outgoing, problem }: TransportObserver,
): Transport {
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
    listen: (listener) =>
      transport.listen({
        message(text) {
          incoming?.(text);
          listener.message(text);
        },
        problem(found) {
          problem?.(found);
          listener.problem(found);
        },
        ...(listener.ended ? { ended: () => listener.ended?.() ?? Promise.resolve() } : {}),
        closed: (reason) => listener.closed(reason),
      }),
  };
}
