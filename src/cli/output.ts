// The only way to standard output and standard error. Of controls only our own pass: colours, the wiping of
// a line, and the marking of pastes. Protocol pipes write for themselves.
import { readableText } from '../base/visibleText.ts';

/**
 * Begins our own controls. It is drawn anew in each process and never shown, so no text that others wrote can
 * contain it. The module for better random numbers would slow down every start.
 */
const secret = `\u0001${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}`;

/** One of our controls, or one character. */
const tokens = new RegExp(`${secret}\\[(?:\\d*[mGK]|\\?2004[hl])|[^]`, 'gu');

export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
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
  };
}

/** Erases the current line of the terminal. */
export const wipeLine = `${secret}[G${secret}[K`;

/** Lets the terminal mark the begin and the end of pasted text, or stops that. */
export const markPastes = { on: `${secret}[?2004h`, off: `${secret}[?2004l` } as const;

export function print(text: string): void {
  process.stdout.write(forTerminal(text));
}

export function printError(text: string): void {
  process.stderr.write(forTerminal(text));
}

/** For libraries that write to the terminal, such as a prompt. */
export function forTerminal(text: string): string {
  const [first = '', ...parts] = text.split(secret);
  return readableText(first) + parts.map(withControl).join('');
}

function withControl(part: string): string {
  const control = /^\[(?:\d*[mGK]|\?2004[hl])/.exec(part)?.[0] ?? '';
  return `${control === '' ? '' : '\u001b'}${control}${readableText(part.slice(control.length))}`;
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
