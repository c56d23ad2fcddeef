// Which folders a command reads whole: programs that search, copy or pack them.
import { programName, wordSet } from './commandLine.ts';

export interface WordSearch {
  /** As they are written. A pattern counts as a folder, too: no folder is missed. */
  readonly folders: readonly string[];
  /** Whether it also reads hidden files. */
  readonly hidden: boolean;
  /** Whether it reads only files that git tracks. */
  readonly tracked?: boolean;
}

export function searchOf([name = '', ...args]: readonly string[]): WordSearch {
  const program = programName(name);
  if (program === 'cp' ? args.some((word) => isCopy.test(word)) : copiers.has(program))
    return { folders: copied(args), hidden: true };
  if (packers.has(program)) return { folders: unpacks(program, args) ? [] : operandsIn(args), hidden: true };
  if (program === 'git') return gitSearch(args);
  if (/^(?:rg|ag|ack|ug|ugrep)$/.test(program))
    return { folders: placesIn(args, valued.rg), hidden: args.some((word) => seesHidden.test(word)) };
  const isGrep = /^(?:[efz]|bz|xz|pcre2?)?grep$/.test(program) && args.some((word) => isRecursive.test(word));
  return isGrep || program === 'rgrep' ? { folders: placesIn(args, valued.grep), hidden: true } : none;
}

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
