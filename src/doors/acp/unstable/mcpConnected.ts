// MCP over ACP with connections, the earlier form: a connection is opened, used in both
// directions and closed.
import type { ChannelMessage } from '../../../host/workspace/workbench.ts';
import {
  mcpConnect,
  mcpConnected,
  mcpDisconnect,
  mcpMessage,
} from '../../../protocols/acp/v1/unstableSchema.ts';
import type { McpMessageParams } from '../../../protocols/acp/v1/unstableSchema.ts';
import type { Peer } from '../../../rpc/peer.ts';
import { RpcError } from '../../../rpc/rpcError.ts';
import { failureOf } from '../errors.ts';
import type { ClientChannel } from './mcpOverAcp.ts';

export interface ConnectedOptions {
  readonly peer: Peer;
  /** The name of the server in the request that opens the connection. */
  readonly name: object;
  readonly receive: (message: ChannelMessage) => void;
  readonly closed: (why: string) => void;
}

export function openConnected({ peer, name, receive, closed }: ConnectedOptions): ClientChannel {
  const asked = new Map<unknown, { resolve(result: unknown): void; reject(error: RpcError): void }>();
  const connection = peer.request(mcpConnect, name).then((answer) => mcpConnected.parse(answer).connectionId);
  let id: string | undefined;
  let count = 0;
  connection.then(
    (connectionId) => (id = connectionId),
    () => closed('The client could not connect to its MCP server.'),
  );
  const pass = async (message: ChannelMessage) => {
    const connectionId = await connection;
    const { method, params } = message;
    const body = { connectionId, method, ...(params === undefined ? {} : { params }) };
    if (message.id === undefined) return peer.notify(mcpMessage, body);
    try {
      receive({ id: message.id, result: await peer.request(mcpMessage, body) });
    } catch (error) {
      receive({ id: message.id, error: failureOf(error) });
    }
  };
  const answered = ({ id: request, result, error }: ChannelMessage) => {
    const waiting = asked.get(request);
    asked.delete(request);
    if (error) waiting?.reject(new RpcError(error.code, error.message));
    else waiting?.resolve(result);
  };
  const isOurs = (params: McpMessageParams) => 'connectionId' in params && params.connectionId === id;
  const inner = ({ method, params }: McpMessageParams) => ({ method, ...(params == null ? {} : { params }) });
  return {
    send(message) {
      if (message.method !== undefined) void pass(message).catch(() => {});
      else answered(message);
    },
    notified(params) {
      if (isOurs(params)) receive(inner(params));
      return isOurs(params);
    },
    asked(params) {
      if (!isOurs(params)) return undefined;
      const request = `client-${(count += 1)}`;
      const answer = new Promise<unknown>((resolve, reject) => asked.set(request, { resolve, reject }));
      receive({ id: request, ...inner(params) });
      return answer;
    },
    close: () =>
      void connection.then((connectionId) => peer.request(mcpDisconnect, { connectionId })).catch(() => {}),
  };
}
