// Which paths the real programs would touch, by their own manuals: options that take values, and operands.
import { isAbsolute } from 'node:path';

/** A program as it was started. */
export interface Start {
  readonly words: readonly string[];
  readonly directory: string;
  /** Its standard input is the file outside the workspace. */
  readonly secret: boolean;
  /** A variable is not what it was: where programs are found, or one that only `printf` can have set. */
  readonly variables: boolean;
}

interface Manual {
  /** Short options without a value, and with one. */
  readonly flags: string;
  readonly values: string;
  /** Options whose values are paths, and those whose values name a file behind an at sign. */
  readonly paths: readonly string[];
  readonly files?: readonly string[];
  /** Operands are addresses, not paths. */
  readonly remote?: true;
}

const copying: Manual = { flags: 'abdfiHlLnPprRsTuvxZ', values: 'St', paths: ['t', 'target-directory'] };
const plain: Manual = { flags: 'laAnbeEsTvt1', values: '', paths: [] };

const manuals: { readonly [program: string]: Manual | undefined } = {
  ls: plain,
  cat: plain,
  cp: copying,
  mv: copying,
  ln: { ...copying, flags: 'bdfFiLnPrsTv' },
  tar: { flags: 'cvzjJtrpSkO', values: 'fCTX', paths: ['f', 'C', 'T', 'X', 'file', 'directory'] },
  curl: {
    flags: 'sSLfkvgi#',
    values: 'oTdFHAeux',
    paths: ['o', 'T', 'output', 'upload-file'],
    files: ['d', 'F', 'data', 'form'],
    remote: true,
  },
  wget: { flags: 'qcNvS', values: 'OPio', paths: ['O', 'P', 'i', 'o'], remote: true },
};

/**
 * Every path that a program would open, as far as its manual is known here; for `>`, the
 * file that was written.
 */
export function touched(
  { words: [program = '', ...args], directory }: Start,
  home: string,
): readonly string[] {
  const absolute = (path: string) => (isAbsolute(path) ? path : `${directory}/${path}`);
  if (program === '>') return args.map(absolute);
  const manual = Object.hasOwn(manuals, program) ? manuals[program] : undefined;
  if (!manual) return [];
  const { options, operands } = parsed(args, manual);
  const values = options.flatMap(([name, value]) => {
    if (manual.paths.includes(name)) return [value];
    return manual.files?.includes(name)
      ? [value.slice(value.indexOf('@') + 1)].filter(() => value.includes('@'))
      : [];
  });
  return [...values, ...(manual.remote ? [] : operands)]
    .filter((path) => path !== '' && path !== '-')
    .map((path) => absolute(path.replace(/^~(?=\/|$)/, home)));
}

/** Options as getopt reads them; an unknown option ends the program before it does anything. */
function parsed(
  args: readonly string[],
  { flags, values }: Manual,
): { readonly options: readonly (readonly [string, string])[]; readonly operands: readonly string[] } {
  const options: (readonly [string, string])[] = [];
  const operands: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (word === '--') return { options, operands: [...operands, ...args.slice(at + 1)] };
    if (word.startsWith('--'))
      options.push([
        word.slice(2).split('=')[0] ?? '',
        word.includes('=') ? word.slice(word.indexOf('=') + 1) : '',
      ]);
    else if (!word.startsWith('-') || word === '-') operands.push(word);
    else {
      const valued = Array.from(word).findIndex((letter, index) => index > 0 && !flags.includes(letter));
      const letter = valued < 0 ? '' : word.charAt(valued);
      if (letter !== '' && !values.includes(letter)) return { options: [], operands: [] };
      if (letter === '') continue;
      const glued = word.slice(valued + 1);
      if (glued === '') at += 1;
      options.push([letter, glued === '' ? (args[at] ?? '') : glued]);
    }
  }
  return { options, operands };
}
