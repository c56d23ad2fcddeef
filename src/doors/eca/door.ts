// The ECA door: serves one client until it disconnects.
import { present } from '../../base/present.ts';
import type { Door } from '../../host/door.ts';
import type { Host } from '../../host/host.ts';
import { createPeer } from '../../rpc/peer.ts';
import type { Peer, RequestContext } from '../../rpc/peer.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import type { Transport } from '../../rpc/transports/transport.ts';
import { closeConnection, openConnection } from './connection.ts';
import { catalogueChanged } from './inbound/lifecycle.ts';
import { handleNotification, handleRequest } from './methods.ts';
import type { EcaDoorOptions } from './options.ts';

export function ecaDoor(options: EcaDoorOptions): Door<Transport> {
  return { name: 'eca', serve: (transport, host) => serve(transport, host, options) };
}

async function serve(transport: Transport, host: Host, options: EcaDoorOptions): Promise<void> {
  const peer: Peer = createPeer(transport, {
    cancel: { method: '$/cancelRequest', idKey: 'id' },
    lenient: true,
    ...present({ limits: options.limits }),
    problem: ({ kind, detail, error }) =>
      host.report(error ?? new Error(`${kind}: ${detail}`), 'an ECA connection'),
    handle: {
      request: (method, params, context) =>
        respond(host, { context, method }, () =>
          handleRequest(connection, { method, params, signal: context.signal }),
        ),
      notification: (method, params) =>
        handleNotification(connection, { method, params, signal: connection.lifetime.signal }),
    },
  });
  const connection = openConnection(host, peer, options);
  const unfollow = host.follow((change) => catalogueChanged(connection, change));
  await peer.closed;
  unfollow();
  closeConnection(connection);
}

/**
 * The result of a request: immediate where the handler is, and without waiting further once the request is
 * cancelled. An unexpected error is reported to the host; the client learns only which request failed.
 */
function respond(
  host: Host,
  { context, method }: { readonly context: RequestContext; readonly method: string },
  handle: () => unknown,
): unknown {
  const fail = (error: unknown): never => {
    if (error instanceof RpcError || context.signal.aborted) throw error;
    host.report(error, `the ECA request ${method}`);
    throw new RpcError(rpcCodes.internalError, 'Internal error', { id: context.id, method });
  };
  try {
    const result = handle();
    return result instanceof Promise
      ? Promise.race([result.catch(fail), rejectOnAbort(context.signal)])
      : result;
  } catch (error) {
    return fail(error);
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new RpcError(rpcCodes.cancelled, 'Request cancelled')), {
      once: true,
    });
  });
}
