// What the commands share when they speak to a person: columns, ages, yes or no. Knows no command.
import { errorText } from '../base/errorText.ts';
import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';
import { readableText } from '../base/visibleText.ts';
import { forTerminal } from './output.ts';
import { printError, wipeLine } from './output.ts';

/** Text that others wrote, safe to show: nothing in it can move the cursor, hide or reverse. */
export function safe(text: string): string {
  return readableText(text);
}

/** The same on one line of at most so many letters. */
export function short(text: string, width: number): string {
  const line = isPlain.test(text) ? text : safe(text).replace(/\s+/g, ' ').trim();
  if (line.length <= width) return line;
  const letters = Array.from(line);
  return letters.length <= width ? line : `${letters.slice(0, width - 1).join('')}…`;
}

/** Words of ASCII with one space between them; a list has thousands of such texts. */
const isPlain = /^[!-~]+(?: [!-~]+)*$/;

export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, cell.length)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** A number with its noun: `1 line`, `2 lines`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

export function age(at: number, now: number): string {
  const minutes = Math.max(0, Math.floor((now - at) / 60_000));
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} d`;
}

/**
 * Says on a terminal that something takes its time; the returned function wipes it out.
 * Prints nothing elsewhere.
 */
export function showProgress(words: string): () => void {
  if (!process.stderr.isTTY) return () => {};
  printError(`${words} …`);
  return () => printError(wipeLine);
}

/** Asks on standard error, so that standard output stays clean. The end of the input means no. */
export async function confirm(question: string): Promise<boolean> {
  return /^y(?:es)?$/i.test((await askLine(`${question} [y/N] `)) ?? '');
}

/** The same for any answer; undefined if the user ends the input or interrupts. */
export async function askLine(question: string): Promise<string | undefined> {
  // Few commands ask, and it takes time to load.
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const over = new Promise<undefined>((resolve) => {
      lines.once('close', () => resolve(undefined));
    });
    // Ctrl-C and Ctrl-D reject it, in some versions of Node.
    const typed = lines.question(forTerminal(question)).catch(() => undefined);
    const answer = await Promise.race([typed, over]);
    // Only a line that was typed on a terminal has ended that of the question.
    if (answer === undefined || !process.stderr.isTTY) printError('\n');
    return answer?.trim();
  } finally {
    lines.close();
    process.stdin.pause();
  }
}

/** The user has left a question without an answer; the command ends with the code for that. */
export class StoppedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StoppedError';
  }
}

/** The command was written wrongly; it ends with the code for that. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** Parses options and arguments; an unknown one is wrong usage. */
export function readArgs<T extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: T,
) {
  try {
    return parseArgs({ args: withNegativeNumbers(args, options), options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(errorText(error, String(error)));
  }
}

/** A negative number after an option is its value, so that the command can say what is wrong with it. */
function withNegativeNumbers(
  args: readonly string[],
  options: NonNullable<ParseArgsConfig['options']>,
): string[] {
  const joined: string[] = [];
  for (const word of args) {
    const option = joined.at(-1) ?? '';
    const isValue = /^-[\d.]+$/.test(word) && options[option.slice(2)]?.type === 'string';
    if (isValue && option.startsWith('--')) joined[joined.length - 1] = `${option}=${word}`;
    else joined.push(word);
  }
  return joined;
}

/** The one word that a command takes. */
export function onlyWord(words: readonly string[], what: string): string {
  const [first, ...more] = words;
  if (first === undefined) throw new UsageError(`Missing ${what}. See --help.`);
  noMore(more);
  return first;
}

export function noMore(words: readonly string[]): void {
  if (words[0] !== undefined) throw new UsageError(`Unexpected argument "${words[0]}". See --help.`);
}
