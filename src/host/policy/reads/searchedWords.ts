// Which folders a command reads whole: programs that search, copy or pack them.
import { fitsName } from '../../../base/paths.ts';
import { finders } from './foundFiles.ts';
import { knownName } from '../programs/programNames.ts';

export interface WordSearch {
  /** As they are written. A pattern counts as a folder, too: no folder is missed. */
  readonly folders: readonly string[];
  /** Whether it also reads hidden files. */
  readonly hidden: boolean;
  /** Whether it reads only files that git tracks. */
  readonly tracked?: boolean;
  /** If it takes only files with such names. */
  readonly names?: readonly string[];
  /** Whether it reads a hidden file where an ignore file says so (`!.env`). */
  readonly obeys?: true;
}

interface SearchContext {
  /** Whether the line gives the names that a command prints to another one, which may read them. */
  readonly feeds: boolean;
  /** The positions of patterns that the shell expands; the program itself may expand others. */
  readonly globs: readonly number[];
}

export function searchOf(words: readonly string[], context: SearchContext): WordSearch {
  const [name = '', ...args] = words;
  const program = knownName(name);
  const finder = finders.get(program);
  if (finder) return finder(args, context.feeds) ?? none;
  const kind = searchers.find(({ programs }) => programs.test(program));
  return kind?.search({ program, words, args, ...context }) ?? none;
}

interface SearchWords extends SearchContext {
  readonly program: string;
  readonly words: readonly string[];
  /** All words but the first. */
  readonly args: readonly string[];
}

interface Searcher {
  readonly programs: RegExp;
  readonly search: (line: SearchWords) => WordSearch;
}

const searchers: readonly Searcher[] = [
  { programs: /^cp$/, search: ({ args }) => (args.some((word) => isCopy.test(word)) ? copied(args) : none) },
  { programs: /^(?:rsync|scp)$/, search: ({ args }) => copied(args) },
  { programs: /^(?:tar|bsdtar|zip|7z|7za|rar|jar|cpio|pax)$/, search: packed },
  {
    programs: /^(?:gzip|zstd)$/,
    search: ({ args }) => (args.some((word) => /^-(?:[^-]*r|-rec)/.test(word)) ? operandsOf(args) : none),
  },
  { programs: /^curl$/, search: ({ args }) => ({ folders: sent(args), hidden: true }) },
  // Folders are compared file by file.
  { programs: /^(?:color|s)?diff3?$/, search: ({ args }) => operandsOf(args) },
  { programs: /^git$/, search: ({ args, feeds }) => gitSearch(args, feeds) },
  { programs: /^(?:rg|ag|ack|ug|ugrep)$/, search: ({ program, args }) => plainSearch(program, args) },
  { programs: /^rgrep$/, search: ({ args }) => ({ folders: placesIn(args, valued.grep), hidden: true }) },
  {
    programs: /^(?:[efz]|bz|xz|pcre2?)?grep$/,
    search: ({ args }) =>
      args.some((word) => isRecursive.test(word))
        ? { folders: placesIn(args, valued.grep), hidden: true }
        : none,
  },
];

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

const isCopy = /^-(?:[^-]*[rRa]|-r|-a)/;
/** Long options may be shortened. */
const isRecursive = /^-(?:[^-]*[rRd]|-rec|-de|-di)/;
const seesHidden = /^-(?:[^-]*[u.a]|-hidden|-unrestricted|-no-ignore|-all|-iglob|-type-add|-ignore-file)/;

/** The last word is where the copies go, and is not read; unless an option names that place. */
function copied(args: readonly string[]): WordSearch {
  const { folders, hidden } = operandsOf(args);
  return {
    folders: args.some((word) => /^-(?:[^-]*t|-t)/.test(word)) ? folders : folders.slice(0, -1),
    hidden,
  };
}

/** What is packed. Some of these programs expand patterns, or look for them in all folders. */
function packed({ program, words, args, globs }: SearchWords): WordSearch {
  if (/tar$|^jar$/.test(program) && unpacks.test(args[0] ?? '')) return none;
  if (program.endsWith('tar')) return operandsOf(args);
  const isFound = args.some((word) => /^-[^-]*R|^-i/.test(word));
  const opened = words.map((word, at) => (globs.includes(at) ? word : withoutPattern(word)));
  return { folders: [...operandsIn(opened.slice(1)), ...(isFound ? ['.'] : [])], hidden: true };
}

/** To unpack or list reads the archive alone. */
const unpacks = /^(?:-?[vzjJpkm]*[xt]|--extract$|--get$|--list$)/;

/** The folder before the first wildcard. */
function withoutPattern(word: string): string {
  const at = word.search(/[*?[{]/);
  return at < 0 ? word : word.slice(0, word.lastIndexOf('/', at) + 1) || '.';
}

/** What curl sends, where it expands the name itself. */
function sent(args: readonly string[]): readonly string[] {
  const values = args.flatMap((word, at) => {
    const [, glued] = /^(?:-[^-]*T|--up[a-z-]*=?)(.*)$/.exec(word) ?? [];
    return glued === undefined ? [] : [glued, args[at + 1] ?? ''];
  });
  return values.filter((word) => /[[{]/.test(word)).map(withoutPattern);
}

/** Programs that leave hidden files out, but for those that a pattern or an ignore file names. */
function plainSearch(program: string, args: readonly string[]): WordSearch {
  const folders = placesIn(args, valued.rg);
  const isAll = program === 'ack' || args.some((word) => seesHidden.test(word)) || addsType(args);
  if (isAll) return { folders, hidden: true };
  const names = namedFiles(args);
  if (names.length > 0) return { folders, hidden: true, names };
  return { folders, hidden: false, ...(program === 'rg' ? { obeys: true } : {}) };
}

/** The types `sh` and `all` of ripgrep include `.env`. */
function addsType(args: readonly string[]): boolean {
  return args.some((word, at) => {
    const [, value = ''] = /^(?:-[a-zA-Z]*t|--type=?)(.*)$/.exec(word) ?? [];
    return (
      /^(?:sh|all)$/.test(value) ||
      (/^(?:-[a-zA-Z]*t|--type)$/.test(args[at - 1] ?? '') && /^(?:sh|all)$/.test(word))
    );
  });
}

/** The names of the files that a pattern selects: then no others are read. */
function namedFiles(args: readonly string[]): readonly string[] {
  const values = args.flatMap((word, at) => {
    const [, glued] = /^(?:-[a-zA-Z]*?g|--(?:glob|include)=?)(.*)$/.exec(word) ?? [];
    if (glued === undefined) return [];
    return [glued === '' ? (args[at + 1] ?? '') : glued];
  });
  return values
    .filter((value) => !value.startsWith('!'))
    .flatMap(braced)
    .map((value) => value.split('/').at(-1) || '*')
    .map((value) => value.replaceAll(characterClass, '?'));
}

function operandsOf(args: readonly string[]): WordSearch {
  return { folders: operandsIn(args), hidden: true };
}

function operandsIn(args: readonly string[]): readonly string[] {
  return args.filter((word) => !word.startsWith('-'));
}

function gitSearch(args: readonly string[], feeds: boolean): WordSearch {
  const at = args.indexOf('grep');
  if (at >= 0) {
    const tracked = !args.some((word) => /^--(?:no-i|unt)|fallbackToNoIndex/i.test(word));
    return { folders: placesIn(args.slice(at + 1), valued.grep), hidden: true, tracked };
  }
  const isListed = feeds && args.includes('ls-files') && args.some((word) => /^-[^-]*o|^--o/.test(word));
  if (isListed) return { folders: ['.'], hidden: true };
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
