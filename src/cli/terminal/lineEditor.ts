// The text that is being typed: several lines, a caret, and the usual keys. Draws nothing.
import { safe } from '../say.ts';
import { letterWidth, lettersOf } from './styledText.ts';

/** A paste of more lines or letters is folded to one word. */
const mostPastedLines = 20;
const mostPastedLetters = 4_000;

export interface EditorLayout {
  readonly lines: readonly string[];
  readonly row: number;
  readonly column: number;
}

export class LineEditor {
  #text = '';
  #caret = 0;
  #killed = '';
  readonly #pastes = new Map<string, string>();
  /** What each key does; names as in `KeyPress`. */
  readonly #keys: { readonly [name: string]: (() => void) | undefined } = {
    left: () => this.#move(this.#before()),
    'ctrl-b': () => this.#move(this.#before()),
    right: () => this.#move(this.#after()),
    'ctrl-f': () => this.#move(this.#after()),
    'ctrl-left': () => this.#move(this.#wordStart()),
    'alt-left': () => this.#move(this.#wordStart()),
    'alt-b': () => this.#move(this.#wordStart()),
    'ctrl-right': () => this.#move(this.#wordEnd()),
    'alt-right': () => this.#move(this.#wordEnd()),
    'alt-f': () => this.#move(this.#wordEnd()),
    home: () => this.#move(this.#lineStart()),
    'ctrl-a': () => this.#move(this.#lineStart()),
    end: () => this.#move(this.#lineEnd()),
    'ctrl-e': () => this.#move(this.#lineEnd()),
    up: () => this.#moveLine(-1),
    down: () => this.#moveLine(1),
    backspace: () => this.#remove(this.#before(), this.#caret),
    'shift-backspace': () => this.#remove(this.#before(), this.#caret),
    'ctrl-h': () => this.#remove(this.#before(), this.#caret),
    delete: () => this.#remove(this.#caret, this.#after()),
    'ctrl-d': () => this.#remove(this.#caret, this.#after()),
    'ctrl-w': () => this.#kill(this.#wordStart(), this.#caret),
    'alt-backspace': () => this.#kill(this.#wordStart(), this.#caret),
    'ctrl-backspace': () => this.#kill(this.#wordStart(), this.#caret),
    'alt-d': () => this.#kill(this.#caret, this.#wordEnd()),
    'ctrl-u': () => this.#kill(this.#lineStart(), this.#caret),
    'ctrl-k': () => this.#kill(this.#caret, this.#lineEnd()),
    'ctrl-y': () => this.insert(this.#killed),
    'ctrl-j': () => this.insert('\n'),
    'alt-enter': () => this.insert('\n'),
    'shift-enter': () => this.insert('\n'),
  };

  /** As it is shown, with folded pastes. */
  get text(): string {
    return this.#text;
  }

  get caret(): number {
    return this.#caret;
  }

  /** As it is sent. */
  get wholeText(): string {
    let whole = this.#text;
    for (const [word, pasted] of this.#pastes) whole = whole.replaceAll(word, () => pasted);
    return whole;
  }

  set(text: string, caret = text.length): void {
    this.#text = text;
    this.#caret = caret;
  }

  clear(): void {
    this.set('');
    this.#pastes.clear();
  }

  insert(text: string): void {
    this.#text = this.#text.slice(0, this.#caret) + text + this.#text.slice(this.#caret);
    this.#caret += text.length;
  }

  paste(pasted: string): void {
    const text = pasted.replace(/\n+$/, '');
    const lines = text.split('\n').length;
    if (lines <= mostPastedLines && text.length <= mostPastedLetters) return this.insert(text);
    const number = this.#pastes.size + 1;
    const size = lines > mostPastedLines ? `${lines} lines` : `${text.length} characters`;
    const word = `[pasted ${size}${number === 1 ? '' : `, ${number}`}]`;
    this.#pastes.set(word, text);
    return this.insert(word);
  }

  /** Replaces the content by an earlier text; a long one is folded like a paste. */
  load(text: string): void {
    this.clear();
    this.paste(text);
  }

  /** Whether the key belongs to the editor. */
  press(name: string): boolean {
    const run = this.#keys[name];
    run?.();
    return run !== undefined;
  }

  get isOnFirstLine(): boolean {
    return this.#lineStart() === 0;
  }

  get isOnLastLine(): boolean {
    return this.#lineEnd() === this.#text.length;
  }

  /** The lines on the screen and the place of the caret. */
  layout(width: number): EditorLayout {
    const lines = [''];
    let column = 0;
    let place = { row: 0, column: 0 };
    let at = 0;
    const newLine = () => {
      lines.push('');
      column = 0;
    };
    for (const letter of lettersOf(this.#text)) {
      const shown = letter === '\n' ? '' : safe(letter.replace('\t', '  '));
      const wide = lettersOf(shown).reduce((sum, each) => sum + letterWidth(each), 0);
      if (column + wide > width) newLine();
      if (at === this.#caret) place = { row: lines.length - 1, column };
      if (letter === '\n') newLine();
      lines[lines.length - 1] += shown;
      column += wide;
      at += letter.length;
    }
    if (at === this.#caret) {
      if (column >= width) newLine();
      place = { row: lines.length - 1, column };
    }
    return { lines, ...place };
  }

  #move(to: number): void {
    this.#caret = to;
  }

  #remove(from: number, to: number): void {
    this.#text = this.#text.slice(0, from) + this.#text.slice(to);
    this.#caret = from;
  }

  #kill(from: number, to: number): void {
    if (from !== to) this.#killed = this.#text.slice(from, to);
    this.#remove(from, to);
  }

  /** Where the letter, or the folded paste, before the caret starts. */
  #before(): number {
    const text = this.#text.slice(0, this.#caret);
    const fold = [...this.#pastes.keys()].find((word) => text.endsWith(word));
    return this.#caret - (fold ?? lettersOf(text).at(-1) ?? '').length;
  }

  #after(): number {
    const text = this.#text.slice(this.#caret);
    const fold = [...this.#pastes.keys()].find((word) => text.startsWith(word));
    return this.#caret + (fold ?? lettersOf(text)[0] ?? '').length;
  }

  #wordStart(): number {
    return this.#text.slice(0, this.#caret).search(/\S+\s*$/) < 0
      ? 0
      : this.#text.slice(0, this.#caret).search(/\S+\s*$/);
  }

  #wordEnd(): number {
    return this.#caret + (/^\s*\S*/.exec(this.#text.slice(this.#caret))?.[0].length ?? 0);
  }

  #lineStart(): number {
    return this.#text.lastIndexOf('\n', this.#caret - 1) + 1;
  }

  #lineEnd(): number {
    const end = this.#text.indexOf('\n', this.#caret);
    return end < 0 ? this.#text.length : end;
  }

  #moveLine(step: -1 | 1): void {
    const column = this.#caret - this.#lineStart();
    const other = step < 0 ? this.#lineStart() - 1 : this.#lineEnd() + 1;
    if (other < 0 || other > this.#text.length) return;
    const start = step < 0 ? this.#text.lastIndexOf('\n', other - 1) + 1 : other;
    const next = this.#text.indexOf('\n', start);
    this.#caret = Math.min(start + column, next < 0 ? this.#text.length : next);
  }
}
