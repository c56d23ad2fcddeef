// MCP over ACP without connections, the newest form: notifications of the server belong to the
// request that they come with.
import type { ChannelMessage } from '../../../host/workspace/workbench.ts';
import { mcpMessage, mcpOutcome } from '../../../protocols/acp/v1/unstableSchema.ts';
import type { Peer } from '../../../rpc/peer.ts';
import { rpcCodes } from '../../../rpc/rpcError.ts';
import { failureOf } from '../errors.ts';
import type { ClientChannel } from './mcpOverAcp.ts';

export interface DirectOptions {
  readonly peer: Peer;
  readonly serverId: string;
  /** For requests with a numeric id: numbers start again with every MCP connection. */
  readonly nextId: () => string;
  readonly receive: (message: ChannelMessage) => void;
  /** The client does not support this form; it has received nothing. */
  readonly unknown: (unsent: readonly ChannelMessage[]) => void;
}

interface Running {
  readonly message: ChannelMessage;
  readonly stop: AbortController;
}

export function openDirect({ peer, serverId, nextId, receive, unknown }: DirectOptions): ClientChannel {
  const running = new Map<string, Running>();
  let supported = false;
  let closed = false;
  const request = async (message: ChannelMessage) => {
    const { id, method, params } = message;
    const requestId = typeof id === 'string' ? id : nextId();
    const stop = new AbortController();
    running.set(requestId, { message, stop });
    try {
      const answer = await peer.request(
        mcpMessage,
        { serverId, requestId, method, ...(params === undefined ? {} : { params }) },
        { signal: stop.signal },
      );
      const parsed = mcpOutcome.safeParse(answer);
      supported = true;
      receive({
        id,
        ...(parsed.success
          ? parsed.data
          : { error: { code: rpcCodes.internalError, message: 'The client sent an invalid MCP response.' } }),
      });
    } catch (error) {
      const failure = failureOf(error);
      const { code } = failure;
      if (!supported && !closed && (code === rpcCodes.methodNotFound || code === rpcCodes.invalidParams)) {
        closed = true;
        unknown([...running.values()].map((each) => each.message));
      } else if (!closed) receive({ id, error: failure });
    } finally {
      running.delete(requestId);
    }
  };
  return {
    /** The only notification to a server is the cancellation of a request. */
    send(message) {
      if (message.method !== undefined && message.id !== undefined) void request(message);
      const cancelled = message.method === 'notifications/cancelled' ? idIn(message.params) : undefined;
      if (cancelled !== undefined)
        for (const {
          message: { id },
          stop,
        } of running.values())
          if (id === cancelled) stop.abort();
    },
    notified(params) {
      if (!('serverId' in params) || params.serverId !== serverId || !running.has(params.requestId))
        return false;
      receive({ method: params.method, ...(params.params == null ? {} : { params: params.params }) });
      return true;
    },
    close() {
      closed = true;
      for (const { stop } of running.values()) stop.abort();
    },
  };
}

function idIn(params: unknown): unknown {
  return typeof params === 'object' && params !== null && 'requestId' in params
    ? params.requestId
    : undefined;
}
