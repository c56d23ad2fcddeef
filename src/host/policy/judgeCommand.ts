// Checks a command line against rules, part by part. A line that cannot be parsed completely is never
// allowed here, only denied.
import type { Rule } from '../../model/event.ts';
import type { ToolIntent } from './toolRequest.ts';
import { programName, unreadLine } from './commandLine.ts';
import type { CommandLine, CommandPart } from './commandLine.ts';
import { contains, resolvePath } from '../../base/paths.ts';
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
import { basesOf, linePaths, namesFiles, nowhere, realOf } from './reads/lineReads.ts';
import type { PathContext } from './reads/lineReads.ts';
import { followsNewLink, newLinks } from './reads/movedLinks.ts';
import { isSecretFile } from './secretFiles.ts';
import { isSameProgram } from './programs/programNames.ts';
import { meansSubcommand } from './programs/subcommands.ts';
import { expressionWord, placeWord, wordPaths } from './reads/wordPaths.ts';
import {
  approvalKey,
  describedWork,
  innerStarts,
  isHarmful,
  hasNoEffect,
  isInert,
  isInterpreter,
  isReader,
  isWrapper,
  obeysFileNames,
  startsByName,
} from './knownPrograms.ts';

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
  const placesAt = newLinks({ parts, text: intent.command ?? '' }, location);
  for (const [at, part] of parts.entries()) {
    const here = { ...location, places: placesAt(at) };
    const rule = rules.find(
      ({ command = ['*'], args }) =>
        covers(command, part, here) &&
        (args?.['command'] === undefined || matchesWhole(args['command'], part.words.join(' '), 'allows')),
    );
    if (
      !rule &&
      !(
        hasNoEffect(part.words) &&
        part.writes.length === 0 &&
        staysInside(
          part,
          part.words.slice(1).map((_, index) => index + 1),
          here,
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
        (word) =>
          word === '*' ||
          word.startsWith('-') ||
          mentions(args.join(' '), word.toLowerCase()) ||
          args.some((arg) => meansSubcommand(program, arg, word)),
      ),
  );
}

/** Whether the text contains the name, or another name of that program, as a whole word. */
function mentions(text: string, name: string): boolean {
  return text
    .toLowerCase()
    .split(/[^\w.+-]+/)
    .some((word) => isSameProgram(word, name));
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
  const keys = parts.filter(({ words }) => !hasNoEffect(words)).map(({ words }) => approvalKey(words));
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
  /** Where the line may have put links before. */
  readonly places: readonly string[];
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
  if (isWrapper(part.words[0] ?? '') || describedWork(part.words) >= fixed.length) return false;
  const taken = part.words.map((_, at) => at).slice(fixed.length);
  return !(open && isChanged(part, location)) && staysInside(part, taken, location);
}

/** Whether words that nobody has looked at may make the command another one. */
function isChanged(part: CommandPart, { strict }: Location): boolean {
  const { words, globs } = part;
  return (
    hasEscapingOption(words) ||
    globs.length > 0 ||
    mayStart(part, strict) ||
    readings(words).some(startsByName)
  );
}

/** The program name is looked up in PATH and is no path; every word after it may be one. */
function staysInside(part: CommandPart, taken: readonly number[], location: Location): boolean {
  const { words, reads, writes } = part;
  const { roots, isFile = () => true } = location;
  const place = placeWord(part);
  const expression = expressionWord(part);
  const pathsIn = (some: readonly string[]) => some.flatMap((word) => wordPaths(word, words[0] ?? ''));
  const wordsAt = (places: readonly number[]) => places.map((at) => words[at] ?? '');
  const read = pathsIn([...wordsAt(taken.filter((at) => at !== place && at !== expression)), ...reads]);
  const isLater = location.namesFiles || showsHistory(part);
  const isFree = (real: string, mayAppear: boolean) =>
    roots.some((root) => contains(root, real)) && !(isSecretFile(real, roots) && (mayAppear || isFile(real)));
  if (followsNewLink(part, taken, location)) return false;
  // The directory where a part runs is also a path that it may read.
  const others = ['.', ...pathsIn(wordsAt(taken.filter((at) => at === place))), ...writes];
  return location.bases.every(
    (base) =>
      read.every((path) => isFree(realOf(path, base, location), isLater)) &&
      others.every((path) => isFree(realOf(path, base, location), false)),
  );
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
  const [program = ''] = words;
  return fixed.every((word, at) => {
    if (at === 0) return isSameProgram(programName(program), programName(word));
    return at === 1 ? meansSubcommand(program, words[1] ?? '', word) : words[at] === word;
  });
}
