// Checks a command line against rules, part by part. A line that cannot be parsed completely is never
// allowed here, only denied.
import type { Rule } from '../../model/event.ts';
import type { ToolIntent } from './toolRequest.ts';
import { programName, unreadLine } from './commandLine.ts';
import type { CommandLine, CommandPart } from './commandLine.ts';
import { contains, isAbsolute, resolvePath } from '../../base/paths.ts';
import type { PolicyContext } from './policy.ts';
import { matchesPart, matchesWhole, nameOfRule } from './ruleText.ts';
import {
  isOwnRepository,
  mayFindRepositories,
  showsHistory,
  usesGit,
  usesJj,
  usesRemote,
} from './safeGit.ts';
import { hasEscapingOption } from './commandOptions.ts';
import { braced, searchOf, shellPatterns } from './searchedWords.ts';
import type { FittingFiles } from './searchedWords.ts';
import { isSecretFile } from './secretFiles.ts';
import { movesFiles, placedPaths, unreadWord, wordPaths } from './wordPaths.ts';
import {
  approvalKey,
  innerStarts,
  isHarmful,
  isIdle,
  isInert,
  isInterpreter,
  isReader,
  isWrapper,
  obeysFileNames,
} from './knownPrograms.ts';

/** What resolves the paths in a command line. */
type PathContext = Pick<PolicyContext, 'roots' | 'canonical' | 'home' | 'isFile'>;

/** The rules that together allow every part of a line, as text; undefined if a part is not covered. */
export function judgeLine(
  intent: ToolIntent,
  rules: readonly Rule[],
  context: PolicyContext,
): string | undefined {
  const { parts, doubts } = intent.line ?? unreadLine;
  if (doubts.length > 0 || parts.length === 0) return undefined;
  const strict = context.rules.filter(({ effect }) => effect !== 'allow');
  const used = new Set<string>();
  const bases = basesOf(intent, context);
  const location = { ...context, bases, strict, namesFiles: namesFiles(parts) };
  for (const part of parts) {
    const rule = rules.find(
      ({ command = ['*'], args }) =>
        covers(command, part, location) &&
        (args?.['command'] === undefined || matchesWhole(args['command'], part.words.join(' '), 'allows')),
    );
    if (
      !rule &&
      !(
        isIdle(part.words) &&
        part.writes.length === 0 &&
        staysInside(
          part,
          part.words.slice(1).map((_, at) => at + 1),
          location,
        )
      )
    )
      return undefined;
    if (rule) used.add(nameOfRule(rule));
  }
  return used.size > 0 ? [...used].join('; ') : undefined;
}

/**
 * Whether a strict rule matches any part, however it is written or wrapped. The rule is a list of leading
 * words, or an expression.
 */
export function lineDenied(rule: readonly string[] | string, { line = unreadLine }: ToolIntent): boolean {
  const fits = (words: readonly string[]) =>
    typeof rule === 'string' ? matchesWhole(rule, words.join(' '), 'forbids') : begins(rule, words);
  return line.parts.some((part) => readings(part.words).some(fits));
}

/** The real paths that a line names, as far as its words show: those it would write, and all others. */
export function linePaths(
  intent: ToolIntent,
  context: PathContext,
  isMeant: (part: CommandPart) => boolean = () => true,
): {
  readonly written: readonly string[];
  readonly named: readonly string[];
  readonly all: readonly string[];
} {
  return pathsOf(partsOf(intent).filter(isMeant), { ...context, bases: basesOf(intent, context) });
}

function partsOf({ command, line = unreadLine }: ToolIntent): readonly CommandPart[] {
  return command === undefined ? [] : line.parts;
}

function pathsOf(
  parts: readonly CommandPart[],
  { bases, ...context }: PathContext & Pick<Location, 'bases'>,
): ReturnType<typeof linePaths> {
  const real = (word: string, program = '') =>
    wordPaths(word, program).flatMap((path) => bases.map((base) => realOf(path, base, context)));
  const written = parts.flatMap(({ writes }) =>
    writes.flatMap((path) => [...real(path), ...bases.map((base) => realOf(path, base, context))]),
  );
  const named = parts.flatMap(({ words: [program, ...args], reads, globs }) => [
    ...[...args.flatMap((word, at) => (globs.includes(at + 1) ? braced(word) : [word])), ...reads].flatMap(
      (word) => real(word, program),
    ),
    ...placedPaths([program ?? '', ...args]).flatMap((path) =>
      bases.map((base) => realOf(path, base, context)),
    ),
  ]);
  return { written, named, all: [...written, ...named] };
}

/**
 * The files of secrets that a line names. A word that only looks like one does not count, unless the line
 * may read such a file though it is not there now.
 */
export function lineSecrets(intent: ToolIntent, context: PathContext): readonly string[] {
  const { isFile = () => true, roots } = context;
  const parts = partsOf(intent);
  const there = linePaths(intent, context).all.filter((path) => isFile(path));
  const bases = basesOf(intent, context);
  const isLost = bases.includes(nowhere);
  const later = parts
    .filter((part) => namesFiles(parts) || showsHistory(part) || isLost)
    .map(withoutUnread)
    .concat(parts.map(openWords));
  // Where the directory is not known, only the name counts.
  const { named } = pathsOf(later, { ...context, bases: isLost ? [...bases, ...roots] : bases });
  return [...there, ...named].filter((path) => isSecretFile(path, roots));
}

/** The words of a part that only the shell can expand: nobody can look whether there is such a file. */
function openWords({ words, reads, open = [], ...part }: CommandPart): CommandPart {
  const isOpen = (_: string, at: number) => at === 0 || open.includes(at);
  return {
    ...part,
    words: words.filter(isOpen),
    globs: [],
    reads: reads.filter((path) => /[$`]/.test(path)),
  };
}

/** Whether a line may give a file its name before it reads it. */
function namesFiles(parts: readonly CommandPart[]): boolean {
  return parts.length > 1 && parts.some(({ words }) => !isReader(words));
}

function withoutUnread(part: CommandPart): CommandPart {
  const unread = unreadWord(part);
  return { ...part, words: part.words.filter((_, at) => at !== unread) };
}

/** A folder below which a command reads all files, or those that are not hidden. */
export interface SearchedFolder {
  readonly folder: string;
  readonly hidden: boolean;
  /** Whether it reads only files that git tracks. */
  readonly tracked: boolean;
  /** If the shell names some of the files by a pattern. */
  readonly only?: FittingFiles;
}

/** What a line searches, as far as its words show. */
export function searchedFolders(intent: ToolIntent, context: PathContext): readonly SearchedFolder[] {
  const parts = partsOf(intent);
  const bases = basesOf(intent, context).filter((base) => base !== nowhere);
  const moved = parts
    .filter(({ words }) => movesFiles(words))
    .map((part) => ({
      paths: pathsOf([part], { ...context, bases }).named,
      sources: pathsOf([withoutUnread(part)], { ...context, bases }).named,
    }));
  return parts.flatMap(({ words, globs, reads }) => {
    const expanded = [...globs.map((at) => words[at] ?? ''), ...reads];
    const whole = innerStarts(words).flatMap((start) => {
      const { folders, hidden, tracked = false } = searchOf(words.slice(start));
      return folders.map((word) => ({ word, hidden, tracked }));
    });
    const searched = whole.flatMap(({ word, ...how }) =>
      bases
        .map((base) => realOf(word, base, context))
        .flatMap((folder) => [folder, ...broughtInto(folder, moved)])
        .map((folder) => ({ folder, ...how })),
    );
    const patterns = expanded.flatMap((word) => {
      const { tracked = false } = whole.find((each) => each.word === word) ?? {};
      const below = whole.some((each) => each.word === word);
      return shellPatterns(word).flatMap(({ folder, levels }) =>
        bases.map((base) => ({
          folder: realOf(folder, base, context),
          hidden: true,
          tracked,
          ...(levels && { only: { levels, below } }),
        })),
      );
    });
    return [...searched, ...patterns];
  });
}

interface Move {
  readonly paths: readonly string[];
  /** Those that may be moved. */
  readonly sources: readonly string[];
}

/** What a line may have moved into a folder before it searches it. */
function broughtInto(folder: string, moves: readonly Move[]): readonly string[] {
  const isNear = (path: string) => contains(path, folder) || contains(folder, path);
  const brought = moves.flatMap(({ paths, sources }) => (paths.some(isNear) ? sources : []));
  return [...new Set(brought)].filter((path) => !contains(folder, path));
}

/**
 * Whether a line hides what a strict rule must see: which programs start or, for a rule about
 * paths, what they touch.
 */
export function hidesFromRules(intent: ToolIntent, rules: readonly Rule[]): boolean {
  if (intent.command === undefined) return false;
  const { parts, doubts } = intent.line ?? unreadLine;
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
  const text = intent.command;
  return (
    !plain &&
    rules.some(
      ({ command: [program = '*'] = [], args: { command: pattern } = {} }) =>
        (program !== '*' && mentions(text, programName(program))) ||
        (pattern !== undefined && matchesPart(pattern, text)),
    )
  );
}

/** Whether an unknown program gets the words of a strict rule as arguments: it may start them. */
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

/** Whether the text contains the name as a whole word. */
function mentions(text: string, name: string): boolean {
  return text
    .toLowerCase()
    .split(/[^\w.+-]+/)
    .includes(name);
}

/**
 * Whether a line names a path outside the workspace, or runs a destructive program on a path that only
 * the shell can expand.
 */
export function leavesWorkspace(intent: ToolIntent, context: PathContext): boolean {
  const isOutside = (path: string) =>
    path !== '/dev/null' && !context.roots.some((root) => contains(root, path));
  const parts = intent.command === undefined ? [] : (intent.line ?? unreadLine).parts;
  if (linePaths(intent, context).all.some(isOutside)) return true;
  return parts.some(
    ({ words, writes, open = [] }) =>
      writes.some((path) => /[$`]/.test(path)) ||
      (open.length > 0 && innerStarts(words).some((at) => isHarmful(words[at] ?? ''))),
  );
}

/** Whether git would run in a repository that is not the workspace's own; its configuration is untrusted. */
export function usesForeignRepository(intent: ToolIntent, context: PolicyContext): boolean {
  const { roots, repositoryAt = () => undefined } = context;
  const { parts } = intent.line ?? unreadLine;
  const { entered, named } = gitFolders(intent, context);
  const hasRemote = parts.some(usesRemote);
  const isForeign = (path: string, isNamed: boolean) => {
    const repository = repositoryAt(path);
    if (!repository) return false;
    const isOther = isNamed ? repository.folder === path : hasRemote && repository.hasLocalRemote;
    return isOther || !isOwnRepository(repository, roots);
  };
  return (
    entered.some((folder) => isForeign(folder, false)) ||
    (parts.some(usesJj) && entered.some((folder) => configuresJj(folder, context.isFile))) ||
    named.some((path) => isForeign(path, true))
  );
}

/** Where git looks for repositories: the folders that a line may run in, and paths that may be remotes. */
export function gitFolders(
  intent: ToolIntent,
  context: PathContext,
): { readonly entered: readonly string[]; readonly named: readonly string[] } {
  const { canonical = (path) => resolvePath('/', path) } = context;
  if (!usesGit(intent.line ?? unreadLine)) return { entered: [], named: [] };
  const isKnown = (path: string) => path !== nowhere;
  const bases = basesOf(intent, context).filter(isKnown);
  const { named } = linePaths(intent, context, usesRemote);
  return { entered: [...new Set(bases.map(canonical))], named: [...new Set(named.filter(isKnown))] };
}

/** Whether jj finds settings in a repository; they name programs, and its environment cannot change that. */
function configuresJj(directory: string, isFile: (path: string) => boolean = () => true): boolean {
  // A file in place of the first one leads to the repository of another workspace.
  const places = ['repo', 'repo/config.toml', 'workspace-config.toml'];
  const parent = directory.slice(0, Math.max(0, directory.lastIndexOf('/')));
  return (
    places.some((name) => isFile(`${directory}/.jj/${name}`)) ||
    (parent !== '' && configuresJj(parent, isFile))
  );
}

/** The work trees in which a line may lead git into repositories that no index names yet. */
export function searchedWorkTrees(intent: ToolIntent, context: PolicyContext): readonly string[] {
  const { repositoryAt = () => undefined } = context;
  if (!intent.line?.parts.some(mayFindRepositories)) return [];
  const { entered } = gitFolders(intent, context);
  // The line may also make a repository of its folder.
  return [...new Set(entered.map((folder) => repositoryAt(folder)?.folder ?? folder))];
}

export function onlyReads({ parts, doubts }: CommandLine): boolean {
  return (
    doubts.length === 0 &&
    parts.length > 0 &&
    parts.every((part) => isReader(part.words) && part.writes.length === 0 && !obeysFileNames(part))
  );
}

/**
 * Whether the line changes no file, so that nobody has to look for changes. A pattern may match a name that
 * looks like an option or is a program of awk, and git may start the programs of a repository that is not the
 * workspace's own.
 */
export function changesNothing(intent: ToolIntent, context: PolicyContext): boolean {
  const line = intent.command === undefined ? unreadLine : (intent.line ?? unreadLine);
  const isFixed = ({ words, globs }: CommandPart) =>
    globs.every((at) => /^[\w./]/.test(words[at] ?? '') && !isInterpreter(words[0] ?? ''));
  if (!onlyReads(line) || !line.parts.every(isFixed)) return false;
  const isLost = usesGit(line) && basesOf(intent, context).includes(nowhere);
  return !isLost && !usesForeignRepository(intent, context);
}

/**
 * The rules that a lasting answer stores, one for each part; undefined if only the exact text may be stored.
 */
export function rememberLine({
  parts: all,
  doubts,
}: CommandLine): readonly (readonly string[])[] | undefined {
  const parts = all.filter(({ guessed }) => !guessed);
  // In a rule, a literal `*` would become a wildcard.
  // A rule for the program would also allow it to write any other file.
  const isOpen = ({ globs, words, writes }: CommandPart) =>
    globs.length > 0 || writes.length > 0 || words.includes('*');
  if (doubts.length > 0 || parts.some(isOpen)) return undefined;
  const keys = parts.filter(({ words }) => !isIdle(words)).map(({ words }) => approvalKey(words));
  const unique = keys.filter(
    (key, at) => keys.findIndex((other) => other.join('\0') === key.join('\0')) === at,
  );
  return unique.length > 0 ? unique : undefined;
}

interface Location extends PathContext {
  readonly namesFiles: boolean;
  /** Every directory the line may be in when a part runs. */
  readonly bases: readonly string[];
  readonly strict: readonly Rule[];
}

/**
 * Words that the pattern names are allowed as they are; words that match its `*` must be harmless and stay
 * inside the workspace.
 */
function covers(pattern: readonly string[], part: CommandPart, location: Location): boolean {
  const open = pattern.at(-1) === '*';
  const fixed = open ? pattern.slice(0, -1) : pattern;
  if (part.guessed || part.words.length < fixed.length || (!open && part.words.length !== fixed.length))
    return false;
  if (!fixed.every((word, at) => part.words[at] === word)) return false;
  if (isWrapper(part.words[0] ?? '')) return false;
  const taken = part.words.map((_, at) => at).slice(fixed.length);
  return (
    !(open && (hasEscapingOption(part.words) || part.globs.length > 0 || mayStart(part, location.strict))) &&
    staysInside(part, taken, location)
  );
}

/** The program name is looked up in PATH and is no path; every word after it may be one. */
function staysInside(part: CommandPart, taken: readonly number[], location: Location): boolean {
  const { words, reads, writes } = part;
  const { roots, isFile = () => true } = location;
  const unread = unreadWord(part);
  const pathsIn = (some: readonly string[]) => some.flatMap((word) => wordPaths(word, words[0] ?? ''));
  const wordsAt = (places: readonly number[]) => places.map((at) => words[at] ?? '');
  const read = pathsIn([...wordsAt(taken.filter((at) => at !== unread)), ...reads]);
  const isLater = location.namesFiles || showsHistory(part);
  const isFree = (real: string, mayAppear: boolean) =>
    roots.some((root) => contains(root, real)) && !(isSecretFile(real, roots) && (mayAppear || isFile(real)));
  // The directory where a part runs is also a path that it may read.
  const others = ['.', ...pathsIn(wordsAt(taken.filter((at) => at === unread))), ...writes];
  return location.bases.every(
    (base) =>
      read.every((path) => isFree(realOf(path, base, location), isLater)) &&
      others.every((path) => isFree(realOf(path, base, location), false)),
  );
}

/** Stands for a directory that is not known; it lies in no workspace. */
const nowhere = '/\0outside';

/** `canonical` resolves `..`, because the parent of a link's target is not the parent of the link. */
function realOf(
  path: string,
  base: string,
  { home, canonical = (written) => resolvePath('/', written) }: PathContext,
): string {
  if (/^~(?:\/|$)/.test(path) && home !== undefined) return canonical(`${home}${path.slice(1)}`);
  if (path.startsWith('~') || base === nowhere) return nowhere;
  return canonical(isAbsolute(path) ? path : `${base}/${path}`);
}

/** Every directory the line may be in: it can change directory, and we do not follow its branches. */
function basesOf(intent: ToolIntent, { roots }: PathContext): readonly string[] {
  let bases: readonly string[] = [intent.paths[0] ?? roots[0] ?? nowhere];
  for (const { words, globs } of intent.line?.parts ?? []) {
    if (words[0] !== 'cd' && words[0] !== 'pushd' && words[0] !== 'popd') continue;
    const target = words.slice(1).findLast((word) => !/^-[LPe@]+$/.test(word));
    const known =
      target !== undefined && words[0] !== 'popd' && globs.length === 0 && !/^[-~]|[$`]/.test(target);
    bases = [
      ...new Set([...bases, ...bases.map((base) => directoryAfter(base, known ? target : undefined))]),
    ];
    if (bases.length > 16) return [nowhere];
  }
  return bases;
}

function directoryAfter(base: string, target: string | undefined): string {
  if (target === undefined || base === nowhere) return nowhere;
  return isAbsolute(target) ? target : `${base}/${target}`;
}

/** Every command that a part may turn out to run: behind wrappers and behind options. */
function readings(words: readonly string[]): readonly (readonly string[])[] {
  return innerStarts(words).flatMap((start) => {
    const command = words.slice(start);
    let at = 1;
    // The command may also be the value of an option.
    const valued =
      start === 0
        ? []
        : (command[0] ?? '')
            .split('=')
            .slice(1)
            .map((value) => [value, ...command.slice(1)]);
    const options: (readonly string[])[] = [command, ...valued];
    while (command[at]?.startsWith('-')) {
      options.push(
        [command[0] ?? '', ...command.slice(at + 1)],
        [command[0] ?? '', ...command.slice(at + 2)],
      );
      at += 1;
    }
    // An option with a value may be followed by another option.
    const more =
      at === 1
        ? []
        : command.flatMap((_, later) =>
            later > at && command[later - 1]?.startsWith('-')
              ? [
                  [command[0] ?? '', ...command.slice(later)],
                  [command[0] ?? '', ...command.slice(later + 1)],
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
