// Stands between the terminal and the line editor. Pasted text of several lines becomes one word in the line,
// so that it is sent as one message and not line by line.
import { Transform } from 'node:stream';
import type { TransformCallback } from 'node:stream';
import type { ReadStream } from 'node:tty';
import { StringDecoder } from 'node:string_decoder';
import { markPastes, print } from '../output.ts';
import { pasteTime, UnmarkedPastes } from '../terminal/keys.ts';

const begin = '\u001b[200~';
const end = '\u001b[201~';
const interrupt = '\u0003';

export class PasteFilter extends Transform {
  readonly isTTY = true;
  readonly #terminal: Pick<ReadStream, 'setRawMode'>;
  readonly #decoder = new StringDecoder('utf8');
  readonly #pastes = new Map<string, string>();
  readonly #unmarked = new UnmarkedPastes();
  /** A terminal that knows no controls would show them. */
  readonly #isAble = process.env['TERM'] !== 'dumb';
  /** Called before keys are passed on. */
  beforeKeys: (keys: string) => void = () => {};
  /** What has arrived and is not passed on yet: an incomplete mark, or an incomplete paste. */
  #waiting = '';
  #readAt = performance.now();

  constructor(terminal: ReadStream) {
    super();
    this.#terminal = terminal;
    terminal.pipe(this);
    if (this.#isAble) print(markPastes.on);
  }

  /** The line editor asks for single keys. */
  setRawMode(on: boolean): this {
    this.#terminal.setRawMode(on);
    return this;
  }

  /** The line with what was pasted into it. */
  unfold(line: string): string {
    let whole = line;
    for (const [word, text] of this.#pastes) whole = whole.replaceAll(word, () => text);
    return whole;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    const keys = this.#keysOf(this.#decoder.write(chunk));
    if (keys !== '') {
      this.beforeKeys(keys);
      this.push(keys);
    }
    done();
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.#isAble) print(markPastes.off);
    done();
  }

  #keysOf(text: string): string {
    const silence = performance.now() - this.#readAt;
    this.#readAt += silence;
    // The end of a paste may be lost. Then Ctrl-C is a key, and the user has the keys again.
    if (text === interrupt && this.#waiting.startsWith(begin) && silence >= pasteTime) {
      const pasted = this.#fold(this.#waiting.slice(begin.length));
      this.#waiting = '';
      return `${pasted}${interrupt}`;
    }
    return this.#waiting === '' && this.#unmarked.isPasted(text) ? this.#fold(text) : this.#takeMore(text);
  }

  #takeMore(text: string): string {
    this.#waiting += text;
    let passed = '';
    for (;;) {
      const from = this.#waiting.indexOf(begin);
      if (from < 0) {
        const held = unfinishedMark(this.#waiting);
        passed += this.#waiting.slice(0, this.#waiting.length - held);
        this.#waiting = this.#waiting.slice(this.#waiting.length - held);
        return passed;
      }
      const to = this.#waiting.indexOf(end, from);
      passed += this.#waiting.slice(0, from);
      this.#waiting = this.#waiting.slice(from);
      if (to < 0) return passed;
      passed += this.#fold(this.#waiting.slice(begin.length, to - from));
      this.#waiting = this.#waiting.slice(to - from + end.length);
    }
  }

  /** One line stays as it is; the terminal sends the ends of lines as returns. */
  #fold(pasted: string): string {
    const text = pasted.replaceAll(/\r\n?/g, '\n').replace(/\n+$/, '');
    const lines = text.split('\n').length;
    // Keys inside of a paste are text, not keys.
    if (lines === 1) return text.replaceAll(/\p{Cc}/gu, ' ');
    const number = this.#pastes.size + 1;
    const word = `[pasted ${lines} lines${number === 1 ? '' : `, ${number}`}]`;
    this.#pastes.set(word, text);
    return word;
  }
}

/** How many characters at the end could be an incomplete mark. A single escape is a key and passes. */
function unfinishedMark(text: string): number {
  for (let length = begin.length - 1; length > 1; length -= 1)
    if (text.endsWith(begin.slice(0, length))) return length;
  return 0;
}
