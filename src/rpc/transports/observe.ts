// Wraps a transport and reports each message and problem to an observer before passing it on unchanged. The
// observer may keep messages of the other side away.
import type { Transport, TransportProblem } from './transport.ts';

export interface TransportObserver {
  /** A message that comes while this is false is dropped, and nobody hears of it. */
  readonly accepts?: () => boolean;
  readonly incoming?: (text: string) => void;
  readonly outgoing?: (text: string) => void;
  readonly problem?: (problem: TransportProblem) => void;
}

export function observeTransport(
  transport: Transport,
  { accepts = () => true, incoming, outgoing, problem }: TransportObserver,
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
          if (!accepts()) return;
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
