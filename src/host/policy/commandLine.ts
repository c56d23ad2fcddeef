// A command line as far as a rule may judge it: every program it would start and every reason not to be sure. Knows no parser.

export interface CommandLine {
  /** Every simple command in order, also those inside substitutions and in the text that another program would run. */
  readonly parts: readonly CommandPart[];
  /** Why the line is not fully understood; nothing here means that the parts are all that happens. */
  readonly doubts: readonly Doubt[];
}

export interface CommandPart {
  /** The words without their quotes; the first one is the program. */
  readonly words: readonly string[];
  /** Which of the words the shell takes for patterns of file names. */
  readonly globs: readonly number[];
  /** Which of the words only the shell knows, since they hold variables or the output of other commands. */
  readonly open?: readonly number[];
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Found where only a guess can see it; it may forbid the line and never helps to allow it. */
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

/** What is known of a line that nobody can read. */
export const unreadLine: CommandLine = { parts: [], doubts: ['unparsable'] };

/** The name of a program without its folder, as a file system that ignores case finds it. */
export function programName(word: string): string {
  const name = word.split(/[/\\]/).at(-1) ?? word;
  return name.toLowerCase().replace(/\.(?:exe|cmd|bat|com)$/, '');
}

/** A list of names as it is easiest to read. */
export function words(text: string): ReadonlySet<string> {
  return new Set(
    text
      .trim()
      .split(/\s+/)
      .filter((word) => word !== ''),
  );
}
