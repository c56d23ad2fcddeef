// Wraps a transport and answers the first request while the server of the connection is still being loaded.
import { encodeResult, readEnvelope } from '../envelope.ts';
import type { RequestId } from '../envelope.ts';
import { defaultLimits } from './transport.ts';
import type { Transport, TransportListener } from './transport.ts';

export interface EarlyTransport extends Transport {
  /** Resolves when the first message has arrived, or the connection has ended. */
  readonly begun: Promise<void>;
}

/** `greet` returns the answer to the first request, or undefined to leave it to the server. */
export function answerEarly(
  transport: Transport,
  greet: (method: string, params: unknown) => unknown,
): EarlyTransport {
  const held: ((listener: TransportListener) => void)[] = [];
  let listener: TransportListener | undefined;
  let begin = () => {};
  let first = true;
  let answered: string | undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const pass = (event: (to: TransportListener) => void) => {
    if (listener) event(listener);
    else held.push(event);
  };
  transport.listen({
    message(text) {
      if (first) answered = greeting(transport, text, greet);
      first = false;
      pass((to) => to.message(text));
      begin();
    },
    problem: (problem) => pass((to) => to.problem(problem)),
    ended: () =>
      new Promise((resolve) => {
        pass((to) => void (to.ended?.() ?? Promise.resolve()).then(resolve, resolve));
        begin();
      }),
    closed(reason) {
      pass((to) => to.closed(reason));
      begin();
    },
  });
  return {
    begun,
    get buffered() {
      return transport.buffered;
    },
    ready: () => transport.ready(),
    onDrain: (callback) => transport.onDrain(callback),
    close: (reason) => transport.close(reason),
    send(text) {
      // The server also answers the first request; its answer is dropped, because one was sent already.
      if (answered !== undefined && text.startsWith(answered)) answered = undefined;
      else transport.send(text);
    },
    listen(to) {
      // As in every transport nothing is delivered before the call has returned: the listener
      // may not be ready yet.
      queueMicrotask(() => {
        listener = to;
        for (const event of held.splice(0)) event(to);
      });
    },
  };
}

/** Sends the early answer, and returns how the server's answer to the same request begins. */
function greeting(
  transport: Transport,
  text: string,
  greet: (method: string, params: unknown) => unknown,
): string | undefined {
  const message = readEnvelope(text, { ...defaultLimits, lenient: true });
  if (message.kind !== 'request') return undefined;
  const result = greet(message.method, message.params);
  if (result === undefined) return undefined;
  transport.send(encodeResult(message.id, result));
  return startOfAnswer(message.id);
}

function startOfAnswer(id: RequestId): string {
  const mark = '@';
  const sample = encodeResult(id, mark);
  return sample.slice(0, sample.indexOf(JSON.stringify(mark)));
}
