// The connection to a server that a client of ours keeps: the client passes the messages on. Knows no method.
import { deserializeMessage } from '@modelcontextprotocol/client';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { ServerChannel } from '../../host/workspace/workbench.ts';
import type { Way } from './wanted.ts';

export class ChannelTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #way: Extract<Way, { type: 'client' }>;
  #channel: ServerChannel | undefined;
  /** Why it ended, once it has. */
  end: string | undefined;

  constructor(way: Extract<Way, { type: 'client' }>) {
    this.#way = way;
  }

  start(): Promise<void> {
    this.#channel ??= this.#way.open({
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
      this.onerror?.(new Error('The server sent what is no message.'));
    }
  }
}
