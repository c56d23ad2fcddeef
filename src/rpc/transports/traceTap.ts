// Wraps a transport and writes every message to a trace.
import { observeTransport } from './observe.ts';
import type { Transport } from './transport.ts';

export interface TapOptions {
  readonly sink: { write(line: string): void };
  /** The current time in milliseconds. */
  readonly now: () => number;
  /** Removes secrets from a message before it is written. The message itself passes unchanged. */
  readonly redact?: (text: string) => string;
}

export function createTap(transport: Transport, options: TapOptions): Transport {
  const { sink, now, redact } = options;
  const trace = (direction: 'in' | 'out', text: string) => {
    const line = { at: now(), direction, text: redact === undefined ? text : redact(text) };
    sink.write(`${JSON.stringify(line)}\n`);
  };
  return observeTransport(transport, {
    incoming: (text) => trace('in', text),
    outgoing: (text) => trace('out', text),
  });
}
