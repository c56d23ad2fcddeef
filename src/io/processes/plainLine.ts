// A second, much smaller reader of command lines. It knows plain words, quotes, operators and redirections,
// and gives up on everything else. A line is understood only where this reader and the parser agree.

/** The words of every command, and every redirection as `descriptor operator target`, in textual order. */
export interface PlainLine {
  readonly commands: readonly (readonly string[])[];
  readonly redirects: readonly string[];
}

/** How both readers write down a word that the shell takes for a pattern of file names. */
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
  const commands: string[][] = [];
  const redirects: string[] = [];
  let [at, state]: [number, 'start' | 'words' | 'closed'] = [0, 'start'];
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  while (at < text.length) {
    if (take(blank)) continue;
    const redirected = take(redirect);
    const sign = redirected ? undefined : take(operator)?.[0];
    if (sign !== undefined) {
      if (sign === '(' && state !== 'start') return undefined;
      state = sign === ')' ? 'closed' : 'start';
      continue;
    }
    const raw = take(word)?.[0];
    if (raw === undefined || isBraced(raw)) return undefined;
    if (redirected) {
      redirects.push(`${redirected[1] ?? ''} ${redirected[2] ?? ''} ${valueOf(raw)}`);
      continue;
    }
    if (state === 'closed' || (state === 'start' && (others.has(raw) || isAssignment(raw)))) return undefined;
    if (state === 'start' && openers.has(raw)) continue;
    if (state === 'start' && closers.has(raw)) state = 'closed';
    else if (state === 'start') [state] = ['words', commands.push([valueOf(raw)])];
    else commands.at(-1)?.push(valueOf(raw));
  }
  return { commands, redirects };
}

const quotes = /'[^']*'|"(?:[^"\\]|\\.)*"|\\./gs;

/** The word as a program is given it, with a mark where the shell looks for files first. */
function valueOf(raw: string): string {
  const value = raw.replaceAll(quotes, (quoted) => {
    if (quoted.startsWith('"')) return quoted.slice(1, -1).replaceAll(/\\([$`"\\])/g, '$1');
    return quoted.startsWith("'") ? quoted.slice(1, -1) : quoted.slice(1);
  });
  return /[*?]|\[.*\]/.test(raw.replaceAll(quotes, '\0')) ? value + globMark : value;
}

/** Whether the shell may make several words of it. */
function isBraced(raw: string): boolean {
  return /\{.*(?:,|\.\.)/s.test(raw.replaceAll(quotes, '\0'));
}

function isAssignment(raw: string): boolean {
  return /^[A-Za-z_]\w*(?:\[|\+?=)/.test(raw);
}
