// The requests that hosts make to one client. An open question to the user stays open when the host is lost:
// the next host makes the same request, and gets the answer of the first one.
import { encodeMessage } from './message.ts';
import type { RpcMessage } from './message.ts';
import type { PipedProtocol } from './pipedProtocols.ts';

interface OpenRequest {
  /** What the current host calls it; undefined until the next host has made it again. */
  hostId: unknown;
  readonly method: string;
  readonly about: string;
  /** The answer of the client, until a host has stored it. */
  answer?: RpcMessage;
}

interface SentAnswer {
  /** The number of the message on its connection. */
  readonly number: number;
  readonly id: number;
  readonly open: OpenRequest;
}

export interface HostRequestsOptions {
  readonly protocol: PipedProtocol;
  readonly toClient: (text: string) => void;
  /** Returns the number of the message on its connection. */
  readonly toHost: (text: string) => number;
}

export class HostRequests {
  readonly #options: HostRequestsOptions;
  /** By the id that the client knows. */
  readonly #open = new Map<number, OpenRequest>();
  /** Answers of the user that the host has not stored yet; the next host gets them. */
  #unstored: readonly SentAnswer[] = [];
  #last = 0;

  constructor(options: HostRequestsOptions) {
    this.#options = options;
  }

  /** Whether the user was asked something that the next host asks again. */
  get hasQuestion(): boolean {
    return [...this.#open.values()].some((open) => this.#isQuestion(open));
  }

  /** Whether the user has answered what no host has stored yet. */
  get hasAnswer(): boolean {
    return [...this.#open.values()].some(({ answer }) => answer !== undefined);
  }

  ask(message: RpcMessage, method: string, text: string): void {
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

  /** The client answers. Returns false for a request that was cancelled or never made. */
  answer(message: RpcMessage): boolean {
    const id = typeof message.id === 'number' ? message.id : 0;
    const open = this.#open.get(id);
    if (!open) return false;
    open.answer = message;
    if (open.hostId === undefined) return true;
    this.#open.delete(id);
    const number = this.#options.toHost(JSON.stringify({ ...message, id: open.hostId }));
    if (this.#isQuestion(open)) this.#unstored = [...this.#unstored, { number, id, open }];
    return true;
  }

  /** The host has stored so many messages of the connection. */
  taken(count: number): void {
    this.#unstored = this.#unstored.filter(({ number }) => number > count);
  }

  /** The host takes a request back. */
  cancelled(hostId: unknown): void {
    for (const [id, open] of this.#open) if (open.hostId === hostId) this.#cancel(id);
  }

  /** Questions to the user stay open; nobody waits for the other requests any longer. */
  hostLost(): void {
    for (const { id, open } of this.#unstored) this.#open.set(id, open);
    this.#unstored = [];
    for (const [id, open] of this.#open) {
      if (this.#isQuestion(open)) open.hostId = undefined;
      else this.#cancel(id);
    }
  }

  /** Takes back what the next host did not ask again. */
  settle(): void {
    for (const [id, { hostId }] of this.#open) if (hostId === undefined) this.#cancel(id);
  }

  #isQuestion({ method }: OpenRequest): boolean {
    return this.#options.protocol.asks.includes(method);
  }

  #cancel(id: number): void {
    const { cancel } = this.#options.protocol;
    const isAnswered = this.#open.get(id)?.answer !== undefined;
    this.#open.delete(id);
    if (cancel && !isAnswered)
      this.#options.toClient(encodeMessage({ method: cancel.method, params: { [cancel.idKey]: id } }));
  }
}
