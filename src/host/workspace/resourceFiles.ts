// The port to files that clients read and change as bytes, with a mark that changes with the file.
// Implemented under io.
import type { FileEntry, FileProblem } from '../ports.ts';

export interface ResourceInfo {
  readonly type: FileEntry['type'];
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
  readonly changedAt: number;
  /** Changes with every change of the file. */
  readonly mark: string;
}

export interface ResourceWrite {
  readonly bytes: Uint8Array;
  /** Replaces the content, appends, or inserts at an offset. */
  readonly how: 'replace' | 'append' | { readonly insertAt: number };
  /** Fails if the file exists. */
  readonly createOnly: boolean;
  /** The mark that the writer last saw; if the file has another one or is gone, nothing is written. */
  readonly mark?: string | undefined;
}

export type ResourceProblem =
  | FileProblem
  | { readonly problem: 'exists' | 'not-empty' | 'bad-place'; readonly message: string };

export interface ResourceChange {
  readonly path: string;
  readonly type: 'added' | 'updated' | 'deleted';
}

/** All methods but `realPath` take real paths and refuse links instead of following them. */
export interface ResourceFiles {
  /**
   * The absolute path with every link resolved; parts that do not exist yet are appended to the
   * nearest existing directory.
   */
  realPath(path: string): Promise<string>;
  /** The path with the links above its last part resolved. */
  realPlace(path: string): Promise<string>;
  info(path: string): Promise<ResourceInfo | ResourceProblem>;
  list(path: string): Promise<readonly FileEntry[] | ResourceProblem>;
  /** Everything below a folder that its repository does not ignore; nothing outside of a repository. */
  project?(path: string): Promise<readonly FileEntry[] | undefined>;
  read(path: string, limit: number): Promise<Uint8Array | ResourceProblem>;
  write(path: string, write: ResourceWrite): Promise<ResourceProblem | undefined>;
  copy(from: string, to: string, existing: 'replace' | 'keep'): Promise<ResourceProblem | undefined>;
  move(from: string, to: string, existing: 'replace' | 'keep'): Promise<ResourceProblem | undefined>;
  remove(path: string, what: 'all' | 'empty'): Promise<ResourceProblem | undefined>;
  makeDirectory(path: string): Promise<ResourceProblem | undefined>;
  /** Reports changes until the returned function is called. */
  watch(
    path: string,
    options: { readonly recursive: boolean; changed(changes: readonly ResourceChange[]): void },
  ): Promise<(() => void) | ResourceProblem>;
}

export function isResourceProblem(value: unknown): value is ResourceProblem {
  return typeof value === 'object' && value !== null && 'problem' in value;
}
