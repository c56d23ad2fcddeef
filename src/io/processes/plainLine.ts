// A second, much smaller parser for command lines. It knows plain words, quotes, operators and redirections,
// and rejects everything else. A line counts as understood only if both parsers agree.

/** The words of every command, and every redirection as `descriptor operator target`, in textual order. */
export interface PlainLine {
  readonly commands: readonly (readonly string[])[];
  readonly redirects: readonly string[];
  /** Variables before a command, as `NAME=value`; only plain ones are understood. */
  readonly variables: readonly string[];
}

/** Both parsers append this mark to a word that the shell expands to file names. */
export const globMark = '\0glob';

const blank = /[ \t]+/y;
const operator = /&&|\|\||\|&|;(?![;&])|&(?!>)|\||\((?!\()|\)|\n/y;
const redirect = /(\d*)(<|>>|>\||[<>]&|&>>|&>|>)(?![<>(&|])[ \t]*/y;
const quotedText = String.raw`"(?:[^"\\$\`]|\\[^\n]|\$(?=["\s]))*"`;
const word = new RegExp(String.raw`(?!#)(?:[^\s'"\\$\`<>|&;()]|'[^']*'|${quotedText}|\\[^\n])+`, 'y');

/** Words that begin or end a compound command where a command could begin. */
const openers: ReadonlySet<string> = new Set([
  'if',
  'then',
  'elif',
  'else',
  'while',
  'until',
  'do',
  '{',
  '!',
]);
const closers: ReadonlySet<string> = new Set(['fi', 'done', '}']);
/** Compound commands that are more than the list of their commands. */
const others: ReadonlySet<string> = new Set([
  'for',
  'case',
  'esac',
  'select',
  'function',
  'time',
  'coproc',
  'in',
  '[[',
  ']]',
]);

export function readPlainLine(text: string): PlainLine | undefined {
  const tokens = tokensOf(text);
  if (!tokens) return undefined;
  const commands: string[][] = [];
  const redirects: string[] = [];
  const variables: string[] = [];
  let position: Position = 'start';
  for (const token of tokens) {
    if (token.type === 'redirect') {
      redirects.push(token.text);
      continue;
    }
    const after = token.type === 'operator' ? afterOperator : afterWord;
    const next: Position | undefined = after(token.text, position);
    if (next === undefined) return undefined;
    if (token.type === 'word' && next === 'words') {
      if (position !== 'words') commands.push([valueOf(token.text)]);
      else commands.at(-1)?.push(valueOf(token.text));
    }
    if (next === 'assigned') variables.push(token.text);
    position = next;
  }
  return position === 'assigned' ? undefined : { commands, redirects, variables };
}

interface Token {
  readonly type: 'word' | 'operator' | 'redirect';
  readonly text: string;
}

/** `undefined` if any piece of the text is none of the three. */
function tokensOf(text: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) at = pattern.lastIndex;
    return match;
  };
  while (at < text.length) {
    if (take(blank)) continue;
    const redirected = take(redirect);
    const sign = redirected ? undefined : take(operator)?.[0];
    if (sign !== undefined) {
      tokens.push({ type: 'operator', text: sign });
      continue;
    }
    const raw = take(word)?.[0];
    if (raw === undefined || isBraced(raw)) return undefined;
    if (!redirected) tokens.push({ type: 'word', text: raw });
    else {
      const [, descriptor = '', sort = ''] = redirected;
      tokens.push({ type: 'redirect', text: `${descriptor} ${sort} ${valueOf(raw)}` });
    }
  }
  return tokens;
}

/**
 * `start`: a command may begin. `assigned`: after a variable, so a command must begin. `words`: inside a
 * command. `closed`: after the end of a compound command.
 */
type Position = 'start' | 'assigned' | 'words' | 'closed';

function afterOperator(sign: string, position: Position): Position | undefined {
  if (position === 'assigned' || (sign === '(' && position !== 'start')) return undefined;
  return sign === ')' ? 'closed' : 'start';
}

function afterWord(raw: string, position: Position): Position | undefined {
  if (position === 'closed') return undefined;
  if (position === 'words') return 'words';
  if (plainAssignment.test(raw)) return 'assigned';
  if (others.has(raw) || isAssignment(raw)) return undefined;
  // Behind a variable the shell takes such a word as the name of a program.
  if (position === 'assigned') return openers.has(raw) || closers.has(raw) ? undefined : 'words';
  if (openers.has(raw)) return 'start';
  return closers.has(raw) ? 'closed' : 'words';
}

const quotes = /'[^']*'|"(?:[^"\\]|\\.)*"|\\./gs;

/** The word as the program receives it, with the mark if the shell expands it to file names. */
function valueOf(raw: string): string {
  const value = raw.replaceAll(quotes, (quoted) => {
    if (quoted.startsWith('"')) return quoted.slice(1, -1).replaceAll(/\\([$`"\\])/g, '$1');
    return quoted.startsWith("'") ? quoted.slice(1, -1) : quoted.slice(1);
  });
  return /[*?]|\[.*\]/.test(raw.replaceAll(quotes, '\0')) ? value + globMark : value;
}

/** Whether the shell may expand the word to several words. */
function isBraced(raw: string): boolean {
  return /\{.*(?:,|\.\.).*\}/s.test(raw.replaceAll(quotes, '\0'));
}

const plainAssignment = /^[A-Z_]+=[\w.@:+-]*$/;

function isAssignment(raw: string): boolean {
  return /^[A-Za-z_]\w*(?:\[|\+?=)/.test(raw);
}
