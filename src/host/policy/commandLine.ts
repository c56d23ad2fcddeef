// A parsed command line: every program it would start, and every reason why that list may be incomplete.

export interface CommandLine {
  /** Every simple command in order, also inside substitutions and in text that another program would run. */
  readonly parts: readonly CommandPart[];
  /** Why the line is not fully understood; empty if the parts are everything that runs. */
  readonly doubts: readonly Doubt[];
}

export interface CommandPart {
  /** The words without their quotes; the first one is the program. */
  readonly words: readonly string[];
  /** The positions of words that the shell expands as file name patterns. */
  readonly globs: readonly number[];
  /** The positions of words with variables or command output, which only the shell can expand. */
  readonly open?: readonly number[];
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Found by a guess; it may deny the line but never helps to allow it. */
  readonly guessed?: true;
}

export type Doubt =
  | 'unparsable'
  | 'control-character'
  | 'substitution'
  | 'dynamic'
  | 'redirection'
  | 'here-document'
  | 'assignment'
  | 'wrapper'
  | 'definition'
  | 'test'
  | 'comment'
  | 'dialect'
  /** The line does not show which programs it starts. */
  | 'blind';

/** A line that could not be parsed. */
export const unreadLine: CommandLine = { parts: [], doubts: ['unparsable'] };

/** The name of a program without its folder, in lower case, because some file systems ignore case. */
export function programName(word: string): string {
  const name = word.split(/[/\\]/).at(-1) ?? word;
  return name.toLowerCase().replace(/\.(?:exe|cmd|bat|com)$/, '');
}

/** The words of a text, as a set. */
export function wordSet(text: string): ReadonlySet<string> {
  return new Set(
    text
      .trim()
      .split(/\s+/)
      .filter((word) => word !== ''),
  );
}
