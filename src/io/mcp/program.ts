// The connection to a server that is a program of its own: its process group, little of our environment, and its last words. Knows no method.
import { homedir } from 'node:os';
import { deserializeMessage } from '@modelcontextprotocol/client';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { createChildTransport } from '../../rpc/transports/child.ts';
import type { ChildTransport } from '../../rpc/transports/child.ts';
import { ndjson } from '../../rpc/framing/ndjson.ts';
import type { CloseReason } from '../../rpc/transports/transport.ts';
import { childEnvironment } from '../processes/environment.ts';
import { sealed } from '../processes/sealedPipes.ts';
import type { Environment, Plan, Way } from './wanted.ts';

/** How long a program may take to leave, in milliseconds. */
const graceMs = 1_000;

/** One message of a server, in bytes; whoever sends more is not worth the memory. */
export const longestMessage = 16 * 1024 * 1024;

/** How much of what it writes to standard error is kept for the message when it fails. */
const lastWords = 2_000;

export class ProgramTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  /** The library tells by these two that a server may stay silent on what it does not know. */
  readonly stderr = null;
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }
  readonly #plan: Plan & { readonly way: Extract<Way, { type: 'process' }> };
  readonly #env: Environment;
  #child: ChildTransport | undefined;
  #closed: Promise<void> = Promise.resolve();
  #said = '';
  /** How the program ended, once it has. */
  end: CloseReason | undefined;

  constructor(plan: Plan & { readonly way: Extract<Way, { type: 'process' }> }, env: Environment) {
    this.#plan = plan;
    this.#env = env;
  }

  start(): Promise<void> {
    this.#child ??= this.#open();
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (!this.#child || this.end) return Promise.reject(new Error('The server is not running.'));
    this.#child.send(JSON.stringify(message));
    return Promise.resolve();
  }

  /** Resolves when the program has gone. */
  close(): Promise<void> {
    this.#child?.close();
    return this.#closed;
  }

  /** What it wrote to standard error last. */
  said(): string {
    return this.#said.trim();
  }

  #open(): ChildTransport {
    const { command, args, env } = this.#plan.way;
    const child = createChildTransport({
      command,
      args,
      cwd: this.#plan.roots[0] ?? homedir(),
      env: childEnvironment(this.#env, env),
      framing: ndjson,
      graceMs,
      limits: { maxMessageBytes: longestMessage },
      descriptors: hidden(),
      stderr: (line) => (this.#said = `${this.#said}${line}\n`.slice(-lastWords)),
    });
    this.#closed = new Promise((resolve) => {
      child.listen({
        message: (text) => this.#take(text),
        problem: ({ kind, detail }) => {
          this.onerror?.(new Error(detail));
          // Somebody waits for the answer that was dropped here, and would wait in vain.
          if (kind === 'tooLarge') child.close({ kind, detail });
        },
        closed: (reason) => {
          this.end = reason;
          this.onclose?.();
          resolve();
        },
      });
    });
    return child;
  }

  #take(text: string): void {
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(text);
    } catch {
      // Many a program greets the user on its standard output before it speaks the protocol.
      this.onerror?.(new Error('The server wrote a line that is no message.'));
      return;
    }
    this.onmessage?.(message);
  }
}

/** What stands in the places of the descriptors that no program may have. */
function hidden(): readonly (number | 'ignore')[] {
  const places: readonly unknown[] = sealed(['pipe', 'pipe', 'pipe']);
  return places.slice(3).map((place) => (typeof place === 'number' ? place : 'ignore'));
}
