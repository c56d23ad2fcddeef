// Files as clients read and change them: whole contents in bytes, with marks that tell whether one has changed. Implemented under io.
import type { FileEntry, FileProblem } from '../ports.ts';

export interface ResourceInfo {
  readonly type: FileEntry['type'];
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
  readonly changedAt: number;
  /** Another one after every change. */
  readonly mark: string;
}

export interface ResourceWrite {
  readonly bytes: Uint8Array;
  /** Replaces everything, adds at the end, or puts the bytes in at a place. */
  readonly how: 'replace' | 'append' | { readonly insertAt: number };
  /** Fails where there is something already. */
  readonly createOnly: boolean;
  /** The mark the writer knows; another one, or no file, and nothing is written. */
  readonly mark?: string | undefined;
}

export type ResourceProblem =
  | FileProblem
  | { readonly problem: 'exists' | 'not-empty' | 'bad-place'; readonly message: string };

export interface ResourceChange {
  readonly path: string;
  readonly type: 'added' | 'updated' | 'deleted';
}

/** Apart from `realPath` everything takes real paths; a link met on the way is refused, never followed. */
export interface ResourceFiles {
  /** The absolute path with every link resolved; what does not exist yet is added to the nearest directory that does. */
  realPath(path: string): Promise<string>;
  /** The real path of the place itself: only what is above it is resolved. */
  realPlace(path: string): Promise<string>;
  info(path: string): Promise<ResourceInfo | ResourceProblem>;
  list(path: string): Promise<readonly FileEntry[] | ResourceProblem>;
  read(path: string, limit: number): Promise<Uint8Array | ResourceProblem>;
  write(path: string, write: ResourceWrite): Promise<ResourceProblem | undefined>;
  copy(from: string, to: string, existing: 'replace' | 'keep'): Promise<ResourceProblem | undefined>;
  move(from: string, to: string, existing: 'replace' | 'keep'): Promise<ResourceProblem | undefined>;
  remove(path: string, what: 'all' | 'empty'): Promise<ResourceProblem | undefined>;
  makeDirectory(path: string): Promise<ResourceProblem | undefined>;
  /** Tells of changes until the returned function is called. */
  watch(
    path: string,
    options: { readonly recursive: boolean; changed(changes: readonly ResourceChange[]): void },
  ): Promise<(() => void) | ResourceProblem>;
}

export function isProblem(value: unknown): value is ResourceProblem {
  return typeof value === 'object' && value !== null && 'problem' in value;
}
