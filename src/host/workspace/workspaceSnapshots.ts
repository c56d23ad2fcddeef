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

export interface WorkspaceSnapshot {
  /** The file as it was; null if there was none, undefined if that is not known. */
  before(path: string): Promise<FileView | null | undefined>;
  /** The real paths of the files that may have changed since. */
  changed(signal: AbortSignal): Promise<readonly string[]>;
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
