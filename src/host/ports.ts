// Ports to the machine that more than one room of the host needs: time, ids, files and processes. Implemented under io, faked in tests.

export interface Clock {
  now(): number;
  /** Runs a function after what is happening now, before time passes. */
  defer(run: () => void): void;
  /** Runs a function later; the returned function takes it back. */
  after(milliseconds: number, run: () => void): () => void;
}

export interface Ids {
  next(): string;
}

/** Why something on the disk could not be done; an expected refusal, with words that can be shown. */
export interface FileProblem {
  readonly problem:
    | 'not-found'
    | 'not-a-file'
    | 'not-a-directory'
    | 'moved'
    | 'too-large'
    | 'not-text'
    | 'stale'
    | 'denied'
    | 'bad-pattern'
    | 'failed';
  readonly message: string;
}

export interface FileEntry {
  readonly name: string;
  readonly path: string;
  readonly type: 'file' | 'directory' | 'link' | 'other';
}

/** The text files of a workspace. Apart from `realPath` everything takes real paths; a link met on the way is refused, never followed. */
export interface Files {
  /** The absolute path with every link resolved; what does not exist yet is added to the nearest directory that does. */
  realPath(path: string, base: string): Promise<string>;
  stat(path: string): Promise<{ readonly type: FileEntry['type']; readonly size: number } | undefined>;
  /** What a directory holds, by name. */
  list(path: string): Promise<readonly FileEntry[] | FileProblem>;
  /** The whole file as text, byte order mark and line ends included; refused where it is larger than `limit` bytes or no UTF-8. */
  readText(path: string, limit: number): Promise<{ readonly text: string } | FileProblem>;
  /**
   * Replaces or creates a file in one step, with the directories above it, and keeps its mode. `expected` is the text the writer
   * last saw there, null for no file; anything else found there is left alone and reported as stale.
   */
  writeText(path: string, text: string, expected: string | null): Promise<FileProblem | undefined>;
  /** The bytes of a file of at most that size. */
  readBytes(path: string, limit: number): Promise<Uint8Array | FileProblem>;
  /** Some lines of a file of any size, without their ends, and whether there are more. */
  readLines(
    path: string,
    part: { readonly skip: number; readonly count: number; readonly signal: AbortSignal },
  ): Promise<{ readonly lines: readonly string[]; readonly more: boolean } | FileProblem>;
  /** Takes a file away where it still has the text; anything else is left alone and reported as stale. */
  remove(path: string, expected: string): Promise<FileProblem | undefined>;
  /** Gives a file or a directory another place, with the directories above it; never over something that is there. */
  move(from: string, to: string): Promise<FileProblem | undefined>;
  /** Everything below a directory, parents first, by name; leaves out what belongs to tools such as .git. */
  walk(
    path: string,
    options: { readonly depth: number; readonly signal: AbortSignal },
  ): AsyncIterable<FileEntry & { readonly depth: number }>;
  /** The lines below a directory, or of one file, that match a regular expression; ends with a problem where it could not go on. */
  search(path: string, options: SearchOptions): AsyncIterable<SearchMatch | FileProblem>;
}

export interface SearchOptions {
  readonly pattern: string;
  /** Narrows the file names, as in `*.{ts,tsx}`. */
  readonly include?: string | undefined;
  readonly signal: AbortSignal;
}

export interface SearchMatch {
  readonly path: string;
  /** Counted from one. */
  readonly line: number;
  readonly text: string;
}

/** A command line and where it runs. `output` is called as text arrives. */
/** What reads a command line: a program, and what stands before the line among its words. */
export interface Shell {
  readonly path: string;
  readonly args: readonly string[];
}

export interface ShellCommand {
  readonly command: string;
  /** The shell that reads it, where it is not the usual one. */
  readonly shell?: Shell | undefined;
  readonly cwd: string;
  readonly timeout: number;
  readonly signal: AbortSignal;
  readonly env?: { readonly [name: string]: string };
  /** What it finds to read; without it, nothing. */
  readonly input?: string;
  output(stream: 'stdout' | 'stderr', text: string): void;
}

export type ShellEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'timeout' | 'stopped' }
  | { readonly kind: 'failed'; readonly message: string };

export interface Processes {
  /** Runs a command line in the user's shell with an environment free of secrets. When it resolves, none of its processes is left but daemons. */
  run(command: ShellCommand): Promise<ShellEnd>;
}

/** An expected refusal, with a sentence for people. Nothing was changed. */
export interface NotPossible {
  readonly refused: string;
}
