// Tool servers of clients, offered to an agent over our connection: in the newest form of the protocol
// and in the earlier one.
import type { ServerChannel, ChannelMessage, ToolServer } from '../../../host/workspace/workbench.ts';
import {
  connectParams,
  disconnectParams,
  mcpConnect,
  mcpDisconnect,
  mcpMessage,
  mcpMessageParams,
} from '../../../protocols/acp/v1/unstableSchema.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import { readAs } from '../requests/readAs.ts';

export type LendableServer = Extract<ToolServer, { readonly type: 'client' }>;

/** The agent's end of the connection. */
export interface Borrower {
  request(method: string, params: unknown): Promise<unknown>;
  notify(method: string, params: unknown): void;
}

interface Waiting {
  resolve(message: ChannelMessage): void;
}

interface LentServer {
  readonly channel: ServerChannel;
  /** The agent's requests to the server that are not answered yet, by their ids. */
  readonly waiting: Map<string | number, Waiting>;
}

export class LentServers {
  readonly #borrower: Borrower;
  readonly #servers = new Map<string, LendableServer>();
  /** Those that are in use, by the server or by the connection to it. */
  readonly #direct = new Map<string, LentServer>();
  readonly #connected = new Map<string, LentServer>();
  /** The agent's own names of its running requests to a server. */
  readonly #running = new Map<string, string[]>();
  #count = 0;

  constructor(borrower: Borrower) {
    this.#borrower = borrower;
  }

  /** How the server is described to the agent. */
  lend(server: LendableServer): object {
    this.#servers.set(server.key, server);
    return { type: 'acp', name: server.name, serverId: server.key };
  }

  handle(method: string, params: unknown): unknown {
    switch (method) {
      case mcpConnect:
        return this.#connect(params);
      case mcpDisconnect:
        return this.#disconnect(params);
      case mcpMessage:
        return this.#message(params);
      default:
        throw new RpcError(rpcCodes.methodNotFound, 'Method not found');
    }
  }

  /** A notification of the agent to a server; only connections have them. */
  receive(params: unknown): void {
    const read = mcpMessageParams.safeParse(params);
    if (read.success && 'connectionId' in read.data)
      this.#connected.get(read.data.connectionId)?.channel.send(inner(read.data));
  }

  close(): void {
    for (const { channel } of [...this.#direct.values(), ...this.#connected.values()]) channel.close();
    this.#direct.clear();
    this.#connected.clear();
  }

  async #message(params: unknown): Promise<unknown> {
    const read = readAs(mcpMessageParams, params);
    if (!('connectionId' in read)) return this.#directly(read);
    const lent = this.#connected.get(read.connectionId);
    if (!lent) throw new RpcError(rpcCodes.invalidParams, 'There is no such MCP connection.');
    const { result, error } = await this.#ask(lent, inner(read));
    if (error) throw new RpcError(error.code, error.message);
    return result ?? {};
  }

  /** Each request is independent; messages of the server in the meantime belong to it. */
  async #directly({
    serverId,
    requestId,
    ...message
  }: {
    readonly serverId: string;
    readonly requestId: string;
    readonly method: string;
    readonly params?: object | null | undefined;
  }): Promise<unknown> {
    const lent =
      this.#direct.get(serverId) ??
      this.#open(serverId, (current) => ({
        notified: (said) => {
          const newest = this.#running.get(serverId)?.at(-1);
          if (newest !== undefined)
            this.#borrower.notify(mcpMessage, { serverId, requestId: newest, ...inner(said) });
        },
        // There is no way for a server to ask something here.
        asked: (id) =>
          current().channel.send({
            id,
            error: { code: rpcCodes.methodNotFound, message: 'Method not found' },
          }),
        gone: () => this.#direct.delete(serverId),
      }));
    this.#direct.set(serverId, lent);
    const running = this.#running.get(serverId) ?? [];
    this.#running.set(serverId, running);
    running.push(requestId);
    try {
      const { result, error } = await this.#ask(lent, inner(message));
      return error ? { error } : { result: result ?? {} };
    } finally {
      running.splice(running.indexOf(requestId), 1);
    }
  }

  #connect(params: unknown): object {
    const { serverId } = readAs(connectParams, params);
    const connectionId = `connection-${(this.#count += 1)}`;
    const lent = this.#open(serverId, (current) => ({
      notified: (said) => this.#borrower.notify(mcpMessage, { connectionId, ...inner(said) }),
      asked: (id, said) =>
        void this.#borrower.request(mcpMessage, { connectionId, ...inner(said) }).then(
          (result) => current().channel.send({ id, result }),
          (error: unknown) => current().channel.send({ id, error: failureOf(error) }),
        ),
      gone: () => this.#connected.delete(connectionId),
    }));
    this.#connected.set(connectionId, lent);
    return { connectionId };
  }

  #disconnect(params: unknown): object {
    const { connectionId } = readAs(disconnectParams, params);
    this.#connected.get(connectionId)?.channel.close();
    this.#connected.delete(connectionId);
    return {};
  }

  #open(
    serverId: string,
    listener: (lent: () => LentServer) => {
      notified(said: ChannelMessage): void;
      asked(id: string | number, said: ChannelMessage): void;
      gone(): void;
    },
  ): LentServer {
    const server = this.#servers.get(serverId);
    if (!server) throw new RpcError(rpcCodes.invalidParams, 'There is no such server.');
    const waiting = new Map<string | number, Waiting>();
    const hear = listener(() => lent);
    const channel = server.open({
      message(said) {
        if (said.method === undefined) {
          if (said.id !== undefined) waiting.get(said.id)?.resolve(said);
        } else if (said.id === undefined) hear.notified(said);
        else hear.asked(said.id, said);
      },
      closed(why) {
        hear.gone();
        for (const one of waiting.values())
          one.resolve({ error: { code: rpcCodes.internalError, message: why } });
      },
    });
    const lent: LentServer = { channel, waiting };
    return lent;
  }

  #ask({ channel, waiting }: LentServer, message: ChannelMessage): Promise<ChannelMessage> {
    const id = `agent-${(this.#count += 1)}`;
    return new Promise<ChannelMessage>((resolve) => {
      waiting.set(id, { resolve });
      channel.send({ ...message, id });
    }).finally(() => waiting.delete(id));
  }
}

function failureOf(error: unknown): { readonly code: number; readonly message: string } {
  if (error instanceof RpcError && typeof error.code === 'number')
    return { code: error.code, message: error.message };
  return { code: rpcCodes.internalError, message: 'The agent failed.' };
}

function inner({ method, params }: { readonly method?: string | undefined; readonly params?: unknown }): {
  readonly method?: string;
  readonly params?: unknown;
} {
  return { ...(method === undefined ? {} : { method }), ...(params == null ? {} : { params }) };
}
