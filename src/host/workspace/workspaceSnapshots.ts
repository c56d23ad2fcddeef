// The port that sees which files of a workspace change between two moments. Implemented under io.

/** A file at one moment. */
export interface FileView {
  /** Undefined if its text cannot be kept. */
  readonly text: string | undefined;
  /** Of a file without text: why it has none, as a sentence, and what differs if the file differs. */
  readonly why?: string;
  readonly print?: string;
  /** The permission bits; absent if they are not known. */
  readonly mode?: number;
  /** Only the permission to execute is known. */
  readonly rough?: true;
}

export interface ChangedFiles {
  readonly paths: readonly string[];
  readonly lost: readonly LostChange[];
}

/** A change that is seen although nothing is kept of what was there before. */
export interface LostChange {
  readonly path: string;
  /** Why it cannot be restored, as a sentence. */
  readonly why: string;
  /** Differs if it changes again. */
  readonly print: string;
}

export interface WorkspaceSnapshot {
  /** The file as it was; null if there was none, undefined if that is not known. */
  before(path: string): Promise<FileView | null | undefined>;
  /** What may have changed since: the real paths of files, and what nobody can restore. */
  changed(signal: AbortSignal): Promise<ChangedFiles>;
  /** The topmost folder above a file that was not there, or is not there now. */
  changedFolder(path: string): Promise<string | undefined>;
  /** Frees what the snapshot keeps. */
  close(): Promise<void>;
}

export interface WorkspaceSnapshots {
  /** A snapshot of the folders; a large workspace without git is seen in part. */
  take(roots: readonly string[], signal: AbortSignal): Promise<WorkspaceSnapshot>;
  /** The file now; null if there is none. Takes a real path and does not follow links. */
  view(path: string): Promise<FileView | null>;
}

export function isSameFile(one: FileView | null, other: FileView | null): boolean {
  if (!one || !other) return one === other;
  return one.text === other.text && one.print === other.print && hasSameMode(one, other);
}

export function hasSameMode(one: FileView, other: FileView): boolean {
  if (one.mode === undefined || other.mode === undefined) return true;
  const bits = one.rough || other.rough ? executable : permissionBits;
  return (one.mode & bits) === (other.mode & bits);
}

const executable = 0o100;

/** The bits of a file's mode that users set. */
export const permissionBits = 0o7777;
