// Our pending requests: ids, promises and abort signals. Knows no connection.

import type { Incoming } from './envelope.ts';
import { RpcError, rpcCodes } from './rpcError.ts';
import type { CloseReason } from './transports/transport.ts';

interface Waiting {
  resolve(result: unknown): void;
  reject(error: RpcError): void;
}

export interface NewRequest {
  readonly signal: AbortSignal | undefined;
  send(id: number): void;
  cancel(id: number): void;
}

/** How many cancelled requests are remembered, to recognise their late answers. */
const maxGivenUp = 1024;

export class PendingRequests {
  readonly #waiting = new Map<unknown, Waiting>();
  readonly #givenUp = new Set<unknown>();
  #lastId = 0;
  #ended: CloseReason | undefined;

  open(request: NewRequest): Promise<unknown> {
    if (this.#ended !== undefined) return Promise.reject(connectionClosed(this.#ended));
    if (request.signal?.aborted === true) return Promise.reject(cancelled());
    const id = ++this.#lastId;
    const answer = new Promise<unknown>((resolve, reject) => {
      const waiting = { resolve, reject };
      this.#waiting.set(id, request.signal === undefined ? waiting : this.#abortable(id, request, waiting));
    });
    request.send(id);
    return answer;
  }

  awaits(id: unknown): boolean {
    return this.#waiting.has(id);
  }

  /** Returns `late` for a cancelled request and `undefined` for an unknown one. */
  settle(response: Incoming & { kind: 'result' | 'error' }): 'awaited' | 'late' | undefined {
    const waiting = this.#waiting.get(response.id);
    if (waiting === undefined) return this.#givenUp.delete(response.id) ? 'late' : undefined;
    this.#waiting.delete(response.id);
    if (response.kind === 'result') waiting.resolve(response.result);
    else waiting.reject(RpcError.raw(response.error));
    return 'awaited';
  }

  end(reason: CloseReason): void {
    this.#ended = reason;
    for (const waiting of this.#waiting.values()) waiting.reject(connectionClosed(reason));
    this.#waiting.clear();
  }

  #abortable(id: number, request: NewRequest, waiting: Waiting): Waiting {
    const { signal } = request;
    const aborted = () => {
      this.#waiting.delete(id);
      this.#giveUp(id);
      waiting.reject(cancelled());
      request.cancel(id);
    };
    const settled = () => signal?.removeEventListener('abort', aborted);
    signal?.addEventListener('abort', aborted, { once: true });
    return {
      resolve: (result) => (settled(), waiting.resolve(result)),
      reject: (error) => (settled(), waiting.reject(error)),
    };
  }

  #giveUp(id: number): void {
    this.#givenUp.add(id);
    if (this.#givenUp.size <= maxGivenUp) return;
    for (const oldest of this.#givenUp) {
      this.#givenUp.delete(oldest);
      return;
    }
  }
}

function cancelled(): RpcError {
  return new RpcError(rpcCodes.cancelled, 'Request cancelled');
}

function connectionClosed(reason: CloseReason): RpcError {
  return new RpcError(rpcCodes.connectionClosed, 'Connection closed', reason);
}
