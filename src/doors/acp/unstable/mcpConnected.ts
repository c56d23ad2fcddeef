// The earlier form of messages to a client's server: a connection is opened, used in both directions and closed.
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
  /** How the server is named when the connection is opened. */
  readonly name: object;
  readonly hear: (message: ChannelMessage) => void;
  readonly gone: (why: string) => void;
}

export function openConnected({ peer, name, hear, gone }: ConnectedOptions): ClientChannel {
  const asked = new Map<unknown, { resolve(result: unknown): void; reject(error: RpcError): void }>();
  const connection = peer.request(mcpConnect, name).then((answer) => mcpConnected.parse(answer).connectionId);
  let id: string | undefined;
  let count = 0;
  connection.then(
    (given) => (id = given),
    () => gone('The client could not connect to the server that it keeps.'),
  );
  const pass = async (message: ChannelMessage) => {
    const connectionId = await connection;
    const { method, params } = message;
    const body = { connectionId, method, ...(params === undefined ? {} : { params }) };
    if (message.id === undefined) return peer.notify(mcpMessage, body);
    try {
      hear({ id: message.id, result: await peer.request(mcpMessage, body) });
    } catch (error) {
      hear({ id: message.id, error: failureOf(error) });
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
      if (isOurs(params)) hear(inner(params));
      return isOurs(params);
    },
    asked(params) {
      if (!isOurs(params)) return undefined;
      const request = `client-${(count += 1)}`;
      const answer = new Promise<unknown>((resolve, reject) => asked.set(request, { resolve, reject }));
      hear({ id: request, ...inner(params) });
      return answer;
    },
    close: () =>
      void connection.then((connectionId) => peer.request(mcpDisconnect, { connectionId })).catch(() => {}),
  };
}
