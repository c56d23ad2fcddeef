// Parses a command line with a shell grammar and lists the commands it would start. Anything
// uncertain becomes a doubt.
import { forEachChild, parse } from 'unbash';
import type { Command, Redirect, Redirection, SyntaxNode, Word } from 'unbash';
import type { CommandLine, CommandPart, Doubt } from '../../host/policy/commandLine.ts';
import { unreadLine } from '../../host/policy/commandLine.ts';
import { hasEscapingOption } from '../../host/policy/commandOptions.ts';
import { isBlind, isInterpreter, isWrapper } from '../../host/policy/knownPrograms.ts';
import { hidden } from '../../base/visibleText.ts';
import { isHarmlessVariable } from '../../host/policy/harmlessVariables.ts';
import { globMark, readPlainLine } from './plainLine.ts';
import { unrollLoop } from './unrollLoop.ts';

/** Longer lines are not parsed: no user could review them. */
const longest = 50_000;

/** Deeper nesting of commands is not followed. */
const deepest = 5;

export function parseCommand(text: string, platform: NodeJS.Platform = process.platform): CommandLine {
  // Windows uses another shell with another grammar.
  if (platform === 'win32' || text.length > longest) return unreadLine;
  const { parts, doubts } = understoodLoop(text) ?? collect(text, 0);
  return { parts, doubts: [...new Set(doubts)].toSorted() };
}

/** The commands of a loop over fixed words, if nothing about them is in doubt. */
function understoodLoop(text: string): ParsedParts | undefined {
  const commands = unrollLoop(text);
  if (commands === undefined || commands.length > longest) return undefined;
  const found = collect(commands, 0);
  return found.doubts.length === 0 ? found : undefined;
}

interface ParsedParts {
  readonly parts: CommandPart[];
  readonly doubts: Doubt[];
}

interface Walk extends ParsedParts {
  readonly text: string;
  readonly depth: number;
  /** The ranges of words, redirections and assignments. A number sign outside of them starts a comment. */
  readonly covered: (readonly [from: number, to: number])[];
  /** The redirections and the harmless variables in the format of `readPlainLine`. */
  readonly redirects: string[];
  readonly variables: string[];
  /** Assignments that cause no doubt. */
  readonly harmless: Set<SyntaxNode>;
  /** The number of subshells, which are pairs of brackets outside of words. */
  brackets: number;
}

function collect(text: string, depth: number): ParsedParts {
  const walk: Walk = {
    text,
    depth,
    parts: [],
    doubts: [],
    covered: [],
    redirects: [],
    variables: [],
    harmless: new Set(),
    brackets: 0,
  };
  if (text.search(hidden) >= 0 || /[^\S\n\t ]/u.test(text)) walk.doubts.push('control-character');
  // The shell joins these lines before it parses them, and the result may mean more, for
  // example `$` and a name.
  if (/\\\n?$/.test(text) || /(?<![ \t])\\\n/.test(text)) walk.doubts.push('unparsable');
  if (text.includes('\\\n')) walk.doubts.push('dialect');
  try {
    visit(parse(text), walk, { guessed: depth > 0 });
  } catch {
    walk.doubts.push('unparsable');
  }
  const between = gaps(walk);
  if (between.includes('#')) walk.doubts.push('comment');
  // The parser accepts unbalanced brackets; a shell may read them differently.
  if (count(between, '(') !== walk.brackets || count(between, ')') !== walk.brackets)
    walk.doubts.push('unparsable');
  if (/['"$`<>\\]/.test(between.replaceAll(/(?<=[ \t])\\\n/g, ''))) walk.doubts.push('unparsable');
  if (depth === 0 && walk.doubts.length === 0 && !isConfirmed(walk)) walk.doubts.push('unparsable');
  return walk;
}

/**
 * Whether a second reader, which shares no code with the parser, finds the same commands and redirections.
 */
function isConfirmed({ text, parts, redirects, variables }: Walk): boolean {
  const marked = ({ words, globs }: CommandPart) =>
    words.map((word, at) => word + (globs.includes(at) ? globMark : ''));
  const commands = parts.filter(({ guessed }) => !guessed).map(marked);
  return JSON.stringify(readPlainLine(text)) === JSON.stringify({ commands, redirects, variables });
}

interface ParseContext {
  /** Inside a substitution: we see its commands but not the words it expands to. */
  readonly guessed: boolean;
}

function visit(node: SyntaxNode, walk: Walk, where: ParseContext): void {
  if ('errors' in node && node.errors && node.errors.length > 0) walk.doubts.push('unparsable');
  const doubt = Object.hasOwn(doubtful, node.type) ? doubtful[node.type] : undefined;
  if (doubt && !walk.harmless.has(node)) walk.doubts.push(doubt);
  if (covering.has(node.type) && (!where.guessed || walk.depth > 0)) walk.covered.push([node.pos, node.end]);
  record(node, walk, where);
  const inside =
    node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution' ? { guessed: true } : where;
  forEachChild(node, (child) => visit(child, walk, inside));
}

/** Adds what one node contributes to the result, without its children. */
function record(node: SyntaxNode, walk: Walk, where: ParseContext): void {
  if (node.type === 'Word') recordWord(node, walk);
  if (node.type === 'Command') addCommand(node, walk, where);
  if (node.type === 'Redirect') walk.redirects.push(printed(node));
  if (node.type === 'Redirected') addFiles(node.redirects, walk);
  if (node.type === 'For') addList(node.wordlist ?? [], walk);
  if (node.type === 'Subshell' && !where.guessed) walk.brackets += 1;
}

function recordWord(word: Word, walk: Walk): void {
  if (!isAccounted(word)) {
    walk.doubts.push('unparsable');
    const pieces = word.text.split(/[<>()|&;`$\\\n]+/);
    addInner(
      pieces.filter((text) => text.trim() !== ''),
      walk,
    );
  }
  if (/^[=()]/.test(word.text) || /(?:^|[^\\])'[^']*\\'/.test(word.text)) walk.doubts.push('dialect');
}

const covering: ReadonlySet<string> = new Set([
  'Word',
  'Assignment',
  'Redirect',
  'HereDoc',
  'HereString',
  'HereDocBody',
  'ArithmeticCommand',
  'ArithmeticFor',
  'TestCommand',
]);

function printed({ descriptor, operator, target }: Redirect): string {
  const number = descriptor?.type === 'FileDescriptor' ? descriptor.value : '';
  return `${number} ${operator} ${target?.value ?? ''}`;
}

/**
 * Whether every unquoted special character of a word belongs to a part that the parser recognised. The parser
 * takes what it does not understand as plain letters.
 */
function isAccounted({ text, parts, pos, end }: Word): boolean {
  if (!parts) return isPlain(text, text);
  let at = pos;
  for (const part of parts) {
    if (part.pos !== at) return false;
    at = part.end;
    if (part.type === 'Literal' && !isPlain(part.text, text)) return false;
    if (part.type === 'DoubleQuoted' && !part.parts.every(isPlainInQuotes)) return false;
  }
  return at === end;
}

function isPlainInQuotes({ type, text = '' }: { readonly type: string; readonly text?: string }): boolean {
  return type !== 'Literal' || !/`|\$[^\s"]/.test(text.replaceAll(/\\./gs, ''));
}

/** A dollar sign is only plain at the end of the word. */
function isPlain(literal: string, word: string): boolean {
  const unquoted = literal.replaceAll(/\\[^\n]/g, '');
  if (/[\s<>()|&;`'"\\]|\$./s.test(unquoted)) return false;
  return !unquoted.endsWith('$') || word.endsWith('$');
}

/** Node types that make a line more than a list of commands. */
const doubtful: { readonly [type: string]: Doubt | undefined } = {
  CommandExpansion: 'substitution',
  ProcessSubstitution: 'substitution',
  ArithmeticCommandExpansion: 'substitution',
  SimpleExpansion: 'dynamic',
  ParameterExpansion: 'dynamic',
  ArithmeticExpansion: 'dynamic',
  BraceExpansion: 'dynamic',
  ExtendedGlob: 'dialect',
  AnsiCQuoted: 'dialect',
  LocaleString: 'dialect',
  ArithmeticCommand: 'dynamic',
  ArithmeticFor: 'dynamic',
  TestCommand: 'test',
  Case: 'test',
  Function: 'definition',
  Coproc: 'definition',
  Select: 'definition',
  HereDoc: 'here-document',
  HereString: 'here-document',
  Time: 'wrapper',
  Assignment: 'assignment',
};

function addCommand(node: Command, walk: Walk, { guessed }: ParseContext): void {
  const words = [
    ...(node.name ? [node.name] : []),
    ...node.args.flatMap((arg) => (arg.type === 'Word' ? [arg] : [])),
  ];
  const [name] = words;
  if (!name) {
    addList(assignedWords(node), walk);
    return addFiles(node.redirects, walk);
  }
  const redirects = node.redirects.map(redirection);
  walk.doubts.push(...redirects.flatMap(({ doubts }) => doubts));
  addVariables(node, walk);
  if (isGlob(name) || name.value === '') walk.doubts.push('dynamic');
  const part: CommandPart = {
    // An assignment after the command name is an ordinary argument.
    words: [name.value, ...node.args.map((arg) => (arg.type === 'Word' ? arg.value : arg.text))],
    globs: words.flatMap((word, at) => (isGlob(word) ? [at] : [])),
    open: node.args
      .flatMap((arg, at) =>
        isOpen(arg.type === 'Word' ? arg.parts : undefined) || (arg.type !== 'Word' && arg.text.includes('$'))
          ? [at + 1]
          : [],
      )
      .concat(isOpen(name.parts) || isGlob(name) ? [0] : []),
    reads: redirects.flatMap(({ reads }) => reads),
    writes: redirects.flatMap(({ writes }) => writes),
    ...(guessed ? { guessed: true } : {}),
  };
  walk.parts.push(part);
  if (isBlind(part.words, part.open ?? [])) walk.doubts.push('blind');
  if (isWrapper(name.value)) walk.doubts.push('wrapper');
  if (isWrapper(name.value) || hasEscapingOption(part.words))
    addInner([...innerTexts(part.words), ...redirectedTexts(node)], walk);
  else if (isInterpreter(name.value)) addInner(part.words.slice(1).flatMap(startedIn), walk);
}

/** The files of redirections that belong to no command, or to several, count as those of an idle one. */
function addFiles(redirections: readonly Redirection[], walk: Walk): void {
  const all = redirections.map(redirection);
  const [reads, writes] = [all.flatMap((each) => each.reads), all.flatMap((each) => each.writes)];
  walk.doubts.push(...all.flatMap(({ doubts }) => doubts));
  if (writes.length > 0) walk.doubts.push('redirection');
  if (reads.length + writes.length > 0)
    walk.parts.push({ words: [':'], globs: [], reads, writes, guessed: true });
}

/** What variables are set to; later commands may use it. */
function assignedWords({ prefix }: Command): readonly Word[] {
  return prefix.flatMap((node) => {
    if (node.type !== 'Assignment') return [];
    return node.value.type === 'Word' ? [node.value] : node.value.elements;
  });
}

/** The words that a loop goes through count as those of an idle command: its body may use each of them. */
function addList(list: readonly Word[], walk: Walk): void {
  if (list.length === 0) return;
  const placesOf = (fits: (word: Word) => boolean) =>
    list.flatMap((word, at) => (fits(word) ? [at + 1] : []));
  const [globs, open] = [placesOf(isGlob), placesOf(({ parts }) => isOpen(parts))];
  const words = [':', ...list.map(({ value }) => value)];
  walk.parts.push({ words, globs, open, reads: [], writes: [], guessed: true });
}

/** Variables that only change how the program prints do not make a command another one. */
function addVariables({ prefix }: Command, walk: Walk): void {
  for (const node of prefix) {
    if (node.type !== 'Assignment' || node.append === true || node.index || node.value.type !== 'Word')
      continue;
    const { value, text } = node.value;
    if (value !== text || !isHarmlessVariable(node.name, value)) continue;
    walk.harmless.add(node);
    walk.variables.push(`${node.name}=${value}`);
  }
}

/**
 * Parses arguments that a wrapper or interpreter would run as commands, so that rules can
 * forbid those commands.
 */
function addInner(texts: readonly string[], walk: Walk): void {
  if (texts.length === 0) return;
  if (walk.depth >= deepest) return void walk.doubts.push('unparsable');
  for (const text of texts)
    walk.parts.push(
      ...collect(text, walk.depth + 1).parts.map((part): CommandPart => ({ ...part, guessed: true })),
    );
}

/**
 * Arguments that may be commands: whole words, the parts after equals signs, and shell
 * calls inside program text.
 */
function innerTexts(words: readonly string[]): readonly string[] {
  const values = words.slice(1).flatMap((word) =>
    word
      .split('=')
      .slice(1)
      .map((_, at, all) => all.slice(at).join('=')),
  );
  const texts = [...words.slice(1), ...values]
    .filter((word) => /[\s;&|<>$`()!]/.test(word))
    .map((word) => word.replace(/^\s*!/, ''));
  const joined = words[0] === 'eval' ? [words.slice(1).join(' ')] : [];
  return [...new Set([...texts, ...joined, ...words.slice(1).flatMap(startedIn)])].filter(
    (text) => text.trim() !== '',
  );
}

/** Commands that a program text in another language passes to a shell as literals. */
function startedIn(word: string): readonly string[] {
  return [
    ...word.matchAll(
      /(?:system|exec\w*|popen\w*|spawn\w*|call|run|check_\w+|shell\w*|[|!])\s*[([]*\s*(["'`])(.+?)\1/gi,
    ),
  ].map(([, , text = '']) => text);
}

/** Here-documents and here-strings, which a shell would run. */
function redirectedTexts({ redirects }: Command): readonly string[] {
  return redirects.flatMap((redirect) => {
    if (redirect.type === 'HereDoc') return [redirect.body.text];
    return redirect.type === 'HereString' && redirect.target ? [redirect.target.value] : [];
  });
}

const openParts: ReadonlySet<string> = new Set([
  'SimpleExpansion',
  'ParameterExpansion',
  'ArithmeticExpansion',
  'CommandExpansion',
  'ProcessSubstitution',
  'BraceExpansion',
]);

/** Whether only the shell knows the value of a word. */
function isOpen(parts: Word['parts'] = []): boolean {
  return parts.some(
    (part) =>
      openParts.has(part.type) ||
      (part.type === 'DoubleQuoted' && part.parts.some(({ type }) => openParts.has(type))),
  );
}

function isGlob({ parts = [] }: Word): boolean {
  return parts.some(({ type }) => type === 'Glob' || type === 'ExtendedGlob' || type === 'BraceExpansion');
}

interface Redirected {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly doubts: readonly Doubt[];
}

/** Files are judged as paths. Joining streams and writing to /dev/null is harmless. */
function redirection(redirect: Redirection): Redirected {
  if (redirect.type !== 'Redirect') return { reads: [], writes: [], doubts: ['here-document'] };
  const { operator, target, descriptor } = redirect;
  const path = target?.value ?? '';
  if (!target || descriptor?.type === 'FileDescriptorVariable')
    return { reads: [], writes: [path], doubts: ['redirection'] };
  if ((operator === '>&' || operator === '<&') && /^(?:\d+|-)$/.test(path))
    return { reads: [], writes: [], doubts: [] };
  if (operator === '<') return { reads: [path], writes: [], doubts: isGlob(target) ? ['dynamic'] : [] };
  if (path === '/dev/null' && operator !== '<>' && operator !== '<&')
    return { reads: [], writes: [], doubts: [] };
  return { reads: [], writes: [path], doubts: outputDoubts(operator, target) };
}

function outputDoubts(operator: string, target: Word): readonly Doubt[] {
  if (!outputs.has(operator) || target.value === '') return ['redirection'];
  return isGlob(target) ? ['dynamic'] : [];
}

/** Operators that write a file and do nothing else. */
const outputs: ReadonlySet<string> = new Set(['>', '>>', '>|', '&>', '&>>']);

function count(text: string, letter: string): number {
  return text.split(letter).length - 1;
}

function gaps({ text, covered }: Walk): string {
  const letters = [...covered].toSorted((a, b) => a[0] - b[0]);
  let [at, rest] = [0, ''];
  for (const [from, to] of letters) {
    if (from > at) rest += text.slice(at, from);
    at = Math.max(at, to);
  }
  return rest + text.slice(at);
}
