// Files as agents see them beside the sandbox: what lies in a workspace for confined programs alone is not
// there, and makes room for a file that is written in its place.
import type { FileProblem, Files } from '../../host/ports.ts';
import { isFileProblem } from '../files/fileProblem.ts';
import type { Sandbox } from './sandbox.ts';

export function filesBeside(sandbox: Pick<Sandbox, 'placeholders' | 'makeRoom'>, files: Files): Files {
  return {
    ...files,
    async readText(path, limit) {
      const read = await files.readText(path, limit);
      const isFolder = isFileProblem(read) && read.problem === 'not-a-file';
      return isFolder && sandbox.placeholders()(path) ? missing(path) : read;
    },
    async writeText(path, text, expected) {
      if (expected === null && sandbox.placeholders()(path) && !sandbox.makeRoom(path)) return guarded(path);
      return files.writeText(path, text, expected);
    },
    async list(path) {
      const found = await files.list(path);
      const isPlaceholder = sandbox.placeholders();
      return isFileProblem(found) ? found : found.filter((entry) => !isPlaceholder(entry.path));
    },
    async *walk(path, options) {
      const isPlaceholder = sandbox.placeholders();
      for await (const entry of files.walk(path, options)) if (!isPlaceholder(entry.path)) yield entry;
    },
  };
}

function missing(path: string): FileProblem {
  return { problem: 'not-found', message: `${path} does not exist.` };
}

function guarded(path: string): FileProblem {
  const message =
    `${path} cannot be created while a program runs in the sandbox, which could then change it. ` +
    'Try again when that program has ended.';
  return { problem: 'denied', message };
}
