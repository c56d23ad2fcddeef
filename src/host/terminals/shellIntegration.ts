// Parses terminal output piece by piece: removes the messages of our shell integration and reports them as
// events. All other output stays as it is, wherever a piece ends.
import { nextControl, TitleParser } from './terminalTitle.ts';
import type { TitleEvent } from './terminalTitle.ts';

export type ShellEvent =
  | { readonly type: 'data'; readonly text: string }
  /** The first message of the shell: commands are reported from now on. */
  | { readonly type: 'detected' }
  /** Empty if the shell does not report the line. */
  | { readonly type: 'commandStarted'; readonly commandLine: string }
  | { readonly type: 'commandFinished'; readonly exitCode: number | undefined }
  | TitleEvent;

/** A longer sequence is not ours. Shells cut command lines well below it. */
const wordLimit = 40_000;

/** How much of a line that is being typed is inspected. */
const typedLimit = 256;

/** The start of each of our messages; a letter and a value follow, and the end of an OSC sequence. */
export function sequencePrefix(nonce: string): string {
  return `\u001b]633;${nonce};`;
}

export class ShellIntegration {
  readonly #mark: string | undefined;
  readonly #titles = new TitleParser();
  /** The end of the input, while it may still become one of our messages. */
  #held: string[] = [];
  #heldLength = 0;
  /** Whether the held text begins with our mark. */
  #inWord = false;
  #detected = false;
  /** The beginning of the line that is being typed; undefined if none is. */
  #typed: string | undefined;
  #text = '';
  #events: ShellEvent[] = [];

  constructor(nonce: string | undefined) {
    this.#mark = nonce === undefined ? undefined : sequencePrefix(nonce);
  }

  read(piece: string): readonly ShellEvent[] {
    this.#hold(piece);
    // A long message in small pieces is joined once, when a piece can contain its end.
    if (!this.#inWord || this.#heldLength > wordLimit || nextControl(piece, 0) >= 0)
      this.#split(this.#release());
    return this.#take();
  }

  /** The text that was held back because more could have followed. */
  end(): readonly ShellEvent[] {
    this.#pass(this.#release());
    return this.#take();
  }

  #split(text: string): void {
    let passed = 0;
    for (let at = this.#escape(text, 0); at >= 0;) {
      const end = this.#wordEnd(text, at);
      if (end === 'foreign') at = this.#escape(text, at + 1);
      else {
        this.#pass(text.slice(passed, at));
        if (end === 'open') this.#keep(text.slice(at));
        else this.#hear(text.slice(at, end));
        passed = end === 'open' ? text.length : end;
        at = this.#escape(text, passed);
      }
    }
    this.#pass(text.slice(passed));
  }

  #keep(begun: string): void {
    this.#hold(begun);
    this.#inWord = begun.length >= (this.#mark?.length ?? 0) && !begun.endsWith('\u001b');
  }

  #hold(piece: string): void {
    this.#held.push(piece);
    this.#heldLength += piece.length;
  }

  #release(): string {
    const text = this.#held.join('');
    this.#held = [];
    this.#heldLength = 0;
    this.#inWord = false;
    return text;
  }

  #escape(text: string, from: number): number {
    return this.#mark === undefined ? -1 : text.indexOf('\u001b', from);
  }

  /** The end of our message that begins here; `open` if it is incomplete, `foreign` if it is not ours. */
  #wordEnd(text: string, from: number): number | 'open' | 'foreign' {
    const mark = this.#mark ?? '';
    const start = from + mark.length;
    if (!text.startsWith(mark, from))
      return text.length < start && mark.startsWith(text.slice(from)) ? 'open' : 'foreign';
    const stop = nextControl(text, start);
    if ((stop < 0 ? text.length : stop) - start > wordLimit) return 'foreign';
    if (stop < 0) return 'open';
    if (text[stop] === '\u0007') return stop + 1;
    if (text[stop] !== '\u001b') return 'foreign';
    if (stop + 1 === text.length) return 'open';
    return text[stop + 1] === '\\' ? stop + 2 : 'foreign';
  }

  #hear(word: string): void {
    const said = word.slice(this.#mark?.length, word.endsWith('\u0007') ? -1 : -2);
    const kind = said.slice(0, 1);
    this.#flush();
    if (!this.#detected) this.#events.push({ type: 'detected' });
    this.#detected = true;
    const event = this.#meaning(kind, said.slice(2));
    if (event) this.#events.push(event);
    this.#typed = kind === 'B' ? '' : undefined;
  }

  #meaning(kind: string, value: string): ShellEvent | undefined {
    switch (kind) {
      case 'C':
        return { type: 'commandStarted', commandLine: unescaped(value) };
      // The history did not grow: the line repeats the last one, unless it began with a blank, which
      // hides it from the history.
      case 'c':
        return {
          type: 'commandStarted',
          commandLine: visible(this.#typed ?? '').startsWith(' ') ? '' : unescaped(value),
        };
      case 'D':
        return { type: 'commandFinished', exitCode: /^\d{1,9}$/.test(value) ? Number(value) : undefined };
      case 'P':
        return value === '' ? undefined : { type: 'cwdChanged', cwd: unescaped(value) };
      default:
        return undefined;
    }
  }

  #pass(text: string): void {
    if (this.#typed !== undefined && this.#typed.length < typedLimit)
      this.#typed += text.slice(0, typedLimit - this.#typed.length);
    let passed = 0;
    for (const { at, event } of this.#titles.read(text)) {
      this.#text += text.slice(passed, at);
      passed = at;
      this.#flush();
      this.#events.push(event);
    }
    this.#text += text.slice(passed);
  }

  #flush(): void {
    if (this.#text !== '') this.#events.push({ type: 'data', text: this.#text });
    this.#text = '';
  }

  #take(): readonly ShellEvent[] {
    this.#flush();
    const events = this.#events;
    this.#events = [];
    return events;
  }
}

/** The shell doubles backslashes and writes control characters by number. */
function unescaped(value: string): string {
  return value.replace(/\\(?:\\|x([0-9a-f]{2}))/g, (_, code: string | undefined) =>
    code === undefined ? '\\' : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** The text without escape sequences for colours and cursor moves. */
function visible(text: string): string {
  // oxlint-disable-next-line no-control-regex -- escape sequences are made of control characters
  return text.replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g, '');
}
