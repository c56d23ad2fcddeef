// A transport that writes every message passing through another one to a trace. Knows text, not what it means.
import { overhear } from './observe.ts';
import type { Transport } from './transport.ts';

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
  return overhear(transport, {
    incoming: (text) => trace('in', text),
    outgoing: (text) => trace('out', text),
  });
}
