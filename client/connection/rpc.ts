// JSON-RPC over one wire: matches answers to requests. It does not interpret their content.
import { errorCodes } from '../../src/protocols/ahp/errors.ts';
import type {
  ClientNotificationMethod,
  ClientNotifications,
  RequestMethod,
  Requests,
} from '../../src/protocols/ahp/v1_0/commands.ts';
import { readIncoming } from './incoming.ts';
import type { JsonObject } from './incoming.ts';
import { extensionMethodName } from './extensions.ts';
import type { ExtensionMethod, ExtensionRequests } from './extensions.ts';

export interface Requester {
  request<Method extends RequestMethod>(
    method: Method,
    params: Requests[Method]['params'],
  ): Promise<Requests[Method]['result']>;
  /** A request beyond AHP, which only Parley serves. */
  requestExtension<Method extends ExtensionMethod>(
    method: Method,
    params: ExtensionRequests[Method]['params'],
  ): Promise<ExtensionRequests[Method]['result']>;
}

export interface Rpc extends Requester {
  /**
   * Passes the answer to `use` before the next message is read. Several messages may come at once, and those
   * behind a state build on it.
   */
  requestInOrder<Method extends RequestMethod, Used>(
    method: Method,
    params: Requests[Method]['params'],
    use: (result: Requests[Method]['result']) => Used,
  ): Promise<Used>;
  notify<Method extends ClientNotificationMethod>(method: Method, params: ClientNotifications[Method]): void;
  receive(text: string): void;
  /** The wire was closed: every open request fails. */
  end(): void;
}

/** An error response of the host, or a lost connection (`connectionLost`). */
export class RequestError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Not a JSON-RPC code: the connection ended before the answer arrived. */
export const connectionLost = 1;

interface OpenRequest {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: RequestError) => void;
}

export function createRpc(
  send: (text: string) => void,
  onNotification: (method: string, params: JsonObject) => void,
): Rpc {
  const open = new Map<number, OpenRequest>();
  let lastId = 0;
  let ended = false;

  const take = (id: number): OpenRequest | undefined => {
    const entry = open.get(id);
    open.delete(id);
    return entry;
  };

  const call = <Used>(method: string, params: object, use: (result: never) => Used): Promise<Used> => {
    if (ended) return Promise.reject(lost());
    const id = ++lastId;
    send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return new Promise((resolve, reject) => {
      const answered = (result: unknown) => {
        try {
          // The method decides the result, and the console trusts its host.
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion
          resolve(use(result as never));
        } catch (error) {
          reject(error);
        }
      };
      open.set(id, { resolve: answered, reject });
    });
  };

  return {
    request: (method, params) => call(method, params, (result) => result),
    requestInOrder: call,
    requestExtension: (method, params) => call(extensionMethodName(method), params, (result) => result),
    notify: (method, params) => send(JSON.stringify({ jsonrpc: '2.0', method, params })),
    receive: (text) => {
      const message = readIncoming(text);
      if (message === undefined) return;
      if (message.kind === 'notification') onNotification(message.method, message.params);
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

/** The console lends no files or tools, so it serves no request of the host. */
function refusal(method: string): { readonly code: number; readonly message: string } {
  return { code: errorCodes.methodNotFound, message: `The console does not serve ${method}.` };
}
