// MCP servers that run in the client: messages go through `mcp/message`, in the newest form or the earlier
// one with connections.
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
import type { Feature, NotificationHandler } from '../inbound/readParams.ts';
import type { AcpConnection } from '../connection.ts';
import { openConnected } from './mcpConnected.ts';
import { openDirect } from './mcpDirect.ts';

/** A channel that receives the client's notifications. */
export interface ClientChannel extends ServerChannel {
  /** True if the notification belongs to this channel. */
  notified(params: McpMessageParams): boolean;
  asked?(params: McpMessageParams): Promise<unknown> | undefined;
}

export function clientServer(connection: AcpConnection, server: McpServerAcp): ToolServer {
  const key = 'serverId' in server ? server.serverId : server.id;
  return {
    type: 'client',
    name: server.name,
    key: `${connection.id}/${key}`,
    open: (listener) => openChannel(connection, server, listener),
  };
}

/** Only the earlier form has requests from a server. */
export const mcpMessages: Feature = [
  [
    mcpMessage,
    call(mcpMessageParams, ({ connection }, params) => {
      const answer = channelsOf(connection).flatMap((channel) => channel.asked?.(params) ?? [])[0];
      if (!answer) throw new RpcError(rpcCodes.invalidParams, 'Unknown MCP connection.');
      return answer;
    }),
  ],
];

export const mcpNotifications: NotificationHandler = [
  mcpMessage,
  ({ connection }, params) => {
    const read = mcpMessageParams.safeParse(params);
    if (read.success) channelsOf(connection).some((channel) => channel.notified(read.data));
  },
];

function channelsOf({ mcpChannels }: AcpConnection): readonly ClientChannel[] {
  return [...mcpChannels];
}

/** Tries the newest form first; a client that does not support it uses connections. */
function openChannel(
  connection: AcpConnection,
  server: McpServerAcp,
  listener: ChannelListener,
): ServerChannel {
  const { mcpChannels: channels } = connection;
  const use = (channel: ClientChannel): ClientChannel => {
    channels.add(channel);
    return channel;
  };
  const closed = (reason: string) => {
    channels.delete(current);
    listener.closed(reason);
  };
  const options = {
    peer: connection.peer,
    receive: (message: ChannelMessage) => listener.message(message),
    closed,
  };
  const connected = (name: object) => use(openConnected({ ...options, name }));
  let current: ClientChannel =
    'id' in server
      ? connected({ acpId: server.id })
      : use(
          openDirect({
            ...options,
            serverId: server.serverId,
            nextId: () => connection.host.ids.next(),
            unknown: (unsent) => {
              channels.delete(current);
              current = connected({ serverId: server.serverId });
              for (const message of unsent) current.send(message);
            },
          }),
        );
  void connection.peer.closed.then(() => closed('The client that runs this server has disconnected.'));
  return {
    send: (message) => current.send(message),
    close() {
      channels.delete(current);
      current.close();
    },
  };
}
