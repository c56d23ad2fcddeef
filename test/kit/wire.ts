// A recording client: everything the other side says is kept, and a test can wait for what it expects.
import { createPeer } from '../../src/rpc/peer.ts';
import type { Peer } from '../../src/rpc/peer.ts';
import { inTime } from './patience.ts';
import type { Transport } from '../../src/rpc/transports/transport.ts';

/** Whatever came over the wire; the expectations of a test say what it must be. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Loose = any;

export interface ReceivedNotification {
  readonly method: string;
  readonly params: Loose;
}

export interface Wire {
  readonly peer: Peer;
  readonly said: ReceivedNotification[];
  request(method: string, params?: unknown): Promise<Loose>;
  notify(method: string, params?: unknown): void;
  /** The first message from `from` on that fits, now or later. */
  wait(fits: (said: ReceivedNotification) => boolean, from?: number): Promise<ReceivedNotification>;
  close(): Promise<void>;
}

export type Answers = (method: string, params: Loose) => unknown;

export function wire(transport: Transport, answers: Answers = () => new Promise(() => {})): Wire {
  const said: ReceivedNotification[] = [];
  const waiting = new Set<() => void>();
  const hear = (method: string, params: unknown) => {
    said.push({ method, params });
    for (const look of [...waiting]) look();
  };
  const peer = createPeer(transport, {
    malformed: 'report',
    handle: {
      request: (method, params) => {
        hear(method, params);
        return answers(method, params);
      },
      notification: hear,
    },
  });
  return {
    peer,
    said,
    request: (method, params) =>
      inTime(peer.request(method, params), () => `the answer to ${method} ${JSON.stringify(params)}`),
    notify: (method, params) => peer.notify(method, params),
    wait: (fits, from = 0) => {
      const found = said.slice(from).find(fits);
      if (found) return Promise.resolve(found);
      const heard = () => JSON.stringify(said.slice(-5));
      const later = new Promise<ReceivedNotification>((resolve, reject) => {
        const look = () => {
          const late = said.slice(from).find(fits);
          if (!late) return;
          waiting.delete(look);
          resolve(late);
        };
        waiting.add(look);
        void peer.closed.then(
          (reason) =>
            waiting.delete(look) &&
            reject(new Error(`closed (${reason.kind}, ${reason.detail}) while waiting; heard ${heard()}`)),
        );
      });
      return inTime(later, () => `${fits.toString()}; heard ${heard()}`);
    },
    async close() {
      peer.close();
      await peer.closed;
    },
  };
}
