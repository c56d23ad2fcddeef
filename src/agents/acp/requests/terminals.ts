// The terminals that an agent runs through us: output within a limit, an end to wait for, and what was printed kept for as long as the
// conversation lasts. People see them, and may type in them, as terminals of the chat.
import type { Files, Ids } from '../../../host/ports.ts';
import type { ProgramEnd, Programs, RunningProgram } from '../../../host/terminals/programs.ts';
import type { Owner } from '../../../host/terminals/terminal.ts';
import { createTerminalParams, terminalParams } from '../../../protocols/acp/v1/clientSchema.ts';
import { resourceNotFound } from '../../../protocols/acp/v1/methods.ts';
import { visibleText } from '../../../base/visibleText.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import type { GuardedAction } from './approvalGuard.ts';
import { quoted } from '../turn/toolCall.ts';
import { readAs } from './readAs.ts';
import { TextTail } from '../process/textTail.ts';

export interface TerminalPorts {
  readonly programs: Programs;
  readonly files: Files;
  readonly ids: Ids;
  /** Whose terminals they are. */
  readonly owner: () => Owner;
}

/** What is kept of a terminal where the agent sets no limit, or one beyond reason. */
const usualLimit = 1_048_576;

const longestTitle = 256;

/** Older ones that were released are forgotten. */
const keptTerminals = 100;

interface Kept {
  readonly title: string;
  readonly tail: TextTail;
  readonly program: RunningProgram;
  readonly listeners: Set<(text: string) => void>;
  end: ProgramEnd | undefined;
  released: boolean;
}

export class Terminals {
  readonly #place: TerminalPorts;
  readonly #kept = new Map<string, Kept>();

  constructor(place: TerminalPorts) {
    this.#place = place;
  }

  /** The requests of the protocol by their names. */
  handle(method: string, params: unknown, roots: readonly string[]): unknown {
    switch (method) {
      case 'terminal/create':
        return this.#create(params, roots);
      case 'terminal/output':
        return this.#output(this.#find(params));
      case 'terminal/wait_for_exit':
        return this.#find(params).program.ended.then(exitOf);
      case 'terminal/kill':
        return this.#kill(this.#find(params));
      case 'terminal/release':
        return this.#release(this.#find(params));
      default:
        throw new RpcError(rpcCodes.methodNotFound, 'Method not found');
    }
  }

  /** What a tool call shows of a terminal, also after it was released. */
  view(id: string): { readonly title: string; readonly output: string } | undefined {
    const kept = this.#kept.get(id);
    return kept && { title: kept.title, output: kept.tail.read().text };
  }

  follow(id: string, print: (text: string) => void): void {
    const kept = this.#kept.get(id);
    if (!kept) return;
    print(kept.tail.read().text);
    kept.listeners.add(print);
  }

  /** Ends what still runs, of all terminals or of those that are not among the given ones. */
  async end(except: ReadonlySet<string> = new Set()): Promise<void> {
    const running = [...this.#kept]
      .filter(([id, { end }]) => !end && !except.has(id))
      .map(([, kept]) => kept);
    for (const { program } of running) program.kill();
    await Promise.all(running.map(({ program }) => program.ended));
  }

  get ids(): ReadonlySet<string> {
    return new Set(this.#kept.keys());
  }

  async #create(params: unknown, roots: readonly string[]): Promise<{ readonly terminalId: string }> {
    const { command, args, env, cwd, outputByteLimit } = readAs(createTerminalParams, params);
    const { programs, files, ids, owner } = this.#place;
    const place = await files.realPath(cwd ?? roots[0] ?? '/', roots[0] ?? '/');
    if ((await files.stat(place))?.type !== 'directory')
      throw new RpcError(rpcCodes.invalidParams, `${place} is not a directory.`);
    const tail = new TextTail(Math.min(outputByteLimit ?? usualLimit, 16 * usualLimit));
    const listeners = new Set<(text: string) => void>();
    const output = (text: string) => {
      tail.add(text);
      for (const listener of listeners) listener(text);
    };
    const terminalId = ids.next();
    const title = [command, ...args].join(' ');
    const program = programs.start({
      command,
      args,
      cwd: place,
      env: Object.fromEntries(env.map(({ name, value }) => [name, value])),
      output,
      shown: {
        id: terminalId,
        title: visibleText(title).slice(0, longestTitle),
        owner: owner(),
        reader: 'agent',
      },
    });
    const kept: Kept = { title, tail, program, listeners, end: undefined, released: false };
    void program.ended.then((end) => {
      if (end.kind === 'failed') output(`${end.message}\n`);
      return (kept.end = end);
    });
    this.#kept.set(terminalId, kept);
    this.#forgetOld();
    return { terminalId };
  }

  #output({ tail, end }: Kept): object {
    const { text, truncated } = tail.read();
    return { output: text, truncated, ...(end ? { exitStatus: exitOf(end) } : {}) };
  }

  async #kill({ program }: Kept): Promise<object> {
    program.kill();
    await program.ended;
    return {};
  }

  #release(kept: Kept): object {
    kept.released = true;
    if (!kept.end) kept.program.kill();
    return {};
  }

  #find(params: unknown): Kept {
    const { terminalId } = readAs(terminalParams, params);
    const kept = this.#kept.get(terminalId);
    if (kept && !kept.released) return kept;
    throw new RpcError(resourceNotFound, `There is no terminal ${terminalId}.`);
  }

  #forgetOld(): void {
    for (const [id, { released, end }] of this.#kept) {
      if (this.#kept.size <= keptTerminals) return;
      if (released && end) this.#kept.delete(id);
    }
  }
}

/** What a start is to policy and people. */
export function startingOf(params: unknown): GuardedAction {
  const { command, args } = readAs(createTerminalParams, params);
  const line = args.length === 0 ? command : [command, ...args].map(quoted).join(' ');
  return {
    name: 'shell_command',
    title: `$ ${line}`,
    toolKind: 'execute',
    command: line,
    input: { command: line },
  };
}

/** A command that could not be started has ended as shells say it. */
function exitOf(end: ProgramEnd): { readonly exitCode: number | null; readonly signal: string | null } {
  switch (end.kind) {
    case 'exited':
      return { exitCode: end.code, signal: null };
    case 'signalled':
      return { exitCode: null, signal: end.signal };
    case 'failed':
      return { exitCode: 127, signal: null };
    default:
      return end satisfies never;
  }
}
