// Servers of tools that the client keeps itself: their messages go through `mcp/message`, in its newest form and in the earlier one with connections.
import type {
  ServerChannel,
  ChannelListener,
  ChannelMessage,
  ToolServer,
} from '../../../host/workspace/workbench.ts';
import { mcpMessage, mcpMessageParams } from '../../../protocols/acp/v1/unstableSchema.ts';
import type { McpMessageParams, McpServerAcp } from '../../../protocols/acp/v1/unstableSchema.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import { call } from '../inbound/readParams.ts';
import type { Feature, Heard } from '../inbound/readParams.ts';
import type { Connection } from '../connection.ts';
import { openConnected } from './mcpConnected.ts';
import { openDirect } from './mcpDirect.ts';

/** A channel that hears what the client says of it. */
export interface ClientChannel extends ServerChannel {
  /** Whether it was for this one. */
  notified(params: McpMessageParams): boolean;
  asked?(params: McpMessageParams): Promise<unknown> | undefined;
}

export function clientServer(connection: Connection, server: McpServerAcp): ToolServer {
  const key = 'serverId' in server ? server.serverId : server.id;
  return {
    type: 'client',
    name: server.name,
    key: `${connection.id}/${key}`,
    open: (hear) => openChannel(connection, server, hear),
  };
}

/** A server may ask something only in the earlier form. */
export const mcpMessages: Feature = [
  [
    mcpMessage,
    call(mcpMessageParams, ({ connection }, params) => {
      const answer = channelsOf(connection).flatMap((channel) => channel.asked?.(params) ?? [])[0];
      if (!answer) throw new RpcError(rpcCodes.invalidParams, 'There is no such connection to a server.');
      return answer;
    }),
  ],
];

export const mcpNotifications: Heard = [
  mcpMessage,
  ({ connection }, params) => {
    const read = mcpMessageParams.safeParse(params);
    if (read.success) channelsOf(connection).some((channel) => channel.notified(read.data));
  },
];

const open = new WeakMap<Connection, Set<ClientChannel>>();

function channelsOf(connection: Connection): readonly ClientChannel[] {
  return [...(open.get(connection) ?? [])];
}

/** A server by its newer name is spoken to directly first; a client that does not know that has connections. */
function openChannel(connection: Connection, server: McpServerAcp, hear: ChannelListener): ServerChannel {
  const channels = open.get(connection) ?? new Set();
  open.set(connection, channels);
  const use = (channel: ClientChannel): ClientChannel => {
    channels.add(channel);
    return channel;
  };
  const gone = (why: string) => {
    channels.delete(current);
    hear.closed(why);
  };
  const options = { peer: connection.peer, hear: (message: ChannelMessage) => hear.message(message), gone };
  const connected = (name: object) => use(openConnected({ ...options, name }));
  let current: ClientChannel =
    'id' in server
      ? connected({ acpId: server.id })
      : use(
          openDirect({
            ...options,
            serverId: server.serverId,
            unknown: (unsent) => {
              channels.delete(current);
              current = connected({ serverId: server.serverId });
              for (const message of unsent) current.send(message);
            },
          }),
        );
  void connection.peer.closed.then(() => gone('The client that keeps this server has left.'));
  return {
    send: (message) => current.send(message),
    close() {
      channels.delete(current);
      current.close();
    },
  };
}
