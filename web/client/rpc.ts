// Requests with their answers over one wire. It knows the shape of the protocol's messages, and none of their meaning.
import { errorCodes } from '../../src/protocols/ahp/errors.ts';
import type {
  ClientNotificationMethod,
  ClientNotifications,
  RequestMethod,
  Requests,
} from '../../src/protocols/ahp/v1_0/commands.ts';
import { readIncoming } from './incoming.ts';
import type { Fields } from './incoming.ts';
import { wireName } from './own.ts';
import type { OwnMethod, OwnRequests } from './own.ts';

export interface Rpc {
  request<Method extends RequestMethod>(
    method: Method,
    params: Requests[Method]['params'],
  ): Promise<Requests[Method]['result']>;
  /** A request of our own making. */
  ask<Method extends OwnMethod>(
    method: Method,
    params: OwnRequests[Method]['params'],
  ): Promise<OwnRequests[Method]['result']>;
  notify<Method extends ClientNotificationMethod>(method: Method, params: ClientNotifications[Method]): void;
  receive(text: string): void;
  /** The wire is gone: every open request fails. */
  end(): void;
}

/** What the host answered instead of a result, or that it could not be asked. */
export class RequestError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Not of the protocol: the connection ended before the answer came. */
export const connectionLost = 1;

interface Open {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: RequestError) => void;
}

export function createRpc(
  send: (text: string) => void,
  heard: (method: string, params: Fields) => void,
): Rpc {
  const open = new Map<number, Open>();
  let lastId = 0;
  let ended = false;

  const take = (id: number): Open | undefined => {
    const entry = open.get(id);
    open.delete(id);
    return entry;
  };

  const ask = (method: string, params: object): Promise<unknown> => {
    if (ended) return Promise.reject(lost());
    const id = ++lastId;
    send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return new Promise((resolve, reject) => open.set(id, { resolve, reject }));
  };

  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the method decides the result, and the host is ours
    request: (method, params) => ask(method, params) as Promise<never>,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    ask: (method, params) => ask(wireName(method), params) as Promise<never>,
    notify: (method, params) => send(JSON.stringify({ jsonrpc: '2.0', method, params })),
    receive: (text) => {
      const message = readIncoming(text);
      if (message === undefined) return;
      if (message.kind === 'notification') heard(message.method, message.params);
      else if (message.kind === 'answer') take(message.id)?.resolve(message.result);
      else if (message.kind === 'failure')
        take(message.id)?.reject(new RequestError(message.code, message.message, message.data));
      else send(JSON.stringify({ jsonrpc: '2.0', id: message.id, error: refusal(message.method) }));
    },
    end: () => {
      ended = true;
      for (const id of [...open.keys()]) take(id)?.reject(lost());
    },
  };
}

function lost(): RequestError {
  return new RequestError(connectionLost, 'The connection to the host was lost.');
}

/** A page has no files to lend, so it serves none of the requests that a host may send. */
function refusal(method: string): { readonly code: number; readonly message: string } {
  return { code: errorCodes.methodNotFound, message: `The console does not serve ${method}.` };
}
