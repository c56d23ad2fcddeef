// MCP transport to a server that one of our clients runs: the client forwards the messages. Knows no method.
import { deserializeMessage } from '@modelcontextprotocol/client';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { ServerChannel } from '../../../host/workspace/workbench.ts';
import type { ServerEndpoint } from '../serverPlans.ts';

export class ChannelTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #endpoint: Extract<ServerEndpoint, { type: 'client' }>;
  #channel: ServerChannel | undefined;
  /** Why the connection ended; `undefined` while it is open. */
  end: string | undefined;

  constructor(endpoint: Extract<ServerEndpoint, { type: 'client' }>) {
    this.#endpoint = endpoint;
  }

  start(): Promise<void> {
    this.#channel ??= this.#endpoint.open({
      message: (message) => this.#take(message),
      closed: (why) => this.#ended(why),
    });
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (!this.#channel || this.end !== undefined)
      return Promise.reject(new Error(this.end ?? 'The server is not connected.'));
    this.#channel.send(message);
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#channel?.close();
    this.#ended('The connection was closed.');
    return Promise.resolve();
  }

  #ended(why: string): void {
    if (this.end !== undefined) return;
    this.end = why;
    this.onclose?.();
  }

  #take(message: object): void {
    try {
      this.onmessage?.(deserializeMessage(JSON.stringify({ jsonrpc: '2.0', ...message })));
    } catch {
      this.onerror?.(new Error('The server sent an invalid message.'));
    }
  }
}
