// Holds a command line against rules, part by part. A line that is not fully understood is never allowed here, only forbidden.
import type { Rule } from '../../model/event.ts';
import type { ToolRequest } from './toolRequest.ts';
import { programName, unreadLine } from './commandLine.ts';
import type { CommandLine, CommandPart } from './commandLine.ts';
import { contains, isAbsolute, resolvePath } from '../../base/paths.ts';
import type { Ground } from './policy.ts';
import { matchesPart, matchesWhole, nameOfRule } from './ruleText.ts';
import { isOwnRepository, usesGit } from './safeGit.ts';
import { escapes } from './commandOptions.ts';
import { wordPaths } from './wordPaths.ts';
import {
  approvalKey,
  innerStarts,
  isHarmful,
  isIdle,
  isInert,
  isInterpreter,
  isReader,
  isWrapper,
} from './knownPrograms.ts';

type Place = Pick<Ground, 'roots' | 'canonical' | 'home'>;

/** The rules that together allow every part of a line, in words; undefined where one part is missing. */
export function judgeLine(request: ToolRequest, rules: readonly Rule[], ground: Ground): string | undefined {
  const { parts, doubts } = request.line ?? unreadLine;
  if (doubts.length > 0 || parts.length === 0) return undefined;
  const strict = ground.rules.filter(({ effect }) => effect !== 'allow');
  const used = new Set<string>();
  const place = { ...ground, bases: basesOf(request, ground), strict };
  for (const part of parts) {
    const rule = rules.find(
      ({ command = ['*'], args }) =>
        covers(command, part, place) &&
        (args?.['command'] === undefined || matchesWhole(args['command'], part.words.join(' '), 'allows')),
    );
    if (
      !rule &&
      !(
        isIdle(part.words) &&
        staysInside(
          part,
          part.words.slice(1).map((_, at) => at + 1),
          place,
        )
      )
    )
      return undefined;
    if (rule) used.add(nameOfRule(rule));
  }
  return used.size > 0 ? [...used].join('; ') : undefined;
}

/** Whether a strict rule takes hold of any part, however it is written or wrapped. The rule gives words to begin with, or an expression. */
export function lineDenied(rule: readonly string[] | string, { line = unreadLine }: ToolRequest): boolean {
  const fits = (words: readonly string[]) =>
    typeof rule === 'string' ? matchesWhole(rule, words.join(' '), 'forbids') : begins(rule, words);
  return line.parts.some((part) => readings(part.words).some(fits));
}

/** The real paths a line names, as far as its words tell: those it would write, and all others. */
export function linePaths(
  request: ToolRequest,
  ground: Place,
): {
  readonly written: readonly string[];
  readonly named: readonly string[];
  readonly all: readonly string[];
} {
  const parts = request.command === undefined ? [] : (request.line ?? unreadLine).parts;
  const bases = basesOf(request, ground);
  const real = (word: string, program = '') =>
    wordPaths(word, program).flatMap((path) => bases.map((base) => realOf(path, base, ground)));
  const written = parts.flatMap(({ writes }) => writes.flatMap((path) => real(path)));
  const named = parts.flatMap(({ words: [program, ...args], reads }) =>
    [...args, ...reads].flatMap((word) => real(word, program)),
  );
  return { written, named, all: [...written, ...named] };
}

/** Whether a line keeps from a strict rule what it would have to see: which programs start, or, for a rule about paths, what they touch. */
export function isVeiled(request: ToolRequest, rules: readonly Rule[]): boolean {
  if (request.command === undefined) return false;
  const { parts, doubts } = request.line ?? unreadLine;
  if (doubts.some((doubt) => doubt === 'blind' || doubt === 'unparsable' || doubt === 'control-character'))
    return rules.some(({ command, paths, args }) => command ?? paths ?? args?.['command']);
  if (
    rules.some(({ paths }) => paths) &&
    parts.some(({ globs, open = [] }) => globs.length + open.length > 0)
  )
    return true;
  if (parts.some((part) => mayStart(part, rules))) return true;
  const plain =
    doubts.length === 0 &&
    parts.every(({ words }) => innerStarts(words).length === 1 && !isInterpreter(words[0] ?? ''));
  const text = request.command;
  return (
    !plain &&
    rules.some(
      ({ command: [program = '*'] = [], args: { command: pattern } = {} }) =>
        (program !== '*' && mentions(text, programName(program))) ||
        (pattern !== undefined && matchesPart(pattern, text)),
    )
  );
}

/** Whether a program that we know nothing of is told the words of a strict rule: it may well start them. */
function mayStart({ words: [name = '', ...args] }: CommandPart, strict: readonly Rule[]): boolean {
  if (isInert(name)) return false;
  return strict.some(
    ({ command: [program = '*', ...rest] = [] }) =>
      program !== '*' &&
      [programName(program), ...rest].every(
        (word) => word === '*' || word.startsWith('-') || mentions(args.join(' '), word.toLowerCase()),
      ),
  );
}

/** Whether a name stands anywhere in a text, as a word of its own. */
function mentions(text: string, name: string): boolean {
  return text
    .toLowerCase()
    .split(/[^\w.+-]+/)
    .includes(name);
}

/** Whether a line names something outside the workspace, or has a program that harms do its work in a place that only the shell knows. */
export function leavesWorkspace(request: ToolRequest, ground: Place): boolean {
  const isOutside = (path: string) =>
    path !== '/dev/null' && !ground.roots.some((root) => contains(root, path));
  const parts = request.command === undefined ? [] : (request.line ?? unreadLine).parts;
  if (linePaths(request, ground).all.some(isOutside)) return true;
  return parts.some(
    ({ words, writes, open = [] }) =>
      writes.some((path) => /[$`]/.test(path)) ||
      (open.length > 0 && innerStarts(words).some((at) => isHarmful(words[at] ?? ''))),
  );
}

/** Whether git would run in a repository that is not the workspace's own: its configuration is a stranger's. */
export function usesForeignRepository(request: ToolRequest, ground: Ground): boolean {
  const { roots, canonical = (path) => resolvePath('/', path), repositoryAt = () => undefined } = ground;
  if (!usesGit(request.line ?? unreadLine)) return false;
  return basesOf(request, ground)
    .filter((base) => base !== nowhere)
    .some((base) => {
      const repository = repositoryAt(canonical(base));
      return repository !== undefined && !isOwnRepository(repository, roots);
    });
}

export function onlyReads({ parts, doubts }: CommandLine): boolean {
  return doubts.length === 0 && parts.length > 0 && parts.every(({ words }) => isReader(words));
}

/** What a lasting answer about a line is remembered as: a rule for each part, or the exact text where it is not fully understood. */
export function rememberLine({
  parts: all,
  doubts,
}: CommandLine): readonly (readonly string[])[] | undefined {
  const parts = all.filter(({ guessed }) => !guessed);
  // A word that is itself a star would mean more in a rule than it says here.
  if (doubts.length > 0 || parts.some(({ globs, words }) => globs.length > 0 || words.includes('*')))
    return undefined;
  const keys = parts.filter(({ words }) => !isIdle(words)).map(({ words }) => approvalKey(words));
  const different = keys.filter(
    (key, at) => keys.findIndex((other) => other.join('\0') === key.join('\0')) === at,
  );
  return different.length > 0 ? different : undefined;
}

interface Inside extends Place {
  /** Every directory the line may be in when a part runs. */
  readonly bases: readonly string[];
  readonly strict: readonly Rule[];
}

/** Words that the pattern spells out are allowed as they are; words that its star takes in must be harmless and stay inside. */
function covers(pattern: readonly string[], part: CommandPart, place: Inside): boolean {
  const open = pattern.at(-1) === '*';
  const fixed = open ? pattern.slice(0, -1) : pattern;
  if (part.guessed || part.words.length < fixed.length || (!open && part.words.length !== fixed.length))
    return false;
  if (!fixed.every((word, at) => part.words[at] === word)) return false;
  if (isWrapper(part.words[0] ?? '')) return false;
  const taken = part.words.map((_, at) => at).slice(fixed.length);
  return (
    !(open && (escapes(part.words) || part.globs.length > 0 || mayStart(part, place.strict))) &&
    staysInside(part, taken, place)
  );
}

/** A name that would be looked up along the PATH is no path; everything after it may be one. */
function staysInside({ words, reads }: CommandPart, taken: readonly number[], place: Inside): boolean {
  // Where a part runs is itself a path that it may look at.
  const paths = [
    '.',
    ...[...taken.map((at) => words[at] ?? ''), ...reads].flatMap((word) => wordPaths(word, words[0] ?? '')),
  ];
  return paths.every((path) =>
    place.bases.every((base) => place.roots.some((root) => contains(root, realOf(path, base, place)))),
  );
}

const nowhere = '/\0outside';

/** Dots are left to whoever follows the links, since the way back out of a link is another one. */
function realOf(
  path: string,
  base: string,
  { home, canonical = (given) => resolvePath('/', given) }: Place,
): string {
  if (/^~(?:\/|$)/.test(path) && home !== undefined) return canonical(`${home}${path.slice(1)}`);
  if (path.startsWith('~') || base === nowhere) return nowhere;
  return canonical(isAbsolute(path) ? path : `${base}/${path}`);
}

/** A line may change its directory on the way; nobody follows every branch, so all places count together. */
function basesOf(request: ToolRequest, { roots }: Place): readonly string[] {
  let bases: readonly string[] = [request.paths[0] ?? roots[0] ?? nowhere];
  for (const { words, globs } of request.line?.parts ?? []) {
    if (words[0] !== 'cd' && words[0] !== 'pushd' && words[0] !== 'popd') continue;
    const target = words.slice(1).findLast((word) => !/^-[LPe@]+$/.test(word));
    const known =
      target !== undefined && words[0] !== 'popd' && globs.length === 0 && !/^[-~]|[$`]/.test(target);
    bases = [
      ...new Set([
        ...bases,
        ...bases.map((base) =>
          known && base !== nowhere ? (isAbsolute(target) ? target : `${base}/${target}`) : nowhere,
        ),
      ]),
    ];
    if (bases.length > 16) return [nowhere];
  }
  return bases;
}

/** All that a part may mean to someone strict: behind wrappers, behind options, by any folder of the program. */
function readings(words: readonly string[]): readonly (readonly string[])[] {
  return innerStarts(words).flatMap((start) => {
    const own = words.slice(start);
    let at = 1;
    // What runs may also be the value of an option.
    const valued =
      start === 0
        ? []
        : (own[0] ?? '')
            .split('=')
            .slice(1)
            .map((value) => [value, ...own.slice(1)]);
    const options: (readonly string[])[] = [own, ...valued];
    while (own[at]?.startsWith('-')) {
      options.push([own[0] ?? '', ...own.slice(at + 1)], [own[0] ?? '', ...own.slice(at + 2)]);
      at += 1;
    }
    // An option that takes a value may be followed by another one.
    const more =
      at === 1
        ? []
        : own.flatMap((_, later) =>
            later > at && own[later - 1]?.startsWith('-')
              ? [
                  [own[0] ?? '', ...own.slice(later)],
                  [own[0] ?? '', ...own.slice(later + 1)],
                ]
              : [],
          );
    return [...options, ...more];
  });
}

function begins(pattern: readonly string[], words: readonly string[]): boolean {
  const fixed = pattern.at(-1) === '*' ? pattern.slice(0, -1) : pattern;
  return fixed.every((word, at) =>
    at === 0 ? programName(words[0] ?? '') === programName(word) : words[at] === word,
  );
}
