// Ports to the machine that more than one room of the host needs: time, ids, files and processes. Implemented
// under io, faked in tests.
import type { SandboxNetwork } from '../model/event.ts';

export interface Clock {
  /** The time of day, for records; it can jump. */
  now(): number;
  /** Milliseconds since some moment, for durations; it never jumps. */
  elapsed(): number;
  /** Runs a function after the current step, before timers. */
  defer(run: () => void): void;
  /** Runs a function later; the returned function cancels it. */
  after(milliseconds: number, run: () => void): () => void;
}

export interface Ids {
  next(): string;
}

/** Why a file operation failed; an expected refusal with a message for people. */
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

/**
 * The text files of a workspace. All methods but `realPath` take real paths and refuse links
 * instead of following them.
 */
export interface FileStatus {
  readonly type: FileEntry['type'];
  readonly size: number;
  /** Changes with every change of the file, if the file is settled. */
  readonly mark: string;
  /** False if it has changed so lately that the next change might have the same time. */
  readonly settled: boolean;
}

export interface Files {
  /**
   * The absolute path with every link resolved; parts that do not exist yet are appended to the
   * nearest existing directory.
   */
  realPath(path: string, base: string): Promise<string>;
  stat(path: string): Promise<FileStatus | undefined>;
  /** The entries of a directory, by name. */
  list(path: string): Promise<readonly FileEntry[] | FileProblem>;
  /**
   * The whole file as text, with byte order mark and line ends; refused if it is larger than
   * `limit` bytes or no UTF-8.
   */
  readText(path: string, limit: number): Promise<{ readonly text: string } | FileProblem>;
  /**
   * Replaces or creates a file atomically, with its parent directories, and keeps its mode.
   * `expected` is the text that the writer last saw, null for no file; a file with other text is left
   * alone and reported as stale.
   */
  writeText(path: string, text: string, expected: string | null): Promise<FileProblem | undefined>;
  /** The bytes of a file of at most that size. */
  readBytes(path: string, limit: number): Promise<Uint8Array | FileProblem>;
  /** Some lines of a file of any size, without line ends, and whether there are more. */
  readLines(
    path: string,
    part: { readonly skip: number; readonly count: number; readonly signal: AbortSignal },
  ): Promise<{ readonly lines: readonly string[]; readonly more: boolean } | FileProblem>;
  /**
   * Deletes a file if it still has the text; otherwise it is left alone and reported as stale. Null stands
   * for a folder in which there is no file, only folders.
   */
  remove(path: string, expected: string | null): Promise<FileProblem | undefined>;
  /**
   * Sets the permission bits of a file. With `expected` a file that has neither these nor the new ones is
   * left alone and reported as stale.
   */
  setMode(path: string, mode: number, expected?: number): Promise<FileProblem | undefined>;
  /** Moves a file or directory and creates parent directories; never overwrites. */
  move(from: string, to: string): Promise<FileProblem | undefined>;
  /** Everything below a directory, parents first, by name; skips folders of tools such as .git. */
  walk(
    path: string,
    options: { readonly depth: number; readonly signal: AbortSignal },
  ): AsyncIterable<FileEntry & { readonly depth: number }>;
  /**
   * The lines below a directory, or of one file, that match a regular expression; ends with
   * a problem if it fails.
   */
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

/** A shell program and the arguments before the command line. */
export interface Shell {
  readonly path: string;
  readonly args: readonly string[];
}

/** A command line and where it runs. `output` is called as text arrives. */
export interface ShellCommand {
  readonly command: string;
  /** The shell that runs it, if not the default one. */
  readonly shell?: Shell | undefined;
  readonly cwd: string;
  readonly timeout: number;
  readonly signal: AbortSignal;
  readonly env?: { readonly [name: string]: string };
  /** Its standard input; empty if absent. */
  readonly input?: string;
  /** Set if it runs in the sandbox. If there is none, it fails. */
  readonly confined?: Confinement | undefined;
  output(stream: 'stdout' | 'stderr', text: string): void;
}

export type ShellEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'timeout' | 'stopped' }
  | { readonly kind: 'failed'; readonly message: string };

export interface Processes {
  /**
   * Runs a command line in the user's shell with an environment free of secrets. When it resolves, only
   * daemons of it are left.
   */
  run(command: ShellCommand): Promise<ShellEnd>;
}

/** What a program in the sandbox may do besides reading. */
export interface Confinement {
  /** The folders in which it may write, besides a temporary one. */
  readonly write: readonly string[];
  readonly network: SandboxNetwork;
  /** Asked for each name with the network `ask`; without it nothing is reached. */
  readonly reach?: ReachNetwork;
  /** Names that it reaches without a question with the network `ask`. */
  readonly hosts?: readonly string[];
  /** The same, also if they are on this machine or its network. */
  readonly known?: readonly NetworkTarget[];
  /** Called with what the sandbox did not let it do, in words. */
  readonly stopped?: (what: string, by: 'sandbox' | 'answer') => void;
  /** Asks whether it may run once more outside, because the sandbox itself has stopped something. */
  readonly leave?: (stopped: readonly string[], signal: AbortSignal) => Promise<boolean>;
  /** Programs with the same word share their temporary folder. */
  readonly scratch: string;
  /** Whether it may run for long: then it also sees nothing that appears in the home directory later. */
  readonly isLasting?: boolean;
  /** Folders and files that are the program's own: it may write there, and nothing in them is hidden. */
  readonly own?: readonly string[];
}

/** A name or public address, and a port, that a confined program wants to connect to. */
export interface NetworkTarget {
  readonly name: string;
  readonly port: number;
}

/** Whether a confined program may connect. The signal aborts when it no longer waits. */
export type ReachNetwork = (
  target: NetworkTarget,
  signal: AbortSignal,
) => Promise<{ readonly allowed: true } | { readonly allowed: false; readonly reason: string }>;

/** Whether programs can be confined on this machine; if not, why, and what the user can do. */
export type SandboxStatus =
  | { readonly available: true; readonly how: string }
  | { readonly available: false; readonly why: string; readonly cure: string };

/** An expected refusal, with a sentence for people. Nothing was changed. */
export interface NotPossible {
  readonly refused: string;
}
