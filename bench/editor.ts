// An ACP client of a program under test that notes when each word has come.
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fineCpuOf, memoryOf } from './kit.ts';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly sessionId?: string; readonly update?: Update };
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

interface Update {
  readonly sessionUpdate: string;
  readonly content?: { readonly text?: string };
}

const parse: (line: string) => Message = JSON.parse;

export interface Arrival {
  readonly at: number;
  readonly text: string;
}

export class Editor {
  readonly #child: ChildProcess;
  #rest = '';
  #last = 0;
  readonly #waiting = new Map<number, (message: Message) => void>();
  /** The pieces of answers, in all sessions. */
  arrivals: Arrival[] = [];

  constructor(command: readonly string[], env: NodeJS.ProcessEnv, cwd: string) {
    const [program = '', ...args] = command;
    this.#child = spawn(program, args, { env, cwd, stdio: ['pipe', 'pipe', 'ignore'] });
    this.#child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      const at = performance.now();
      const lines = (this.#rest + chunk).split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') this.#hear(parse(line), at);
    });
  }

  get cpu(): number {
    return fineCpuOf(this.#child.pid ?? 0);
  }

  get memory(): number {
    return memoryOf(this.#child.pid ?? 0);
  }

  initialize(): Promise<unknown> {
    return this.#ask('initialize', { protocolVersion: 1, clientCapabilities: {} });
  }

  async open(cwd: string): Promise<string> {
    return String((await this.#ask('session/new', { cwd, mcpServers: [] }))['sessionId']);
  }

  prompt(sessionId: string, text: string): Promise<unknown> {
    return this.#ask('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
  }

  /** Sends a line as it is. */
  sendLine(line: Buffer): void {
    this.#child.stdin?.write(line);
    this.#child.stdin?.write('\n');
  }

  async close(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await exited;
  }

  #ask(method: string, params: object): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      this.#last += 1;
      this.#waiting.set(this.#last, ({ result, error }) =>
        error ? reject(new Error(`${method}: ${error.message}`)) : resolve(result ?? {}),
      );
      this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: this.#last, method, params })}\n`);
    });
  }

  #hear(message: Message, at: number): void {
    const { id, method, params } = message;
    if (id !== undefined && method === undefined) return this.#waiting.get(id)?.(message);
    const update = params?.update;
    if (update?.sessionUpdate === 'agent_message_chunk')
      this.arrivals.push({ at, text: update.content?.text ?? '' });
  }
}
