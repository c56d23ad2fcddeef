// The browsers of the remote API as one peer of the door: notifications become server-sent events, questions
// wait for a posted answer.
import { isRecord } from '../../../base/isRecord.ts';
import type { Peer } from '../../../rpc/peer.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import type { CloseReason } from '../../../rpc/transports/transport.ts';

/** One server-sent event. */
export interface RemoteEvent {
  readonly event: string;
  readonly data: unknown;
}

/** The event names of browsers; a method without one is not sent to them. */
const names: { readonly [method: string]: string | undefined } = {
  'chat/contentReceived': 'chat:content-received',
  'chat/cleared': 'chat:cleared',
  'chat/statusChanged': 'chat:status-changed',
  'chat/deleted': 'chat:deleted',
  'chat/opened': 'chat:opened',
  'chat/askQuestion': 'chat:ask-question',
  'tool/serverUpdated': 'tool:server-updated',
  'tool/serverRemoved': 'tool:server-removed',
  'providers/updated': 'providers:updated',
  'jobs/updated': 'jobs:updated',
  'config/updated': 'config:updated',
  '$/showMessage': 'session:message',
  '$/progress': 'session:progress',
};

export class RemotePeer implements Peer {
  readonly closed: Promise<CloseReason>;
  readonly buffered = 0;
  readonly #listeners = new Set<(event: RemoteEvent) => void>();
  readonly #questions = new Map<
    string,
    (answer: { readonly answer: string | null; readonly cancelled: boolean }) => void
  >();
  #end: (reason: CloseReason) => void = () => {};

  constructor() {
    this.closed = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** The HTTP server drops a browser that cannot keep up; the others never wait for it. */
  ready(): boolean {
    return true;
  }

  onDrain(): Disposable {
    return { [Symbol.dispose]() {} };
  }

  /** Browsers ask over HTTP, so no request is ever open here. */
  idle(): Promise<void> {
    return Promise.resolve();
  }

  listen(listener: (event: RemoteEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  notify(method: string, params: unknown = {}): void {
    const event = names[method];
    if (event !== undefined) this.emit({ event, data: params });
  }

  emit(event: RemoteEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  /** Never used: the sender of this peer sends by method. */
  sendRaw(): void {}

  /** Takes questions only; each has an id of its own. */
  request(
    method: string,
    params: unknown,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<unknown> {
    const id = isRecord(params) ? params['requestId'] : undefined;
    if (typeof id !== 'string')
      return Promise.reject(new RpcError(rpcCodes.methodNotFound, 'Browsers only answer questions.'));
    return new Promise((resolve, reject) => {
      this.#questions.set(id, resolve);
      signal?.addEventListener(
        'abort',
        () => {
          this.#questions.delete(id);
          reject(new RpcError(rpcCodes.cancelled, 'Another client has answered.'));
        },
        { once: true },
      );
      this.notify(method, params);
    });
  }

  /** False if the question is not open, or not any more. */
  answer(id: string, answer: { readonly answer: string | null; readonly cancelled: boolean }): boolean {
    const resolve = this.#questions.get(id);
    this.#questions.delete(id);
    resolve?.(answer);
    return resolve !== undefined;
  }

  close(reason: CloseReason = { kind: 'local' }): void {
    this.emit({ event: 'session:disconnecting', data: { reason: 'The host or the editor has ended.' } });
    this.#listeners.clear();
    this.#end(reason);
  }
}
