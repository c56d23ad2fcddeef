// The only way to standard output and standard error. Of controls only our own pass: colours, moves of the
// cursor, erasing, and modes of the terminal. Protocol pipes write for themselves.
import { readableText } from '../base/visibleText.ts';

/**
 * Begins our own controls. It is drawn anew in each process and never shown, so no text that others wrote can
 * contain it. The module for better random numbers would slow down every start.
 */
const secret = `\u0001${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}`;

/** What may follow the secret: colours, moves, erasing, pastes, the cursor, whole frames, keys. */
const control = String.raw`\[(?:\d*[ABCGHJKm]|\?(?:2004|2026|25)[hl]|>1u|<u)`;

/** One of our controls, or one character. */
const tokens = new RegExp(`${secret}${control}|[^]`, 'gu');
const controls = new RegExp(`(${secret}${control})`, 'u');
const leadingControl = new RegExp(`^${control}`, 'u');

export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
  readonly magenta: (text: string) => string;
  readonly underline: (text: string) => string;
  readonly inverse: (text: string) => string;
}

/** Colours only on a terminal, and never where the user wants none. The result is for the functions below. */
export function paintFor(stream: { readonly isTTY?: boolean }): Paint {
  const colourful = stream.isTTY === true && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
  const colour = (on: number, off: number) => (text: string) =>
    colourful ? `${secret}[${on}m${text}${secret}[${off}m` : text;
  return {
    bold: colour(1, 22),
    dim: colour(2, 22),
    red: colour(31, 39),
    green: colour(32, 39),
    yellow: colour(33, 39),
    cyan: colour(36, 39),
    magenta: colour(35, 39),
    underline: colour(4, 24),
    inverse: colour(7, 27),
  };
}

/** Erases the current line of the terminal. */
export const wipeLine = `${secret}[G${secret}[K`;

/** Lets the terminal mark the begin and the end of pasted text, or stops that. */
export const markPastes = { on: `${secret}[?2004h`, off: `${secret}[?2004l` } as const;

/** What a redrawn region at the end of the screen needs. */
export const screenControls = {
  up: (rows: number) => (rows > 0 ? `${secret}[${rows}A` : ''),
  /** Counted from 1. */
  column: (column: number) => `${secret}[${column}G`,
  /** The first column of the first row. */
  home: `${secret}[H`,
  eraseLine: `${secret}[K`,
  eraseBelow: `${secret}[J`,
  hideCursor: `${secret}[?25l`,
  showCursor: `${secret}[?25h`,
  /** Terminals that know it show a frame whole or not at all. */
  beginFrame: `${secret}[?2026h`,
  endFrame: `${secret}[?2026l`,
  /** Terminals that know it tell Shift+Enter and Ctrl+Enter from Enter. */
  tellKeys: `${secret}[>1u`,
  stopTellingKeys: `${secret}[<u`,
} as const;

export interface StyledPiece {
  readonly text: string;
  /** One of our own controls, which takes no room. */
  readonly isControl: boolean;
}

/** Our controls, and the text between them. */
export function styledPieces(text: string): readonly StyledPiece[] {
  return text
    .split(controls)
    .map((piece, at) => ({ text: piece, isControl: at % 2 === 1 }))
    .filter((piece) => piece.text !== '');
}

/** The number of a control that sets a colour or another look. */
export function lookOf(piece: string): number | undefined {
  const number = /^\[(\d+)m$/.exec(piece.slice(secret.length))?.[1];
  return number === undefined ? undefined : Number(number);
}

export function lookControl(number: number): string {
  return `${secret}[${number}m`;
}

export function print(text: string): void {
  process.stdout.write(forTerminal(text));
}

// If standard error is closed, there is no place to report that.
process.stderr.on('error', () => {});

export function printError(text: string): void {
  process.stderr.write(forTerminal(text));
}

/** For libraries that write to the terminal, such as a prompt. */
export function forTerminal(text: string): string {
  const [first = '', ...parts] = text.split(secret);
  return readableText(first) + parts.map(withControl).join('');
}

function withControl(part: string): string {
  const found = leadingControl.exec(part)?.[0] ?? '';
  return `${found === '' ? '' : '\u001b'}${found}${readableText(part.slice(found.length))}`;
}

/** A line in pieces that fit the width of a terminal. What could be wide counts as wide. */
export function cutLine(line: string, width: number): readonly string[] {
  const pieces = [''];
  let column = 0;
  for (const [token] of line.matchAll(tokens)) {
    const wide = widthOf(token);
    if (column + wide > width) {
      pieces.push('');
      column = 0;
    }
    pieces[pieces.length - 1] += token;
    column += wide;
  }
  return pieces;
}

/** Whether what follows begins a line; our own controls do not count. */
export function endsLine(text: string): boolean {
  return [...text.matchAll(tokens)].findLast(([token]) => !token.startsWith(secret))?.[0] === '\n';
}

/** How many letters a line shows; our own controls show none. */
export function lettersIn(line: string): number {
  return [...line.matchAll(tokens)].filter(([token]) => !token.startsWith(secret)).length;
}

function widthOf(token: string): number {
  if (token.startsWith(secret)) return 0;
  if (token === '\t') return 8;
  return token >= '\u1100' ? 2 : 1;
}
