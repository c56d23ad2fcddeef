// The browsers of the remote API as one client of the door: what it is told becomes events, what it is asked waits for a posted answer.
import type { Peer } from '../../../rpc/peer.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import type { CloseReason } from '../../../rpc/transports/transport.ts';

/** One server-sent event. */
export interface RemoteEvent {
  readonly event: string;
  readonly data: unknown;
}

/** The names that browsers know; what has none is not for them. */
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
  readonly #asked = new Map<
    string,
    (answer: { readonly answer: string | null; readonly cancelled: boolean }) => void
  >();
  #end: (reason: CloseReason) => void = () => {};

  constructor() {
    this.closed = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** A browser that cannot keep up is dropped by whoever writes to it; the others never wait for it. */
  ready(): boolean {
    return true;
  }

  onDrain(): Disposable {
    return { [Symbol.dispose]() {} };
  }

  listen(listener: (event: RemoteEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  notify(method: string, params: unknown = {}): void {
    const event = names[method];
    if (event !== undefined) this.emit({ event, data: params });
  }

  tell(method: string, params: unknown): void {
    this.notify(method, params);
  }

  emit(event: RemoteEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  /** Nothing comes this way: the connection of browsers tells by method, as its dialect. */
  sendRaw(): void {}

  /** Only questions are asked, and they carry an id of their own. */
  request(
    method: string,
    params: unknown,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<unknown> {
    const id =
      typeof params === 'object' && params !== null && 'requestId' in params
        ? String(params.requestId)
        : undefined;
    if (id === undefined)
      return Promise.reject(new RpcError(rpcCodes.methodNotFound, 'Browsers are only asked questions.'));
    return new Promise((resolve, reject) => {
      this.#asked.set(id, resolve);
      signal?.addEventListener(
        'abort',
        () => {
          this.#asked.delete(id);
          reject(new RpcError(rpcCodes.cancelled, 'Somebody else has answered.'));
        },
        { once: true },
      );
      this.notify(method, params);
    });
  }

  /** False where the question is not open, or not any more. */
  answer(id: string, answer: { readonly answer: string | null; readonly cancelled: boolean }): boolean {
    const resolve = this.#asked.get(id);
    this.#asked.delete(id);
    resolve?.(answer);
    return resolve !== undefined;
  }

  close(reason: CloseReason = { kind: 'local' }): void {
    this.emit({ event: 'session:disconnecting', data: { reason: 'The host or the editor has ended.' } });
    this.#listeners.clear();
    this.#end(reason);
  }
}
