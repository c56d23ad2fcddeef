// The paths that a word of a command may name, in every way a program could read it. Too many are better than
// too few: a false path matters only if it leaves the workspace or names a protected file.
import { wordSet } from '../commandLine.ts';
import type { CommandPart } from '../commandLine.ts';
import { knownName } from '../programs/programNames.ts';

/** Stands for a word that may name any path; no file has this name. */
const anywhere = '/\0anywhere';

/** The word, option values, the text behind separators, and the names that a download may get from a URL. */
export function wordPaths(word: string, program: string): readonly string[] {
  const file = /^file:(?:\/\/[^/]*)?(.*)$/i.exec(word)?.[1];
  if (file !== undefined) return [file];
  const page = /^[a-z][a-z0-9+.-]+:\/\/([^?#]*)/i.exec(word)?.[1];
  // A program may also read a URL as a path, and such a path can leave the folder.
  if (page !== undefined) return [...(word.includes('..') ? [word] : []), ...downloaded(page)].filter(isName);
  // These programs need no scheme in front of an address.
  const mayLoad = /^(?:curl|wget)$/.test(knownName(program));
  const address = word.replace(/^--[^=]*=/, '').replace(/[?#].*$/s, '');
  const names = mayLoad && !address.startsWith('-') ? downloaded(address).filter(isName) : [];
  const texts = [word, ...names, ...separated(word, separatorsOf(word, program))];
  const paths = texts.flatMap((text) => (text.startsWith('-') ? glued(text, program) : [text]));
  return [...new Set([...paths, ...paths.flatMap(unpacked)])].filter((path) => path !== '');
}

/** Where a program may put what it copies or moves: into a folder that it is given, each file by its name. */
export function placedPaths([program = '', ...args]: readonly string[]): readonly string[] {
  if (!placers.has(knownName(program))) return [];
  const words = args.flatMap((word) => wordPaths(word, program));
  // The folder is usually the last word.
  const folders = words.length > mostFolders ? words.slice(-1) : words;
  const names = words.map((word) => word.split('/').at(-1) ?? '').filter(isName);
  return folders.flatMap((folder) => names.map((name) => `${folder}/${name}`));
}

const placers: ReadonlySet<string> = wordSet('cp mv ln install rsync');
const mostFolders = 12;

/** Whether a program copies, moves or links what it is given. */
export function isPlacer(program: string): boolean {
  return placers.has(program);
}

/** Whether a command gives files other names. */
export function movesFiles([program = '', ...args]: readonly string[]): boolean {
  return placers.has(knownName(program)) || (knownName(program) === 'git' && args.includes('mv'));
}

/** The position of the word that only says where copies go; -1 if there is none. */
export function placeWord(part: CommandPart): number {
  if (!placers.has(knownName(part.words[0] ?? ''))) return -1;
  const operands = plainOperands(part, { start: 0, flags: placerFlags });
  return operands.length < 2 ? -1 : (operands.at(-1) ?? -1);
}

/** The position of the word that is surely the expression of a filter, and no file; -1 if there is none. */
export function expressionWord(part: CommandPart): number {
  const start = knownName(part.words[0] ?? '') === 'git' && part.words[1] === 'grep' ? 1 : 0;
  const flags = filterFlags.get(knownName(part.words[start] ?? ''));
  return flags ? (plainOperands(part, { start, flags })[0] ?? -1) : -1;
}

/** The positions of words that are no options. There are none if another option may change what they are. */
function plainOperands(
  { words, globs, open = [] }: CommandPart,
  { start, flags }: { readonly start: number; readonly flags: RegExp },
): readonly number[] {
  const args = words.slice(start + 1);
  const isPlain = args.every((word) => !word.startsWith('-') || flags.test(word));
  if (!isPlain || globs.length + open.length > 0) return [];
  return words.flatMap((word, at) => (at > start && !word.startsWith('-') ? [at] : []));
}

/** Not `-t`, which names the place. */
const placerFlags = /^-[^-t]+$/;

/** Options without a value of programs whose first word is an expression. */
const filterFlags: ReadonlyMap<string, RegExp> = new Map([
  ['grep', /^-[nihlcovwxsqHEFGPrabLZ]+$/],
  ['egrep', /^-[nihlcovwxsqHrabLZ]+$/],
  ['fgrep', /^-[nihlcovwxsqHrabLZ]+$/],
  ['rg', /^-[nihlcovwxsSuUFNHIpaP]+$/],
  ['jq', /^-[rcnsSajCM]+$/],
]);

function isName(text: string): boolean {
  return !/^\.*$/.test(text);
}

/** Its last part, also as git shortens it for a clone, and with its escapes resolved. */
function downloaded(page: string): readonly string[] {
  const names = [page, page.replace(/\/+$/, ''), page.replace(/\/*(?:\.git)?\/*$/, '')];
  const last = names.map((name) => name.split('/').at(-1) ?? '');
  return [...new Set([...last, ...last.map(unescaped)])];
}

function unescaped(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}

/** The name of the result if a program unpacks the file in place, or clones the repository. */
function unpacked(path: string): readonly string[] {
  const name = path.replace(/\.(?:gz|bz2|xz|lzma|zst|lz4|z|br|git)$/i, '');
  return name === path ? [] : [name];
}

/** A sentence is no list of paths, but `curl` reads files behind any of these characters. */
function separatorsOf(word: string, program: string): RegExp {
  if (knownName(program) === 'curl') return /[=@,:;<"']/g;
  return /\s/.test(word) ? /[=,:]|^@/g : /[=@,:;]/g;
}

/** A word with more separators is a document; we do not try to read it. */
const mostSeparators = 200;

/** The text behind each separator, up to the next one and up to the end. */
function separated(word: string, separators: RegExp): readonly string[] {
  const starts = [...word.matchAll(separators)].map(({ index }) => index + 1);
  if (starts.length > mostSeparators) return [...word.split(separators), anywhere];
  return starts
    .flatMap((start, at) => [word.slice(start), word.slice(start, (starts[at + 1] ?? word.length + 1) - 1)])
    .concat(starts.length > 0 && !word.startsWith('-') ? [word.slice(0, (starts[0] ?? 1) - 1)] : []);
}

/** Short options that take the rest of the word as their value; elsewhere the rest may be more options. */
const valued: { readonly [program: string]: string | undefined } = {
  gcc: 'ILDUol',
  'g++': 'ILDUol',
  cc: 'ILDUol',
  'c++': 'ILDUol',
  clang: 'ILDUol',
  'clang++': 'ILDUol',
  cpp: 'ILDUol',
  ld: 'Ll',
  protoc: 'I',
  nasm: 'I',
  perl: 'I',
  ruby: 'I',
  git: 'SG',
  cmake: 'D',
  java: 'D',
  javac: 'D',
  mvn: 'D',
  gradle: 'D',
};

/** No program takes more short options in one word. */
const longestCluster = 64;

/** Possible values of short options: one may begin behind any letter of the word. */
function glued(word: string, program: string): readonly string[] {
  if (word.startsWith('--')) return [];
  const name = knownName(program);
  if (Object.hasOwn(valued, name) && valued[name]?.includes(word.charAt(1))) return [word.slice(2)];
  const letters = /^-.[A-Za-z0-9#@?.+]*/s.exec(word)?.[0].length ?? 0;
  if (letters > longestCluster) return [anywhere];
  return Array.from({ length: Math.max(0, letters - 1) }, (_, at) => word.slice(at + 2));
}
