// Reads a command line with a real shell grammar and tells the host what it would start. Whatever it is not sure of becomes a doubt.
import { forEachChild, parse } from 'unbash';
import type { Command, Redirect, Redirection, SyntaxNode, Word } from 'unbash';
import type { CommandLine, CommandPart, Doubt } from '../../host/policy/commandLine.ts';
import { unreadLine } from '../../host/policy/commandLine.ts';
import { escapes } from '../../host/policy/commandOptions.ts';
import { isBlind, isInterpreter, isWrapper } from '../../host/policy/knownPrograms.ts';
import { hidden } from '../../base/visibleText.ts';
import { globMark, readPlainLine } from './plainLine.ts';

/** Longer lines are programs, and nobody reads them before allowing. */
const longest = 50_000;

/** Commands within commands within commands are never meant well. */
const deepest = 5;

export function parseCommand(text: string, platform: NodeJS.Platform = process.platform): CommandLine {
  // Another shell runs it there, and this grammar would be a guess.
  if (platform === 'win32' || text.length > longest) return unreadLine;
  const found = collect(text, 0);
  return { parts: found.parts, doubts: [...new Set(found.doubts)].toSorted() };
}

interface Found {
  readonly parts: CommandPart[];
  readonly doubts: Doubt[];
}

interface Walk extends Found {
  readonly text: string;
  readonly depth: number;
  /** What words, redirections and assignments cover; a number sign elsewhere begins a comment. */
  readonly covered: (readonly [from: number, to: number])[];
  /** The redirections as the second reader writes them down. */
  readonly redirects: string[];
  /** How many pairs of round brackets stand between the words. */
  brackets: number;
}

function collect(text: string, depth: number): Found {
  const walk: Walk = { text, depth, parts: [], doubts: [], covered: [], redirects: [], brackets: 0 };
  if (text.search(hidden) >= 0 || /[^\S\n\t ]/u.test(text)) walk.doubts.push('control-character');
  // The shell joins these lines before it reads them, and the joined text may mean more: `$` and a name, say.
  if (/\\\n?$/.test(text) || /(?<![ \t])\\\n/.test(text)) walk.doubts.push('unparsable');
  if (text.includes('\\\n')) walk.doubts.push('dialect');
  try {
    visit(parse(text), walk, { guessed: depth > 0 });
  } catch {
    walk.doubts.push('unparsable');
  }
  const between = gaps(walk);
  if (between.includes('#')) walk.doubts.push('comment');
  // The parser forgives a bracket that belongs to nothing; a shell might not mean the same.
  if (count(between, '(') !== walk.brackets || count(between, ')') !== walk.brackets)
    walk.doubts.push('unparsable');
  if (/['"$`<>\\]/.test(between.replaceAll(/(?<=[ \t])\\\n/g, ''))) walk.doubts.push('unparsable');
  if (depth === 0 && walk.doubts.length === 0 && !isConfirmed(walk)) walk.doubts.push('unparsable');
  return walk;
}

/** Whether a second reader, which shares no code with the parser, finds the same commands and redirections. */
function isConfirmed({ text, parts, redirects }: Walk): boolean {
  const marked = ({ words, globs }: CommandPart) =>
    words.map((word, at) => word + (globs.includes(at) ? globMark : ''));
  const commands = parts.filter(({ guessed }) => !guessed).map(marked);
  return JSON.stringify(readPlainLine(text)) === JSON.stringify({ commands, redirects });
}

interface Where {
  /** Set below a substitution, whose commands we see but whose words we do not. */
  readonly guessed: boolean;
}

function visit(node: SyntaxNode, walk: Walk, where: Where): void {
  if ('errors' in node && node.errors && node.errors.length > 0) walk.doubts.push('unparsable');
  const doubt = Object.hasOwn(doubtful, node.type) ? doubtful[node.type] : undefined;
  if (doubt) walk.doubts.push(doubt);
  if (covering.has(node.type) && (!where.guessed || walk.depth > 0)) walk.covered.push([node.pos, node.end]);
  record(node, walk, where);
  const inside =
    node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution' ? { guessed: true } : where;
  forEachChild(node, (child) => visit(child, walk, inside));
}

/** Adds what one node contributes to the result, without its children. */
function record(node: SyntaxNode, walk: Walk, where: Where): void {
  switch (node.type) {
    case 'Word':
      return recordWord(node, walk);
    case 'Command':
      return addCommand(node, walk, where);
    case 'Redirect':
      return void walk.redirects.push(printed(node));
    case 'Redirected':
      return void walk.doubts.push(...node.redirects.flatMap((redirect) => redirection(redirect).doubts));
    case 'Subshell':
      if (!where.guessed) walk.brackets += 1;
      return;
    default:
  }
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
 * Whether every unquoted character of a word that has a meaning to the shell belongs to a part that we know. The
 * parser takes what it cannot make sense of for plain letters.
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

/** A dollar sign means nothing only where the word ends with it. */
function isPlain(literal: string, word: string): boolean {
  const unquoted = literal.replaceAll(/\\[^\n]/g, '');
  if (/[\s<>()|&;`'"\\]|\$./s.test(unquoted)) return false;
  return !unquoted.endsWith('$') || word.endsWith('$');
}

/** What makes a line more than the list of its commands. */
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

function addCommand(node: Command, walk: Walk, { guessed }: Where): void {
  const words = [
    ...(node.name ? [node.name] : []),
    ...node.args.flatMap((given) => (given.type === 'Word' ? [given] : [])),
  ];
  const redirects = node.redirects.map(redirection);
  walk.doubts.push(...redirects.flatMap(({ doubts }) => doubts));
  const [name] = words;
  if (!name) return;
  if (isGlob(name) || name.value === '') walk.doubts.push('dynamic');
  const part: CommandPart = {
    // An assignment among the arguments is a word to the program.
    words: [name.value, ...node.args.map((given) => (given.type === 'Word' ? given.value : given.text))],
    globs: words.flatMap((word, at) => (isGlob(word) ? [at] : [])),
    open: node.args
      .flatMap((given, at) =>
        isOpen(given.type === 'Word' ? given.parts : undefined) ||
        (given.type !== 'Word' && given.text.includes('$'))
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
  if (isWrapper(name.value) || escapes(part.words))
    addInner([...innerTexts(part.words), ...redirectedTexts(node)], walk);
  else if (isInterpreter(name.value)) addInner(part.words.slice(1).flatMap(startedIn), walk);
}

/** A program text among the arguments of whoever would run it is read as one, so that what it would start can be forbidden. */
function addInner(texts: readonly string[], walk: Walk): void {
  if (texts.length === 0) return;
  if (walk.depth >= deepest) return void walk.doubts.push('unparsable');
  for (const text of texts)
    walk.parts.push(
      ...collect(text, walk.depth + 1).parts.map((part): CommandPart => ({ ...part, guessed: true })),
    );
}

/** Whole words, what stands behind the equals signs in them, and what a program text in them hands to a shell. */
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

/** What programs of other languages hand to a shell, as far as they write it out. */
function startedIn(word: string): readonly string[] {
  return [
    ...word.matchAll(
      /(?:system|exec\w*|popen\w*|spawn\w*|call|run|check_\w+|shell\w*|[|!])\s*[([]*\s*(["'`])(.+?)\1/gi,
    ),
  ].map(([, , text = '']) => text);
}

/** What a shell is given to read. */
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

/** Whether only the shell knows what a word is. */
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

/** Reading is judged as a path; writing nowhere and joining streams is nothing; all other writing is a doubt. */
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
  return { reads: [], writes: [path], doubts: ['redirection'] };
}

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
