// Which folders a command reads whole: programs that search, copy or pack them.
import { fitsName } from '../../../base/paths.ts';
import { programName, wordSet } from '../commandLine.ts';
import { finders } from './foundFiles.ts';

export interface WordSearch {
  /** As they are written. A pattern counts as a folder, too: no folder is missed. */
  readonly folders: readonly string[];
  /** Whether it also reads hidden files. */
  readonly hidden: boolean;
  /** Whether it reads only files that git tracks. */
  readonly tracked?: boolean;
  /** If it takes only files with such names. */
  readonly names?: readonly string[];
}

/** `feeds`: whether the line gives the names that a command prints to another one, which may read them. */
export function searchOf([name = '', ...args]: readonly string[], feeds = false): WordSearch {
  const program = programName(name);
  const finder = finders.get(program);
  if (finder) return finder(args, feeds) ?? none;
  if (program === 'cp' ? args.some((word) => isCopy.test(word)) : copiers.has(program))
    return { folders: copied(args), hidden: true };
  if (packers.has(program)) return { folders: unpacks(program, args) ? [] : operandsIn(args), hidden: true };
  // Folders are compared file by file.
  if (/^(?:color|s)?diff3?$/.test(program)) return { folders: operandsIn(args), hidden: true };
  if (program === 'git') return gitSearch(args);
  if (/^(?:rg|ag|ack|ug|ugrep)$/.test(program))
    return { folders: placesIn(args, valued.rg), hidden: args.some((word) => seesHidden.test(word)) };
  const isGrep = /^(?:[efz]|bz|xz|pcre2?)?grep$/.test(program) && args.some((word) => isRecursive.test(word));
  return isGrep || program === 'rgrep' ? { folders: placesIn(args, valued.grep), hidden: true } : none;
}

/** What the shell puts in place of a word: files below a folder. */
export interface ShellPattern {
  readonly folder: string;
  /** A pattern for each name on the way; absent if that cannot be known, so that any file may be meant. */
  readonly levels?: readonly string[];
}

export function shellPatterns(word: string): readonly ShellPattern[] {
  const words = expanded(word);
  if (!words) return [{ folder: /^[^{]*\//.exec(word)?.[0] ?? '.' }];
  return words.flatMap((text) => {
    const names = text.split('/');
    const first = names.findIndex((name) => /[*?[]/.test(name));
    if (first < 0) return [];
    const folder = names.slice(0, first).join('/');
    const levels = names.slice(first).filter((name) => name !== '' && name !== '.');
    return [{ folder: folder || (first > 0 ? '/' : '.'), levels: withoutUp(levels) }];
  });
}

/** The words that the shell makes of one with braces, as far as they can be known. */
export function braced(word: string): readonly string[] {
  return expanded(word) ?? [word];
}

/** Undefined if there are too many of them. */
function expanded(word: string): readonly string[] | undefined {
  let words = [word];
  for (let round = 0; round < mostBraces; round += 1) {
    const next = words.flatMap((each) => withoutFirstBraces(each) ?? [each]);
    if (next.length > mostWords) return undefined;
    if (next.every((each, at) => each === words[at])) return words;
    words = next;
  }
  return undefined;
}

function withoutFirstBraces(word: string): readonly string[] | undefined {
  for (const [group, inside = ''] of word.matchAll(/\{([^{}]*)\}/g)) {
    const each = inside.includes(',') ? inside.split(',', mostWords + 1) : counted(inside);
    if (each) return each.map((text) => word.replace(group, () => text));
  }
  return undefined;
}

/** What two dots stand for: numbers, or characters. One more than the most is enough. */
function counted(inside: string): readonly string[] | undefined {
  const [, first = '', last = ''] = /^(-?\d+|[a-z])\.\.(-?\d+|[a-z])(?:\.\.-?\d+)?$/i.exec(inside) ?? [];
  if (first === '') return undefined;
  const isNumber = /\d$/.test(first) && /\d$/.test(last);
  const valueOf = (text: string) => (isNumber ? Number(text) : (text.codePointAt(0) ?? 0));
  const [from, to] = [Math.min(valueOf(first), valueOf(last)), Math.max(valueOf(first), valueOf(last))];
  return Array.from({ length: Math.min(to - from, mostWords) + 1 }, (_, at) =>
    isNumber ? String(from + at) : String.fromCodePoint(from + at),
  );
}

const mostWords = 256;
const mostBraces = 64;

/** A level that is left again can have any name. */
function withoutUp(levels: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (const level of levels) {
    if (level === '..') kept.pop();
    else kept.push(level);
  }
  return kept;
}

/** The part of what is below a folder that a pattern stands for. */
export interface FittingFiles {
  readonly levels: readonly string[];
  /** Whether all that is below fitting folders counts, too. */
  readonly below: boolean;
}

/** Whether a path below the folder fits. A wildcard stands for no dot at the beginning of a name. */
export function fitsPattern({ levels, below }: FittingFiles, path: string): boolean {
  const names = path.split(/[/\\]/).filter((name) => name !== '');
  const fitsLevel = (level: string, name = '') =>
    (!name.startsWith('.') || level.startsWith('.')) && fitsName(level.replaceAll(characterClass, '?'), name);
  return (
    (below || names.length === levels.length) && levels.every((level, at) => fitsLevel(level, names[at]))
  );
}

const characterClass = /\[[!^]?\]?(?:\[[:.=]\w+[:.=]\]|[^\]])*\]/g;

const none: WordSearch = { folders: [], hidden: false };

const copiers: ReadonlySet<string> = wordSet('rsync scp');
const packers: ReadonlySet<string> = wordSet('tar bsdtar zip 7z 7za rar');
const isCopy = /^-(?:[^-]*[rRa]|-r|-a)/;
/** Long options may be shortened. */
const isRecursive = /^-(?:[^-]*[rRd]|-rec|-de|-di)/;
const seesHidden = /^-(?:[^-]*[u.a]|-hidden|-unrestricted|-no-ignore|-all)/;

/** The last word is where the copies go, and is not read; unless an option names that place. */
function copied(args: readonly string[]): readonly string[] {
  const operands = operandsIn(args);
  return args.some((word) => /^-(?:[^-]*t|-t)/.test(word)) ? operands : operands.slice(0, -1);
}

/** Tar that unpacks or lists reads the archive alone. */
function unpacks(program: string, [first = '']: readonly string[]): boolean {
  return program.endsWith('tar') && /^(?:-?[vzjJpkm]*[xt]|--extract$|--get$|--list$)/.test(first);
}

function operandsIn(args: readonly string[]): readonly string[] {
  return args.filter((word) => !word.startsWith('-'));
}

function gitSearch(args: readonly string[]): WordSearch {
  const at = args.indexOf('grep');
  if (at >= 0) {
    const tracked = !args.some((word) => /^--(?:no-i|unt)|fallbackToNoIndex/i.test(word));
    return { folders: placesIn(args.slice(at + 1), valued.grep), hidden: true, tracked };
  }
  // Compares folders of any kind, and shows what is in them.
  const isOther = args.some((word) => word.startsWith('--no-i'));
  return isOther ? { folders: operandsIn(args), hidden: true } : none;
}

/** Short options whose value is the next word. */
const valued = { grep: /^-[^-]*[ABCmefdD]$/, rg: /^-[^-]*[ABCmefgtTjMErdG]$/ };
const hasPattern = /^-[nihlcovwxsqHaFPSu]*e|^--regexp/;

/**
 * The folders behind the pattern, if surely one is there; else the search may begin where the command runs.
 * A long option may have its value in the next word.
 */
function placesIn(args: readonly string[], takesValue: RegExp): readonly string[] {
  const operands = operandsIn(args);
  const isValue = (option = '') => takesValue.test(option) || /^--[^=]+$/.test(option);
  const sure = args.filter((word, at) => !word.startsWith('-') && !isValue(args[at - 1]));
  const before = args.some((word) => hasPattern.test(word)) ? 0 : 1;
  return sure.length > before ? operands : [...operands, '.'];
}
