// A transport that writes every message passing through another one to a trace. Knows text, not what it means.

import type { CloseReason, Transport, TransportListener } from './transport.ts';

export interface TapOptions {
  readonly sink: { write(line: string): void };
  /** Milliseconds; the trace reads no clock of its own. */
  readonly now: () => number;
  /** Takes secrets out of a message before it is written. The message itself passes unchanged. */
  readonly redact?: (text: string) => string;
}

export function createTap(transport: Transport, options: TapOptions): Transport {
  const { sink, now, redact } = options;
  const trace = (direction: 'in' | 'out', text: string) => {
    const line = { at: now(), direction, text: redact === undefined ? text : redact(text) };
    sink.write(`${JSON.stringify(line)}\n`);
  };
  return {
    get buffered() {
      return transport.buffered;
    },
    ready: () => transport.ready(),
    onDrain: (callback) => transport.onDrain(callback),
    close: (reason?: CloseReason) => transport.close(reason),
    send(text) {
      trace('out', text);
      transport.send(text);
    },
    listen(listener) {
      transport.listen(tracing(listener, trace));
    },
  };
}

function tracing(listener: TransportListener, trace: (direction: 'in', text: string) => void): TransportListener {
  return {
    message(text) {
      trace('in', text);
      listener.message(text);
    },
    problem: (problem) => listener.problem(problem),
    ended: () => listener.ended?.() ?? Promise.resolve(),
    closed: (reason) => listener.closed(reason),
  };
}
