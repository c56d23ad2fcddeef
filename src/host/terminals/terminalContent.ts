// The content of a terminal: plain output, and recognized commands with their output, up to a limit.

export type TerminalPart = PlainPart | CommandOutput;

export interface PlainPart {
  readonly type: 'plain';
  readonly text: string;
}

export interface CommandOutput {
  readonly type: 'command';
  readonly id: string;
  /** Empty if the shell does not report it. */
  readonly commandLine: string;
  readonly output: string;
  readonly startedAt: number;
  readonly finished: CommandEnd | undefined;
}

export interface CommandEnd {
  readonly exitCode: number | undefined;
  readonly durationMs: number;
}

/**
 * Above `largestSize` characters the oldest lines are dropped down to `trimmedSize`, so that not every
 * new line causes a trim.
 */
const largestSize = 100_000;
const trimmedSize = 80_000;

/** A shell may run any number of commands without output. */
const mostParts = 2_000;

export class TerminalContent {
  #parts: TerminalPart[] = [];
  #size = 0;
  #truncated = false;

  get parts(): readonly TerminalPart[] {
    return [...this.#parts];
  }

  /** Whether output was dropped. */
  get truncated(): boolean {
    return this.#truncated;
  }

  /** All output as one text. */
  get text(): string {
    return this.#parts.map((part) => (part.type === 'plain' ? part.text : part.output)).join('');
  }

  /**
   * Output belongs to the running command, or continues the plain text before it, or starts new plain text.
   */
  append(text: string): void {
    const last = this.#parts.at(-1);
    if (last?.type === 'command' && !last.finished)
      this.#replace(this.#parts.length - 1, { ...last, output: last.output + text });
    else if (last?.type === 'plain')
      this.#replace(this.#parts.length - 1, { ...last, text: last.text + text });
    else this.#parts.push({ type: 'plain', text });
    this.#size += text.length;
    this.#trim();
  }

  begin({ id, commandLine, startedAt }: Pick<CommandOutput, 'id' | 'commandLine' | 'startedAt'>): void {
    this.#parts.push({ type: 'command', id, commandLine, output: '', startedAt, finished: undefined });
    this.#size += commandLine.length;
    this.#trim();
  }

  finish(id: string, { exitCode, durationMs }: CommandEnd): void {
    const at = this.#parts.findLastIndex((part) => part.type === 'command' && part.id === id);
    const part = this.#parts[at];
    if (part?.type === 'command') this.#replace(at, { ...part, finished: { exitCode, durationMs } });
  }

  clear(): void {
    this.#parts = [];
    this.#size = 0;
    this.#truncated = false;
  }

  #replace(at: number, part: TerminalPart): void {
    this.#parts[at] = part;
  }

  #trim(): void {
    if (this.#size <= largestSize && this.#parts.length <= mostParts) return;
    let surplus = this.#size - trimmedSize;
    let gone = 0;
    const spare = this.#parts.length - mostParts * (trimmedSize / largestSize);
    for (const part of this.#parts.slice(0, -1)) {
      if (surplus < sizeOf(part) && gone >= spare) break;
      surplus -= sizeOf(part);
      gone += 1;
    }
    const rest = this.#parts.slice(gone);
    const first = rest[0];
    if (first && surplus > 0) rest[0] = shortened(first, surplus);
    this.#parts = rest;
    this.#size = rest.reduce((sum, part) => sum + sizeOf(part), 0);
    this.#truncated = true;
  }
}

function sizeOf(part: TerminalPart): number {
  return part.type === 'plain' ? part.text.length : part.commandLine.length + part.output.length;
}

function shortened(part: TerminalPart, by: number): TerminalPart {
  return part.type === 'plain'
    ? { ...part, text: withoutStart(part.text, by) }
    : { ...part, output: withoutStart(part.output, by) };
}

/** Cuts at the next line start; inside a line only if the line is too long to keep. */
function withoutStart(text: string, by: number): string {
  const line = text.indexOf('\n', by - 1) + 1;
  if (line > 0 && line < text.length) return text.slice(line);
  const code = text.charCodeAt(by);
  return text.slice(code >= 0xdc00 && code <= 0xdfff ? by + 1 : by);
}
