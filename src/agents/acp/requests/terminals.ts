// Terminals that an agent runs through us, with limited output that is stored as long as the
// conversation lasts. Clients show them as terminals of the chat, and people may type in them.
import type { Files, Ids } from '../../../host/ports.ts';
import type { ProgramEnd, Programs, RunningProgram } from '../../../host/terminals/programs.ts';
import type { Owner } from '../../../host/terminals/terminal.ts';
import { createTerminalParams, terminalParams } from '../../../protocols/acp/v1/clientSchema.ts';
import { resourceNotFound } from '../../../protocols/acp/v1/methods.ts';
import { visibleText } from '../../../base/visibleText.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import { safeGitEnvironment } from '../../../host/policy/safeGit.ts';
import type { ApprovedRun, GuardedAction } from './approvalGuard.ts';
import { commandText } from '../turn/commandText.ts';
import { spelledPath } from './clientFiles.ts';
import type { FileAccess } from './clientFiles.ts';
import { permissionTitle } from './permissions.ts';
import { readAs } from './readAs.ts';
import { TextTail } from '../process/textTail.ts';

export interface TerminalPorts {
  readonly programs: Programs;
  readonly files: Files;
  readonly ids: Ids;
  /** The owner of the terminals. */
  readonly owner: () => Owner;
  /** What the agent has of our environment: its commands have the same. */
  readonly environment: () => { readonly [name: string]: string };
}

/** The output limit if the agent sets none, or too large a one. */
const usualLimit = 1_048_576;

const longestTitle = 256;

/** Older ones that were released are forgotten. */
const keptTerminals = 100;

interface TerminalEntry {
  readonly title: string;
  readonly tail: TextTail;
  readonly program: RunningProgram;
  readonly listeners: Set<(text: string) => void>;
  end: ProgramEnd | undefined;
  released: boolean;
}

export class AgentTerminals {
  readonly #place: TerminalPorts;
  readonly #kept = new Map<string, TerminalEntry>();

  constructor(place: TerminalPorts) {
    this.#place = place;
  }

  /** The requests about an existing terminal, by method. */
  handle(method: string, params: unknown): unknown {
    switch (method) {
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

  /** `folder` is the approved one, with links resolved: a link that changed since then does not count. */
  create(
    params: unknown,
    folder: string,
    { safeGit, confined }: ApprovedRun,
  ): { readonly terminalId: string } {
    const { command, args, env, outputByteLimit } = readAs(createTerminalParams, params);
    const { programs, ids, owner, environment } = this.#place;
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
      cwd: folder,
      confined,
      env: {
        ...withoutScreen(environment()),
        ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
        ...(safeGit ? safeGitEnvironment : {}),
      },
      output,
      shown: {
        id: terminalId,
        title: visibleText(title).slice(0, longestTitle),
        owner: owner(),
        reader: 'agent',
      },
    });
    const kept: TerminalEntry = { title, tail, program, listeners, end: undefined, released: false };
    void program.ended.then((end) => {
      if (end.kind === 'failed') output(`${end.message}\n`);
      return (kept.end = end);
    });
    this.#kept.set(terminalId, kept);
    this.#forgetOld();
    return { terminalId };
  }

  #output({ tail, end }: TerminalEntry): object {
    const { text, truncated } = tail.read();
    return { output: text, truncated, ...(end ? { exitStatus: exitOf(end) } : {}) };
  }

  async #kill({ program }: TerminalEntry): Promise<object> {
    program.kill();
    await program.ended;
    return {};
  }

  #release(kept: TerminalEntry): object {
    kept.released = true;
    if (!kept.end) kept.program.kill();
    return {};
  }

  #find(params: unknown): TerminalEntry {
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

/** The start as a request to policy, with its environment and folder. */
export async function startingOf(params: unknown, place: FileAccess): Promise<GuardedAction> {
  const { command, args, env, cwd } = readAs(createTerminalParams, params);
  const { real, spellings } = await spelledPath(cwd ?? place.roots[0] ?? '/', place);
  if ((await place.files.stat(real))?.type !== 'directory')
    throw new RpcError(rpcCodes.invalidParams, `${real} is not a directory.`);
  const line = commandText({ command, args, env });
  const isRoot = spellings.includes(place.roots[0] ?? '/');
  return {
    name: 'shell_command',
    title: permissionTitle(line, isRoot ? undefined : real),
    toolKind: 'execute',
    command: line,
    path: real,
    spellings,
    input: {
      command: line,
      ...(isRoot ? {} : { cwd: real }),
      ...(env.length === 0 ? {} : { env: Object.fromEntries(env.map(({ name, value }) => [name, value])) }),
    },
  };
}

/** A command that could not be started has ended as shells say it. */
/** A terminal of an agent is no screen of the user: its programs must not wait for a key. */
function withoutScreen(env: { readonly [name: string]: string }): Record<string, string> {
  const shown = Object.entries(env).filter(([name]) => !/^(?:TERM|COLORTERM|(?:.+_)?PAGER)$/.test(name));
  return Object.fromEntries(shown);
}

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
