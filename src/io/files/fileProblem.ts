// Converts file system errors to the host's file problems.
import { errorCode, errorText } from '../../base/errorText.ts';
import type { FileProblem } from '../../host/ports.ts';

export function fileProblem(error: unknown, path: string): FileProblem {
  const code = errorCode(error) ?? '';
  const known = Object.hasOwn(meanings, code) ? meanings[code] : undefined;
  if (known) return { problem: known[0], message: `${path} ${known[1]}.` };
  return { problem: 'failed', message: `${path} cannot be used${code ? ` (${code})` : ''}.` };
}

/** The message of a caught value; an error of the file system is said in our words. */
export function fileErrorText(error: unknown): string {
  const path = error instanceof Error && 'syscall' in error && 'path' in error ? error.path : undefined;
  return typeof path === 'string' ? fileProblem(error, path).message : errorText(error, String(error));
}

export function isFileProblem(value: object | undefined): value is FileProblem {
  return value !== undefined && 'problem' in value;
}

const meanings: { readonly [code: string]: readonly [FileProblem['problem'], string] | undefined } = {
  ENOENT: ['not-found', 'does not exist'],
  EEXIST: ['not-a-directory', 'has a parent that is a file, not a directory'],
  EISDIR: ['not-a-file', 'is a directory, not a file'],
  ENOTDIR: ['not-a-directory', 'is not a directory'],
  EACCES: ['denied', 'cannot be accessed: permission denied'],
  EPERM: ['denied', 'cannot be accessed: permission denied'],
  EROFS: ['denied', 'is on a read-only file system'],
  ELOOP: ['moved', 'now leads through a link'],
  ENOSPC: ['failed', 'cannot be written: the disk is full'],
  ENAMETOOLONG: ['failed', 'has a name that is too long'],
};
