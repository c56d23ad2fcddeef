// MCP transport to a local server process: own process group, filtered environment, and the end of its
// standard error. Knows no method.
import { homedir } from 'node:os';
import { deserializeMessage } from '@modelcontextprotocol/client';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { createChildTransport } from '../../../rpc/transports/child.ts';
import type { ChildTransport } from '../../../rpc/transports/child.ts';
import { ndjson } from '../../../rpc/framing/ndjson.ts';
import type { CloseReason } from '../../../rpc/transports/transport.ts';
import { childEnvironment } from '../../processes/environment.ts';
import { sealedStdio } from '../../processes/sealedPipes.ts';
import type { Environment, ServerPlan, ServerEndpoint } from '../serverPlans.ts';

/** How long a process may take to exit before it is killed, in milliseconds. */
const graceMs = 1_000;

/** The largest message accepted from a server, in bytes. */
export const longestMessage = 16 * 1024 * 1024;

/** How many characters of standard error are kept for the error message when the process fails. */
const stderrLimit = 2_000;

export class ProgramTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  /**
   * The library recognises a local process by `stderr` and `pid`, and then accepts no answer
   * to an unknown method.
   */
  readonly stderr = null;
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }
  readonly #plan: ServerPlan & { readonly endpoint: Extract<ServerEndpoint, { type: 'process' }> };
  readonly #env: Environment;
  #child: ChildTransport | undefined;
  #closed: Promise<void> = Promise.resolve();
  #stderr = '';
  /** How the process ended; `undefined` while it runs. */
  end: CloseReason | undefined;

  constructor(
    plan: ServerPlan & { readonly endpoint: Extract<ServerEndpoint, { type: 'process' }> },
    env: Environment,
  ) {
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

  /** Resolves when the process has exited. */
  close(): Promise<void> {
    this.#child?.close();
    return this.#closed;
  }

  /** The end of what it wrote to standard error. */
  lastStderr(): string {
    return this.#stderr.trim();
  }

  #open(): ChildTransport {
    const { command, args, env } = this.#plan.endpoint;
    const child = createChildTransport({
      command,
      args,
      cwd: this.#plan.roots[0] ?? homedir(),
      env: childEnvironment(this.#env, env),
      framing: ndjson,
      graceMs,
      limits: { maxMessageBytes: longestMessage },
      descriptors: hiddenDescriptors(),
      stderr: (line) => (this.#stderr = `${this.#stderr}${line}\n`.slice(-stderrLimit)),
    });
    this.#closed = new Promise((resolve) => {
      child.listen({
        message: (text) => this.#take(text),
        problem: ({ kind, detail }) => {
          this.onerror?.(new Error(detail));
          // The dropped message may be an answer that a request would wait for forever.
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
      // Some programs print a greeting to standard output before they speak the protocol.
      this.onerror?.(new Error('The server printed a line that is not a message.'));
      return;
    }
    this.onmessage?.(message);
  }
}

/** Hides our own file descriptors from the process. */
function hiddenDescriptors(): readonly (number | 'ignore')[] {
  const stdio: readonly unknown[] = sealedStdio(['pipe', 'pipe', 'pipe']);
  return stdio.slice(3).map((entry) => (typeof entry === 'number' ? entry : 'ignore'));
}
