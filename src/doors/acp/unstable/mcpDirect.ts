// The newest form of messages to a client's server: each request stands for itself, and what the server says meanwhile belongs to it.
import type { ChannelMessage } from '../../../host/workspace/workbench.ts';
import { mcpMessage, mcpOutcome } from '../../../protocols/acp/v1/unstableSchema.ts';
import type { Peer } from '../../../rpc/peer.ts';
import { rpcCodes } from '../../../rpc/rpcError.ts';
import { failureOf } from '../errors.ts';
import type { ClientChannel } from './mcpOverAcp.ts';

export interface DirectOptions {
  readonly peer: Peer;
  readonly serverId: string;
  readonly hear: (message: ChannelMessage) => void;
  /** The client does not know this form; nothing of what was sent has arrived. */
  readonly unknown: (unsent: readonly ChannelMessage[]) => void;
}

interface Running {
  readonly message: ChannelMessage;
  readonly stop: AbortController;
}

export function openDirect({ peer, serverId, hear, unknown }: DirectOptions): ClientChannel {
  const running = new Map<string, Running>();
  let known = false;
  let left = false;
  const ask = async (message: ChannelMessage) => {
    const { id, method, params } = message;
    const requestId = requestName(id);
    const stop = new AbortController();
    running.set(requestId, { message, stop });
    try {
      const answer = await peer.request(
        mcpMessage,
        { serverId, requestId, method, ...(params === undefined ? {} : { params }) },
        { signal: stop.signal },
      );
      const read = mcpOutcome.safeParse(answer);
      known = true;
      hear({
        id,
        ...(read.success
          ? read.data
          : { error: { code: rpcCodes.internalError, message: 'The client passed on what is no answer.' } }),
      });
    } catch (error) {
      const failure = failureOf(error);
      const { code } = failure;
      if (!known && !left && (code === rpcCodes.methodNotFound || code === rpcCodes.invalidParams)) {
        left = true;
        unknown([...running.values()].map((each) => each.message));
      } else if (!left) hear({ id, error: failure });
    } finally {
      running.delete(requestId);
    }
  };
  return {
    /** There are no notifications to a server, but to take a request back. */
    send(message) {
      if (message.method !== undefined && message.id !== undefined) void ask(message);
      const taken = message.method === 'notifications/cancelled' ? idIn(message.params) : undefined;
      if (taken !== undefined)
        for (const {
          message: { id },
          stop,
        } of running.values())
          if (id === taken) stop.abort();
    },
    notified(params) {
      if (!('serverId' in params) || params.serverId !== serverId || !running.has(params.requestId))
        return false;
      hear({ method: params.method, ...(params.params == null ? {} : { params: params.params }) });
      return true;
    },
    close() {
      left = true;
      for (const { stop } of running.values()) stop.abort();
    },
  };
}

let count = 0;

/** Words of a request name it by a text where it has one; numbers begin anew with every connection, so they are not used. */
function requestName(id: ChannelMessage['id']): string {
  return typeof id === 'string' ? id : `request-${(count += 1)}`;
}

function idIn(params: unknown): unknown {
  return typeof params === 'object' && params !== null && 'requestId' in params
    ? params.requestId
    : undefined;
}
