// Which files `find`, `fd` and `ls` give to another program, which may show what is in them.
import { wordSet } from '../commandLine.ts';
import type { CommandPart } from '../commandLine.ts';
import type { WordSearch } from './searchedWords.ts';
import { knownName } from '../programs/programNames.ts';

/** What a finder searches; undefined if no other program gets the files. */
export const finders: ReadonlyMap<
  string,
  (args: readonly string[], feeds: boolean) => WordSearch | undefined
> = new Map([
  ['find', findSearch],
  ['fd', fdSearch],
  ['ls', listSearch],
]);

/**
 * Whether a command gets names from another one and may show the files: by its input, or by words that the
 * shell expands.
 */
export function readsNames({ words: command, open = [] }: CommandPart): boolean {
  const program = knownName(command[0] ?? '');
  if (open.some((at) => at > 0) && !contentFree.has(program)) return true;
  if (packers.get(program)?.test(command.join(' '))) return true;
  const at = command.findIndex((word) => /^(?:xargs|parallel)$/.test(knownName(word)));
  if (at < 0) return false;
  const args = command.slice(at + 1);
  const isValue = (option = '') => /^-[nPILsdaE]$/.test(option);
  const inner = args.find((word, index) => !word.startsWith('-') && !isValue(args[index - 1]));
  return inner !== undefined && !contentFree.has(knownName(inner));
}

/** Programs that pack the files that their input names. */
const packers: ReadonlyMap<string, RegExp> = new Map([
  ['cpio', / /],
  ['pax', / /],
  ['tar', / (?:-?\w*T|--files-from)/],
  ['bsdtar', / (?:-?\w*T|--files-from)/],
  ['zip', / -\w*@/],
  ['rsync', / --files-from/],
]);

/** Without this option it shows no hidden files, and with `-l` more than names. */
function listSearch(args: readonly string[], feeds: boolean): WordSearch | undefined {
  const isNames = !args.some((word) => /^-[^-]*l/.test(word));
  if (!(feeds && isNames && args.some((word) => /^-(?:[^-]*[aAf]|-al)/.test(word)))) return undefined;
  const folders = args.filter((word) => !word.startsWith('-'));
  return { folders: folders.length > 0 ? folders : ['.'], hidden: true };
}

/** All files below the folders count, or those whose names one of the patterns fits. */
function findSearch(args: readonly string[], feeds: boolean): WordSearch | undefined {
  const runs = args.findIndex((word) => /^-(?:exec|execdir|ok|okdir)$/.test(word));
  const isShown = runs >= 0 && !contentFree.has(knownName(args[runs + 1] ?? ''));
  if (!isShown && !feeds) return undefined;
  const first = args.findIndex((word) => /^[-(!\\]/.test(word));
  const folders = args.slice(0, first < 0 ? args.length : first);
  const names = args.filter(
    (_, at) => /^-i?name$/.test(args[at - 1] ?? '') && !/^(?:!|-not)$/.test(args[at - 2] ?? ''),
  );
  const branches = args.filter((word) => /^-or?$/.test(word)).length + 1;
  return {
    folders: folders.length > 0 ? folders : ['.'],
    hidden: true,
    ...(names.length >= branches ? { names } : {}),
  };
}

function fdSearch(args: readonly string[], feeds: boolean): WordSearch | undefined {
  const runs = args.findIndex((word) => /^-[^-]*[xX]$|^--exec(?:-batch)?$/.test(word));
  const isShown = runs >= 0 && !contentFree.has(knownName(args[runs + 1] ?? ''));
  if (!isShown && !feeds) return undefined;
  const own = runs < 0 ? args : args.slice(0, runs + 1);
  const at = own.findIndex((word) => /^(?:-e|--extension)$/.test(word));
  const [pattern, ...folders] = own.filter(
    (word, place) =>
      !word.startsWith('-') && !/^(?:-[a-zA-Z]*[edtESocj]|--[^=]+)$/.test(own[place - 1] ?? ''),
  );
  const isPlain = pattern !== undefined && /^[\w-]+$/.test(pattern);
  const plain = isPlain ? [`*${pattern}*`] : [];
  const names = at >= 0 ? [`*.${own[at + 1] ?? ''}`] : plain;
  return {
    folders: folders.length > 0 ? folders : ['.'],
    hidden: own.some((word) => /^-[a-zA-Z]*[Hu]|^--(?:hidden|unrestricted)/.test(word)),
    ...(names.length > 0 ? { names } : {}),
  };
}

/** Programs that do not show what is in the files they get. */
const contentFree: ReadonlySet<string> = wordSet(`
  rm rmdir unlink chmod chown chgrp touch mkdir ls stat wc du basename dirname realpath readlink test [ echo
  printf cd pushd read`);
