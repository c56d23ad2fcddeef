// Detects a client whose bytes contain no messages of its protocol, and says what a stdio
// command prints about it.
import type { Farewell } from '../io/local/socketGreeting.ts';
import { observeTransport } from '../rpc/transports/observe.ts';
import type { Transport } from '../rpc/transports/transport.ts';

/** The same transport, and the farewell for its client once a framing error has occurred. */
export function watchFraming(transport: Transport): {
  readonly transport: Transport;
  readonly broken: () => Farewell | undefined;
} {
  let farewell: Farewell | undefined;
  const watched = observeTransport(transport, {
    problem({ kind, detail }) {
      if (kind === 'framing') farewell = { exit: 1, message: brokenInput(detail) };
    },
  });
  return { transport: watched, broken: () => farewell };
}

/** What a stdio command prints about a client whose messages cannot be told apart. */
export function brokenInput(detail: string): string {
  return `Cannot read the client's messages: ${detail}. Check that the client is set up for this command.`;
}
