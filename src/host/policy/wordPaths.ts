// Which paths a word of a command may name, wherever a program could look for one. Rather one too many than
// one too few: a path that is none matters only where it would leave the workspace or name a protected file.
import { programName } from './commandLine.ts';

/** No file has this name. It stands for a word that may name anything. */
const anywhere = '/\0anywhere';

/** The word, the values of options, the text behind separators, and the name of a downloaded page. */
export function wordPaths(word: string, program: string): readonly string[] {
  const file = /^file:(?:\/\/[^/]*)?(.*)$/i.exec(word)?.[1];
  if (file !== undefined) return [file];
  const page = /^[a-z][a-z0-9+.-]+:\/\/([^?#]*)/i.exec(word)?.[1];
  // A program may also take an address for a path, and such a path can lead out of the folder.
  if (page !== undefined)
    return [...(word.includes('..') ? [word] : []), ...page.split('/').slice(-1)].filter(isName);
  const texts = [word, ...separated(word, separatorsOf(word, program))];
  const paths = texts.flatMap((text) => (text.startsWith('-') ? glued(text, program) : [text]));
  return [...new Set([...paths, ...paths.flatMap(unpacked)])].filter((path) => path !== '');
}

function isName(text: string): boolean {
  return !/^\.*$/.test(text);
}

/** What a program that unpacks a file in its place would call the result. */
function unpacked(path: string): readonly string[] {
  const name = path.replace(/\.(?:gz|bz2|xz|lzma|zst|lz4|z|br)$/i, '');
  return name === path ? [] : [name];
}

/** A sentence is no list of paths, but `curl` finds files behind any of these signs. */
function separatorsOf(word: string, program: string): RegExp {
  if (programName(program) === 'curl') return /[=@,:;<"']/g;
  return /\s/.test(word) ? /[=,:]|^@/g : /[=@,:;]/g;
}

/** More separators than this are a document, and nobody knows what reads it. */
const mostSeparators = 200;

/** Everything behind each separator, to the next one and to the end. */
function separated(word: string, separators: RegExp): readonly string[] {
  const starts = [...word.matchAll(separators)].map(({ index }) => index + 1);
  if (starts.length > mostSeparators) return [...word.split(separators), anywhere];
  return starts
    .flatMap((start, at) => [word.slice(start), word.slice(start, (starts[at + 1] ?? word.length + 1) - 1)])
    .concat(starts.length > 0 && !word.startsWith('-') ? [word.slice(0, (starts[0] ?? 1) - 1)] : []);
}

/** Options that take all the letters behind them as their value; everywhere else they may be options, too. */
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

/** No program has clusters of options that are longer. */
const longestCluster = 64;

/** What may be the value of a short option: it begins behind any letter of a cluster. */
function glued(word: string, program: string): readonly string[] {
  if (word.startsWith('--')) return [];
  const name = programName(program);
  if (Object.hasOwn(valued, name) && valued[name]?.includes(word.charAt(1))) return [word.slice(2)];
  const letters = /^-.[A-Za-z0-9#@?.+]*/s.exec(word)?.[0].length ?? 0;
  if (letters > longestCluster) return [anywhere];
  return Array.from({ length: Math.max(0, letters - 1) }, (_, at) => word.slice(at + 2));
}
