// Links that a line itself makes or moves. The disk shows links as they are before the line runs, so a later
// command of the line may be led elsewhere by one that is not there yet, or is at another depth by then.
import { contains, isAbsolute, resolvePath } from '../../../base/paths.ts';
import { wordSet } from '../commandLine.ts';
import type { CommandPart } from '../commandLine.ts';
import { hasEscapingOption } from '../commandOptions.ts';
import { approvalKey, innerStarts, isReader, printsOnly } from '../knownPrograms.ts';
import { isGitProgram, keepsWorkTree, namesNoFile, usesGit } from '../safeGit.ts';
import type { PathContext } from './lineReads.ts';
import { realOf } from './lineReads.ts';
import { isPlacer, placeWord, wordPaths } from './wordPaths.ts';
import { knownName } from '../programs/programNames.ts';

interface Ground extends PathContext {
  readonly bases: readonly string[];
}

/** The places where links may be new when a part runs, by its position: below them nothing is known. */
export function newLinks(
  { parts, text }: { readonly parts: readonly CommandPart[]; readonly text: string },
  ground: Ground,
): (at: number) => readonly string[] {
  if (parts.length < 2) return () => [];
  const placesWith = (holdsLinks: (path: string) => boolean) =>
    parts.map((part) => linkPlaces(part, { ...ground, holdsLinks }));
  const places = placesWith(someLooks(ground.holdsLinks));
  // Any folder may be a repository with settings of its own, which git obeys where it is.
  const entered = usesGit({ parts, doubts: [] }) ? placesWith(() => true) : places;
  const end = isOrdered(text) ? 0 : parts.length;
  return (at) => {
    const isEntered = /^(?:cd|pushd)$/.test(parts[at]?.words[0] ?? '');
    return [...new Set((isEntered ? entered : places).slice(0, Math.max(at, end)).flat())];
  };
}

/** A long line must not make the host look at folder after folder. */
function someLooks(holdsLinks: (path: string) => boolean = () => true): (path: string) => boolean {
  const known = new Map<string, boolean>();
  return (path) => {
    const found = known.get(path) ?? (known.size >= mostLooks || holdsLinks(path));
    known.set(path, found);
    return found;
  };
}

const mostLooks = 200;

/** Whether the commands run one after the other, each once; in case of doubt they do not. */
function isOrdered(text: string): boolean {
  const plain = text.replaceAll(/\\./gs, '');
  return !/(?<![&|>])(?:&(?![&>])|\|(?!\|))|\b(?:while|until)\b/.test(plain);
}

const everywhere = ['/'];

/** Where a command may put links. */
function linkPlaces(part: CommandPart, ground: Ground): readonly string[] {
  return innerStarts(part.words).flatMap((start) => {
    const words = part.words.slice(start);
    const [name = '', sub = ''] = words;
    const program = knownName(name);
    if (containers.has(program) && words.includes('cp')) return everywhere;
    if (linkers.has(program) || (unpackers.has(program) && hasEscapingOption(words))) return everywhere;
    const isMove = program === 'git' && sub === 'mv';
    if (isGitProgram(program) && !isMove) return keepsWorkTree(words) ? [] : everywhere;
    return isPlacer(program) || isMove ? placesOfCopies({ ...part, words }, ground) : [];
  });
}

const linkers: ReadonlySet<string> = wordSet('link rename prename file-rename mmv stow hg svn');
const containers: ReadonlySet<string> = wordSet('docker podman nerdctl kubectl oc');
const unpackers: ReadonlySet<string> = wordSet('tar gtar bsdtar unzip jar 7z 7za rar unrar cpio pax patch');

/** Where a command copies, moves or links to, if a link is among what it takes. */
function placesOfCopies(part: CommandPart, ground: Ground): readonly string[] {
  const { words } = part;
  const { bases, roots, holdsLinks = () => true } = ground;
  const everyPlace = (some: readonly string[]) =>
    some.flatMap((path) => bases.map((base) => placeOf(path, base, ground)));
  const everyTarget = (some: readonly string[]) =>
    some.flatMap((path) => bases.map((base) => realOf(path, base, ground)));
  const pathsIn = (fits: (at: number) => boolean) =>
    words.flatMap((word, at) => (at > 0 && fits(at) ? wordPaths(word, words[0] ?? '') : []));
  const place = placeWord(part);
  const taken = pathsIn((at) => at !== place);
  const places = everyPlace(taken);
  // Who is in a folder that moves comes to another depth.
  if (places.some((folder) => bases.some((base) => contains(folder, resolvePath('/', base)))))
    return everywhere;
  const isNew = [...places, ...everyTarget(taken)].some(
    (path) => roots.some((root) => contains(root, path)) && holdsLinks(path),
  );
  if (!isNew && !makesLinks(words)) return [];
  // Without a word that surely is the place, each may be, and so may the folder where the command runs.
  const folders = pathsIn((at) => at === place || place < 0);
  const names = taken.map((path) => path.split('/').at(-1) ?? '');
  const placed = (place < 0 ? [...folders, '.'] : folders).flatMap((folder) =>
    names.map((name) => `${folder}/${name}`),
  );
  if (placed.length > mostPlaces) return everywhere;
  const given = [...folders, ...placed];
  return [...places, ...everyPlace(given), ...everyTarget(given)];
}

const mostPlaces = 500;

/** Links that are made, or come from another machine. */
function makesLinks([name = '', ...args]: readonly string[]): boolean {
  const program = knownName(name);
  if (program === 'rsync') return args.some((word) => word.includes(':'));
  return /^(?:ln|cp)$/.test(program) && args.some((word) => /^(?:-[^-]*s|--s)/.test(word));
}

/** Where a path is itself, if it is a link. */
function placeOf(path: string, base: string, ground: Ground): string {
  const [, folder = '', name = ''] = /^(.*?)([^/]+)\/*$/s.exec(path) ?? [];
  return /^\.*$/.test(name) ? realOf(path, base, ground) : `${realOf(folder || '.', base, ground)}/${name}`;
}

/** Whether a part may come through a new link: by a word at the given positions, or by a redirection. */
export function followsNewLink(
  part: CommandPart,
  taken: readonly number[],
  { places, ...ground }: Ground & { readonly places: readonly string[] },
): boolean {
  if (places.length === 0) return false;
  const { words, reads, writes } = part;
  const named = taken.filter((at) => mayBePath(part, at)).map((at) => words[at] ?? '');
  const paths = [...named, ...reads].flatMap((word) => wordPaths(word, words[0] ?? '')).concat(writes);
  return ground.bases.some((base) => paths.some((path) => isUnknown(path, base, { places, ...ground })));
}

/** A path through a link that is there already, or with `..`, may lead through one of the places. */
function isUnknown(
  path: string,
  base: string,
  { places, ...ground }: Ground & { readonly places: readonly string[] },
): boolean {
  const real = realOf(path, base, ground);
  const written = resolvePath('/', isAbsolute(path) ? path : `${base}/${path}`);
  return path.split('/').includes('..') || real !== written || places.some((place) => isIn(place, real));
}

/** Some file systems ignore case. */
function isIn(place: string, path: string): boolean {
  return contains(place.toLowerCase(), path.toLowerCase());
}

/** Git does not follow links to the files that it tracks. */
function mayBePath({ words }: CommandPart, at: number): boolean {
  const word = words[at] ?? '';
  if (printsOnly(words) || namesNoFile(words)) return false;
  const key = approvalKey(words);
  const isSubcommand = key !== words && at < key.length - 1 && !word.includes('/');
  return !isSubcommand && !(isReader(words) && /^-\w+$/.test(word));
}
