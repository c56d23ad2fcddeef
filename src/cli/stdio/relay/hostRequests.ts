// The requests that hosts make to one client. An open question to the user stays open when the host is lost:
// the next host makes the same request, and gets the answer of the first one.
import { encodeMessage } from './message.ts';
import type { Message } from './message.ts';
import type { PipedProtocol } from './pipedProtocols.ts';

interface OpenRequest {
  /** What the current host calls it; undefined until the next host has made it again. */
  hostId: unknown;
  readonly method: string;
  readonly about: string;
  /** The answer of the client, if it came while there was no host. */
  answer?: Message;
}

export interface HostRequestsOptions {
  readonly protocol: PipedProtocol;
  readonly toClient: (text: string) => void;
  readonly toHost: (text: string) => void;
}

export class HostRequests {
  readonly #options: HostRequestsOptions;
  /** By the id that the client knows. */
  readonly #open = new Map<number, OpenRequest>();
  #last = 0;

  constructor(options: HostRequestsOptions) {
    this.#options = options;
  }

  /** Whether the user was asked something that the next host asks again. */
  get hasQuestion(): boolean {
    return [...this.#open.values()].some(({ method }) => this.#options.protocol.asks.includes(method));
  }

  ask(message: Message, method: string, text: string): void {
    const about = JSON.stringify([method, message.params]);
    for (const [id, open] of this.#open) {
      if (open.hostId !== undefined || open.about !== about) continue;
      open.hostId = message.id;
      if (open.answer) this.answer({ ...open.answer, id });
      return;
    }
    const id = (this.#last += 1);
    this.#open.set(id, { hostId: message.id, method, about });
    this.#options.toClient(message.id === id ? text : JSON.stringify({ ...message, id }));
  }

  /** The client answers. An answer to a request that was cancelled is dropped. */
  answer(message: Message): void {
    const id = typeof message.id === 'number' ? message.id : 0;
    const open = this.#open.get(id);
    if (!open) return;
    if (open.hostId === undefined) open.answer = message;
    else {
      this.#open.delete(id);
      this.#options.toHost(JSON.stringify({ ...message, id: open.hostId }));
    }
  }

  /** The host takes a request back. */
  cancelled(hostId: unknown): void {
    for (const [id, open] of this.#open) if (open.hostId === hostId) this.#cancel(id);
  }

  /** Questions to the user stay open; nobody waits for the other requests any longer. */
  hostLost(): void {
    for (const [id, open] of this.#open) {
      if (this.#options.protocol.asks.includes(open.method)) open.hostId = undefined;
      else this.#cancel(id);
    }
  }

  /** Takes back what the next host did not ask again. */
  settle(): void {
    for (const [id, { hostId }] of this.#open) if (hostId === undefined) this.#cancel(id);
  }

  #cancel(id: number): void {
    const { cancel } = this.#options.protocol;
    this.#open.delete(id);
    if (cancel)
      this.#options.toClient(encodeMessage({ method: cancel.method, params: { [cancel.idKey]: id } }));
  }
}
