// Turns what a terminal sends into keys, typed text and pastes. Pieces of a sequence may come one by one.

export type KeyPress =
  /** A key by its name, such as `enter`, `ctrl-c`, `alt-up` or `shift-tab`. */
  | { readonly kind: 'key'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'paste'; readonly text: string };

/** A paste that goes on comes faster, also over a slow network; in milliseconds. */
export const pasteTime = 1_000;

const pasteBegin = '\u001b[200~';
const pasteEnd = '\u001b[201~';
/** Ctrl-C, in both forms that terminals send. */
const interrupts = ['\u0003', '\u001b[99;5u'];

/* oxlint-disable no-control-regex -- that is what terminals send */
const csi = /^\u001b\[([\d;:?<>=]*)[ -/]*([@-~])/;
const ss3 = /^\u001bO([A-Za-z])/;
const unfinished = /^\u001b(?:\[[\d;:?<>=]*[ -/]*|O)?$/;
const typed = /^[^\p{Cc}]+/u;
const notText = /[^\P{Cc}\t\r\n]/u;
const lineEnd = /\r\n?|\n/;
/* oxlint-enable no-control-regex */

const finalNames: { readonly [letter: string]: string | undefined } = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
};

const tildeNames: { readonly [number: string]: string | undefined } = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
};

const codeNames: { readonly [code: number]: string | undefined } = {
  9: 'tab',
  13: 'enter',
  27: 'escape',
  127: 'backspace',
  57414: 'enter',
};

const controlNames: { readonly [letter: string]: string | undefined } = {
  '\r': 'enter',
  '\t': 'tab',
  '\u007f': 'backspace',
  '\b': 'backspace',
};

export class KeyDecoder {
  #waiting = '';
  /** The pieces of a paste whose end has not come yet. Only their last letters are still searched for it. */
  #pasted: string[] | undefined;
  /** Nothing more of the paste has come for a while: its end may be lost. Then Ctrl-C is a key. */
  #isBroken = false;
  readonly #unmarked = new UnmarkedPastes();

  /** Whether the last bytes could be an incomplete key; an escape alone is a key if nothing follows. */
  get isWaiting(): boolean {
    return this.#waiting !== '' && !this.#pasted;
  }

  get isPasting(): boolean {
    return this.#pasted !== undefined;
  }

  push(text: string): readonly KeyPress[] {
    if (this.#pasted && this.#isBroken && interrupts.includes(text)) return this.#endPaste(this.#pasted);
    this.#isBroken = false;
    if (this.#waiting === '' && !this.#pasted && this.#unmarked.isPasted(text)) return [pasted(text)];
    this.#waiting += text;
    const found: KeyPress[] = [];
    while (this.#waiting !== '' && (this.#pasted || !unfinished.test(this.#waiting))) {
      const next = this.#take();
      if (!next) break;
      found.push(...next);
    }
    return found;
  }

  /** What was waited for did not come. */
  flush(): readonly KeyPress[] {
    this.#isBroken = this.isPasting;
    if (!this.isWaiting) return [];
    const keys = this.#waiting.length === 1 ? [key('escape')] : [];
    this.#waiting = '';
    return keys;
  }

  /** Undefined if the end of a paste has not come yet. */
  #take(): readonly KeyPress[] | undefined {
    if (this.#pasted) return this.#takePaste(this.#pasted);
    const text = this.#waiting;
    if (text.startsWith(pasteBegin)) {
      this.#waiting = text.slice(pasteBegin.length);
      this.#pasted = [];
      return this.#takePaste(this.#pasted);
    }
    const sequence = csi.exec(text) ?? ss3.exec(text);
    if (sequence) {
      this.#waiting = text.slice(sequence[0].length);
      const name = sequenceName(sequence);
      return name === undefined ? [] : [name];
    }
    const plain = typed.exec(text)?.[0];
    if (plain !== undefined) {
      this.#waiting = text.slice(plain.length);
      return [{ kind: 'text', text: plain }];
    }
    if (text.startsWith('\u001b') && text.length > 1) return this.#takeAlt(text.slice(1));
    this.#waiting = text.slice(1);
    return [key(controlName(text.charAt(0)))];
  }

  #takePaste(pieces: string[]): readonly KeyPress[] | undefined {
    const text = this.#waiting;
    const end = text.indexOf(pasteEnd);
    const until = end < 0 ? Math.max(0, text.length - pasteEnd.length + 1) : end;
    pieces.push(text.slice(0, until));
    this.#waiting = text.slice(end < 0 ? until : end + pasteEnd.length);
    if (end < 0) return undefined;
    this.#pasted = undefined;
    return [pasted(pieces.join(''))];
  }

  /** What has come of a paste whose end was lost; the user has the keys again. */
  #endPaste(pieces: readonly string[]): readonly KeyPress[] {
    const text = `${pieces.join('')}${this.#waiting}`;
    this.#waiting = '';
    this.#pasted = undefined;
    return [pasted(text), key('ctrl-c')];
  }

  #takeAlt(rest: string): readonly KeyPress[] {
    if (rest.startsWith('\u001b')) {
      this.#waiting = rest;
      return [key('escape')];
    }
    const [letter = ''] = rest;
    this.#waiting = rest.slice(letter.length);
    return [key(`alt-${typed.test(letter) ? letter.toLowerCase() : controlName(letter)}`)];
  }
}

/**
 * Finds pastes from a terminal that does not mark them: nobody types two lines and their ends between two
 * reads, or goes on in the next line after this much. They are never sent line by line; Enter sends them. One
 * line with its end is sent, however long it is.
 */
export class UnmarkedPastes {
  /** A long paste comes in pieces of the terminal's buffer: one that fills it is followed by another. */
  #goesOn: 'paste' | 'line' | undefined;

  /** Whether one read is a paste, or a piece of one. A single letter behind a piece is a key again. */
  isPasted(text: string): boolean {
    const isLong = text.length >= longRead;
    const isPiece =
      (this.#goesOn === 'paste' && text.length > 1) || ((isLong || this.#goesOn) && nextLine.test(text));
    const isPasted = !notText.test(text) && (isPiece || isSeveralLines(text));
    const kind = isPasted ? 'paste' : 'line';
    this.#goesOn = isLong ? kind : undefined;
    return isPasted;
  }
}

const nextLine = /[\r\n][^\r\n]/;

/** In letters; the smallest buffer of a terminal has 1,024 bytes. */
const longRead = 1000;

function isSeveralLines(text: string): boolean {
  const lines = text.split(lineEnd);
  return lines.length > 2 && lines.filter((line) => line !== '').length > 1;
}

function pasted(text: string): KeyPress {
  return { kind: 'paste', text: text.replaceAll(/\r\n?/g, '\n') };
}

function key(name: string): KeyPress {
  return { kind: 'key', name };
}

function controlName(letter: string): string {
  return controlNames[letter] ?? `ctrl-${String.fromCharCode(letter.charCodeAt(0) + 96)}`;
}

function sequenceName([whole, first = '', last = '']: RegExpExecArray): KeyPress | undefined {
  if (whole.startsWith('\u001bO')) return named(finalNames[first], '');
  const [code = '', looks = ''] = first.split(';');
  if (last === 'Z') return key('shift-tab');
  if (last === '~' && code === '27') return codeKey(Number(first.split(';')[2]), looks);
  if (last === '~') return named(tildeNames[code], looks);
  if (last === 'u') return codeKey(Number(code.split(':')[0]), looks);
  return named(finalNames[last], looks);
}

/** A key that the terminal names by the code of its letter. */
function codeKey(code: number, looks: string): KeyPress | undefined {
  const name = codeNames[code];
  const isLetter = name === undefined && code >= 32 && code < 0xe000;
  const letter = isLetter ? String.fromCodePoint(code) : undefined;
  if (letter !== undefined && modifiers(looks) === '') return { kind: 'text', text: letter };
  if (letter !== undefined && modifiers(looks) === 'shift-')
    return { kind: 'text', text: letter.toUpperCase() };
  return named(name ?? letter, looks);
}

function named(name: string | undefined, looks: string): KeyPress | undefined {
  return name === undefined ? undefined : key(modifiers(looks) + name);
}

function modifiers(looks: string): string {
  const bits = Number(looks.split(':')[0] || '1') - 1;
  return `${bits & 4 ? 'ctrl-' : ''}${bits & 2 ? 'alt-' : ''}${bits & 1 ? 'shift-' : ''}`;
}
