// One end of a JSON-RPC 2.0 connection: requests, notifications and cancellation both ways.
// Knows no method name.

import { encodeError, encodeNotification, encodeRequest, encodeResult, readEnvelope } from './envelope.ts';
import type { EnvelopeRules, Incoming, RequestId } from './envelope.ts';
import { Inbox } from './inbox.ts';
import { PendingRequests } from './requests.ts';
import { RpcError, rpcCodes } from './rpcError.ts';
import { Running } from './running.ts';
import type { RunningTask } from './running.ts';
import { unreadableError } from './unreadable.ts';
import { withDefaults } from './transports/transport.ts';
import type { CloseReason, Limits, Transport, TransportProblem } from './transports/transport.ts';

export interface Peer {
  /**
   * Rejects with an `RpcError`. An aborted request is cancelled on the other side and no longer waited for.
   */
  request(method: string, params?: unknown, options?: { readonly signal?: AbortSignal }): Promise<unknown>;
  notify(method: string, params?: unknown): void;
  /** One whole message that is already JSON, as made by `encodeNotification`. */
  sendRaw(text: string): void;
  readonly buffered: number;
  /** False while the reader is behind: send no more than needed and continue at `onDrain`. */
  ready(): boolean;
  onDrain(callback: () => void): Disposable;
  /** Settles when all requests of the other side are answered. */
  idle(): Promise<void>;
  close(reason?: CloseReason): void;
  /** Settles once, after the last message was delivered and everything sent was written or dropped. */
  readonly closed: Promise<CloseReason>;
}

export interface PeerOptions {
  readonly handle: Handler;
  readonly limits?: Partial<Limits>;
  /** The protocol's cancel notification, and the member of its params that contains the request id. */
  readonly cancel?: { readonly method: string; readonly idKey: string };
  /** Accepts messages that leave out the `jsonrpc` member. */
  readonly lenient?: boolean;
  /** What to do with malformed input: answer it with an error (as a server should), or only report it. */
  readonly malformed?: 'answer' | 'report';
  readonly problem?: (problem: PeerProblem) => void;
}

/**
 * Called in the order of arrival. A thrown `RpcError` is sent as the answer; any other error is hidden
 * behind an internal error.
 */
export interface Handler {
  request(method: string, params: unknown, context: RequestContext): unknown;
  notification(method: string, params: unknown): unknown;
}

export interface RequestContext {
  readonly id: RequestId;
  /** Aborted when the other side cancels the request or the connection ends. */
  readonly signal: AbortSignal;
}

export interface PeerProblem {
  readonly kind: TransportProblem['kind'] | 'invalid' | 'overloaded' | 'unknownResponse' | 'handler';
  readonly detail: string;
  readonly error?: unknown;
}

export function createPeer(transport: Transport, options: PeerOptions): Peer {
  return new JsonRpcPeer(transport, options);
}

class JsonRpcPeer implements Peer {
  readonly closed: Promise<CloseReason>;
  readonly #transport: Transport;
  readonly #options: PeerOptions;
  readonly #rules: EnvelopeRules;
  readonly #inbox = new Inbox((incoming) => this.#take(incoming));
  readonly #requests: PendingRequests;
  readonly #running: Running;

  constructor(transport: Transport, options: PeerOptions) {
    const limits = withDefaults(options.limits);
    this.#transport = transport;
    this.#options = options;
    this.#requests = new PendingRequests();
    this.#rules = {
      maxDepth: limits.maxDepth,
      maxValues: limits.maxValues,
      lenient: options.lenient ?? false,
      awaits: (id) => this.#requests.awaits(id),
    };
    this.#running = new Running(limits.maxPending);
    this.closed = new Promise((resolve) => {
      transport.listen({
        message: (text) => this.#inbox.add(readEnvelope(text, this.#rules)),
        problem: (problem) => this.#unreadable(problem),
        ended: () => this.#running.idle(),
        closed: (reason) =>
          this.#inbox.end(() => {
            this.#running.end();
            this.#requests.end(reason);
            resolve(reason);
          }),
      });
    });
  }

  get buffered(): number {
    return this.#transport.buffered;
  }

  ready(): boolean {
    return this.#transport.ready();
  }

  onDrain(callback: () => void): Disposable {
    return this.#transport.onDrain(() => this.#guard('a drain callback failed', callback));
  }

  idle(): Promise<void> {
    return this.#running.idle();
  }

  close(reason?: CloseReason): void {
    this.#transport.close(reason);
  }

  notify(method: string, params?: unknown): void {
    this.#transport.send(encodeNotification(method, params));
  }

  sendRaw(text: string): void {
    this.#transport.send(text);
  }

  request(method: string, params?: unknown, options?: { readonly signal?: AbortSignal }): Promise<unknown> {
    const { cancel } = this.#options;
    return this.#requests.open({
      signal: options?.signal,
      send: (id) => this.#transport.send(encodeRequest(id, method, params)),
      cancel: (id) => cancel !== undefined && this.notify(cancel.method, { [cancel.idKey]: id }),
    });
  }

  #take(incoming: Incoming): void {
    switch (incoming.kind) {
      case 'notification':
        return this.#notified(incoming.method, incoming.params);
      case 'request':
        return this.#requested(incoming);
      case 'result':
      case 'error':
        return this.#answered(incoming);
      case 'refused':
        return this.#refuse(incoming.id, incoming.error);
      case 'dropped':
        return this.#report({ kind: 'invalid', detail: incoming.detail });
    }
  }

  #notified(method: string, params: unknown): void {
    const { cancel, handle } = this.#options;
    if (method === cancel?.method) this.#running.cancel(memberOf(params, cancel.idKey));
    else this.#guard('a notification handler failed', () => handle.notification(method, params));
  }

  #requested({ id, method, params }: Incoming & { kind: 'request' }): void {
    const task = this.#running.start(id);
    if (task === undefined) {
      this.#report({ kind: 'overloaded', detail: 'too many requests in flight' });
      this.#sendError(id, overloaded);
      return;
    }
    const failed = (error: unknown) => {
      this.#running.done(task);
      this.#sendError(id, this.#shown(error, task));
    };
    const succeeded = (result: unknown) => {
      let text: string;
      try {
        text = encodeResult(id, result);
      } catch (error) {
        failed(error);
        return;
      }
      this.#running.done(task);
      this.#transport.send(text);
    };
    try {
      const result = this.#options.handle.request(method, params, task);
      if (isPromise(result)) result.then(succeeded, failed);
      else succeeded(result);
    } catch (error) {
      failed(error);
    }
  }

  /** Only an `RpcError` is sent; any other error could contain paths, secrets or a stack. */
  #shown(error: unknown, task: RunningTask): RpcError {
    if (error instanceof RpcError) return error;
    if (task.aborted) return cancelled;
    this.#report({ kind: 'handler', detail: 'a request handler failed', error });
    return internal;
  }

  #answered(response: Incoming & { kind: 'result' | 'error' }): void {
    const known = this.#requests.settle(response);
    if (!known) this.#report({ kind: 'unknownResponse', detail: 'a response to no request' });
    else if (known === 'awaited') this.#inbox.pause();
  }

  #refuse(id: RequestId, error: RpcError): void {
    this.#report({ kind: error.code === rpcCodes.parseError ? 'parse' : 'invalid', detail: error.message });
    if (id !== null || this.#options.malformed !== 'report') this.#sendError(id, error);
  }

  #unreadable(problem: TransportProblem): void {
    this.#report(problem);
    if (this.#options.malformed !== 'report') this.#sendError(null, unreadableError(problem));
  }

  #sendError(id: RequestId, error: RpcError): void {
    let text: string;
    try {
      text = encodeError(id, error);
    } catch (cause) {
      this.#report({ kind: 'handler', detail: 'an error body is not JSON', error: cause });
      text = encodeError(id, internal);
    }
    this.#transport.send(text);
  }

  #guard(detail: string, call: () => unknown): void {
    const failed = (error: unknown) => this.#report({ kind: 'handler', detail, error });
    try {
      const result = call();
      if (isPromise(result)) result.then(undefined, failed);
    } catch (error) {
      failed(error);
    }
  }

  #report(problem: PeerProblem): void {
    this.#options.problem?.(problem);
  }
}

const internal = new RpcError(rpcCodes.internalError, 'Internal error');
const cancelled = new RpcError(rpcCodes.cancelled, 'Request cancelled');
const overloaded = new RpcError(rpcCodes.overloaded, 'Too many requests in flight', { reason: 'overloaded' });

function isPromise(value: unknown): value is Promise<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return value instanceof Promise || ('then' in value && typeof value.then === 'function');
}

function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return Reflect.get(value, key);
}
