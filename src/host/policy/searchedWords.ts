// Which folders a command reads whole: programs that search, copy or pack them.
import { programName, wordSet } from './commandLine.ts';

export interface WordSearch {
  /** As they are written. A pattern counts as a folder, too: no folder is missed. */
  readonly folders: readonly string[];
  /** Whether it also reads hidden files. */
  readonly hidden: boolean;
}

export function searchOf([name = '', ...args]: readonly string[]): WordSearch {
  const program = programName(name);
  const operands = args.filter((word) => !word.startsWith('-'));
  if (packers.has(program) || (program === 'cp' && args.some((word) => isCopy.test(word))))
    return { folders: operands, hidden: true };
  if (program === 'git') return gitSearch(args);
  if (/^(?:rg|ag|ack|ug|ugrep)$/.test(program))
    return { folders: placesIn(args, valued.rg), hidden: args.some((word) => seesHidden.test(word)) };
  const isGrep = /^(?:[efz]|bz|xz|pcre2?)?grep$/.test(program) && args.some((word) => isRecursive.test(word));
  return isGrep || program === 'rgrep' ? { folders: placesIn(args, valued.grep), hidden: true } : none;
}

const none: WordSearch = { folders: [], hidden: false };

const packers: ReadonlySet<string> = wordSet('tar bsdtar zip 7z 7za rar rsync scp');
const isCopy = /^-(?:[^-]*[rRa]|-r|-a)/;
/** Long options may be shortened. */
const isRecursive = /^-(?:[^-]*[rRd]|-rec|-de|-di)/;
const seesHidden = /^-(?:[^-]*[u.a]|-hidden|-unrestricted|-no-ignore|-all)/;

function gitSearch(args: readonly string[]): WordSearch {
  const at = args.indexOf('grep');
  if (at >= 0) return { folders: placesIn(args.slice(at + 1), valued.grep), hidden: true };
  // Compares folders of any kind, and shows what is in them.
  const isOther = args.includes('--no-index');
  return isOther ? { folders: args.filter((word) => !word.startsWith('-')), hidden: true } : none;
}

/** Short options whose value is the next word. */
const valued = { grep: /^-[^-]*[ABCmefdD]$/, rg: /^-[^-]*[ABCmefgtTjMErdG]$/ };
const hasPattern = /^-[nihlcovwxsqHaFPSu]*e|^--regexp/;

/**
 * The folders behind the pattern, if surely one is there; else the search may begin where the command runs.
 * A long option may have its value in the next word.
 */
function placesIn(args: readonly string[], takesValue: RegExp): readonly string[] {
  const operands = args.filter((word) => !word.startsWith('-'));
  const isValue = (option = '') => takesValue.test(option) || /^--[^=]+$/.test(option);
  const sure = args.filter((word, at) => !word.startsWith('-') && !isValue(args[at - 1]));
  const before = args.some((word) => hasPattern.test(word)) ? 0 : 1;
  return sure.length > before ? operands : [...operands, '.'];
}
