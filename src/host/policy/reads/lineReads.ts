// What a command line reads and writes, as far as its words show.
import type { ToolIntent } from '../toolRequest.ts';
import { contains, isAbsolute, resolvePath } from '../../../base/paths.ts';
import { unreadLine } from '../commandLine.ts';
import type { CommandPart } from '../commandLine.ts';
import { innerStarts, isReader } from '../knownPrograms.ts';
import type { PolicyContext } from '../policy.ts';
import { showsHistory } from '../safeGit.ts';
import { isSecretFile } from '../secretFiles.ts';
import { readsNames } from './foundFiles.ts';
import { braced, searchOf, shellPatterns } from './searchedWords.ts';
import type { FittingFiles } from './searchedWords.ts';
import { expressionWord, movesFiles, placedPaths, placeWord, wordPaths } from './wordPaths.ts';

/** What resolves the paths in a command line. */
export type PathContext = Pick<PolicyContext, 'roots' | 'canonical' | 'home' | 'isFile' | 'holdsLinks'>;

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
  { bases, ...context }: PathContext & { readonly bases: readonly string[] },
): ReturnType<typeof linePaths> {
  const real = (word: string, program = '') =>
    wordPaths(word, program).flatMap((path) => bases.map((base) => realOf(path, base, context)));
  const written = parts.flatMap(({ writes }) =>
    writes.flatMap((path) => [...real(path), ...bases.map((base) => realOf(path, base, context))]),
  );
  const named = parts
    .map(withoutExpression)
    .flatMap(({ words: [program, ...args], reads, globs }) => [
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
    .map(withoutPlace)
    .concat(parts.map(openWords));
  // Where the directory is not known, only the name counts.
  const { named } = pathsOf(later, { ...context, bases: isLost ? [...bases, ...roots] : bases });
  return [...there, ...named].filter((path) => isSecretFile(path, roots));
}

/** The words of a part that only the shell can expand: nobody can look whether there is such a file. */
function openWords({ words, reads, open = [], ...part }: CommandPart): CommandPart {
  const isOpen = (_: string, at: number) => at === 0 || open.includes(at);
  const kept = words.filter(isOpen);
  return {
    ...part,
    words: kept,
    globs: [],
    open: kept.map((_, at) => at).slice(1),
    reads: reads.filter((path) => /[$`]/.test(path)),
  };
}

/** Whether a line may give a file its name before it reads it. */
export function namesFiles(parts: readonly CommandPart[]): boolean {
  return parts.length > 1 && parts.some(({ words }) => !isReader(words));
}

function withoutPlace(part: CommandPart): CommandPart {
  return without(part, placeWord(part));
}

function withoutExpression(part: CommandPart): CommandPart {
  return without(part, expressionWord(part));
}

/** An empty word names no path, and the other words keep their positions. */
function without(part: CommandPart, place: number): CommandPart {
  return place < 0 ? part : { ...part, words: part.words.map((word, at) => (at === place ? '' : word)) };
}

/** A folder below which a command reads all files, or those that are not hidden. */
export interface SearchedFolder {
  readonly folder: string;
  readonly hidden: boolean;
  /** Whether it reads only files that git tracks. */
  readonly tracked: boolean;
  /** If the shell names some of the files by a pattern. */
  readonly only?: FittingFiles;
  /** If it takes only files with such names. */
  readonly names?: readonly string[];
  /** Whether it reads a hidden file where an ignore file says so (`!.env`). */
  readonly obeys?: true;
}

/** What a line searches, as far as its words show. */
export function searchedFolders(intent: ToolIntent, context: PathContext): readonly SearchedFolder[] {
  const parts = partsOf(intent);
  const bases = searchBases(intent, context);
  const moved = parts
    .filter(({ words }) => movesFiles(words))
    .map((part) => ({
      paths: pathsOf([part], { ...context, bases }).named,
      sources: pathsOf([withoutPlace(part)], { ...context, bases }).named,
    }));
  const feeds = parts.some(readsNames);
  return parts.flatMap(({ words, globs, reads }) => {
    const expanded = [...globs.map((at) => words[at] ?? ''), ...reads];
    const whole = innerStarts(words).flatMap((start) => {
      const own = { feeds, globs: globs.map((at) => at - start) };
      const { folders, tracked = false, ...how } = searchOf(words.slice(start), own);
      return folders.map((word) => ({ word, tracked, ...how }));
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
        bases
          .map((base) => realOf(folder, base, context))
          .flatMap((real) => [real, ...broughtInto(real, moved)])
          .map((real) => ({
            folder: real,
            hidden: true,
            tracked,
            ...(levels && { only: { levels, below } }),
          })),
      );
    });
    return [...searched, ...patterns];
  });
}

/** Where a line may search. Behind `cd FOLDER &&` nothing runs where it began. */
function searchBases(intent: ToolIntent, context: PathContext): readonly string[] {
  const [first, ...others] = partsOf(intent).map(({ words }) => words[0] ?? '');
  const bases = basesOf(intent, context).filter((base) => base !== nowhere);
  const isChain =
    first === 'cd' &&
    !others.some((name) => /^(?:cd|pushd|popd)$/.test(name)) &&
    /^\s*cd [^|&;]*&&(?!.*(?:[;\n(){}`]|\|\||(?<!&)&(?!&)))/s.test(intent.command ?? '');
  return isChain && bases.length > 1 ? bases.slice(1) : bases;
}

interface Move {
  readonly paths: readonly string[];
  /** Those that may be moved. */
  readonly sources: readonly string[];
}

/** What a line may have moved into a folder before it searches it, also by way of others. */
function broughtInto(folder: string, moves: readonly Move[]): readonly string[] {
  const brought = new Set<string>();
  const follow = (place: string) => {
    const isNear = (path: string) => contains(path, place) || contains(place, path);
    for (const { paths, sources } of moves)
      if (paths.some(isNear))
        for (const source of sources)
          if (!brought.has(source)) {
            brought.add(source);
            follow(source);
          }
  };
  follow(folder);
  return [...brought].filter((path) => !contains(folder, path));
}

/** Stands for a directory that is not known; it lies in no workspace. */
export const nowhere = '/\0outside';

/** `canonical` resolves `..`, because the parent of a link's target is not the parent of the link. */
export function realOf(
  path: string,
  base: string,
  { home, canonical = (written) => resolvePath('/', written) }: PathContext,
): string {
  if (/^~(?:\/|$)/.test(path) && home !== undefined) return canonical(`${home}${path.slice(1)}`);
  if (path.startsWith('~') || base === nowhere) return nowhere;
  return canonical(isAbsolute(path) ? path : `${base}/${path}`);
}

/** Every directory the line may be in: it can change directory, and we do not follow its branches. */
export function basesOf(intent: ToolIntent, { roots }: PathContext): readonly string[] {
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
