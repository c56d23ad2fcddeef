// Terminals that an agent of version 2 runs itself: it tells their output, which the calls show that
// refer to them.
import { TextTail } from '../process/textTail.ts';

interface ReportedTerminal {
  title: string;
  tail: TextTail;
  decoder: InstanceType<typeof TextDecoder>;
  readonly listeners: Set<(text: string) => void>;
}

/** How much of the output is kept, in bytes. */
const outputLimit = 1_048_576;

/** Older ones are forgotten. */
const keptTerminals = 100;

export interface TerminalReport {
  readonly command?: string | undefined;
  readonly output?: { readonly data: string } | undefined;
  readonly exitStatus?:
    | { readonly exitCode?: number | undefined; readonly signal?: string | undefined }
    | undefined;
}

export class ReportedTerminals {
  readonly #kept = new Map<string, ReportedTerminal>();

  /** A call may refer to a terminal that the agent has not described yet. */
  mention(id: string): void {
    this.#find(id);
  }

  view(id: string): { readonly title: string; readonly output: string; readonly isAgents: true } | undefined {
    const kept = this.#kept.get(id);
    return kept && { title: kept.title, output: kept.tail.read().text, isAgents: true };
  }

  follow(id: string, print: (text: string) => void): void {
    const kept = this.#kept.get(id);
    if (!kept) return;
    print(kept.tail.read().text);
    kept.listeners.add(print);
  }

  /** Output that is reported here replaces the earlier output. */
  update(id: string, { command, output, exitStatus }: TerminalReport): void {
    const kept = this.#find(id);
    if (command !== undefined) kept.title = command;
    if (output) replace(kept, output.data);
    if (exitStatus) add(kept, endOf(exitStatus));
  }

  /** Adds bytes in base64. */
  append(id: string, data: string): void {
    const kept = this.#find(id);
    add(kept, kept.decoder.decode(Buffer.from(data, 'base64'), { stream: true }));
  }

  #find(id: string): ReportedTerminal {
    const known = this.#kept.get(id);
    if (known) return known;
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= keptTerminals) this.#kept.delete(oldest);
    const fresh: ReportedTerminal = {
      title: 'Terminal',
      tail: new TextTail(outputLimit),
      decoder: new TextDecoder(),
      listeners: new Set(),
    };
    this.#kept.set(id, fresh);
    return fresh;
  }
}

/** Listeners get what is new; where the whole output is another one, they get all of it. */
function replace(kept: ReportedTerminal, data: string): void {
  const before = kept.tail.read().text;
  kept.tail = new TextTail(outputLimit);
  kept.decoder = new TextDecoder();
  const now = kept.decoder.decode(Buffer.from(data, 'base64'), { stream: true });
  kept.tail.add(now);
  tell(kept, now.startsWith(before) ? now.slice(before.length) : `\n${now}`);
}

function add(kept: ReportedTerminal, text: string): void {
  kept.tail.add(text);
  tell(kept, text);
}

function tell({ listeners }: ReportedTerminal, text: string): void {
  if (text !== '') for (const listener of listeners) listener(text);
}

/** An end without an error is not worth a word. */
function endOf({ exitCode, signal }: NonNullable<TerminalReport['exitStatus']>): string {
  if (signal !== undefined) return `\nEnded by ${signal}.\n`;
  return exitCode === undefined || exitCode === 0 ? '' : `\nExit code: ${exitCode}\n`;
}
