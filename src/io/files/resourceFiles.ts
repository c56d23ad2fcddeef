// File operations for clients. Holds the directory open, so that a link cannot redirect
// an operation meanwhile.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { cp, link, lstat, mkdir, open, realpath, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../base/errorText.ts';
import type { FileEntry } from '../../host/ports.ts';
import { isResourceProblem } from '../../host/workspace/resourceFiles.ts';
import type {
  ResourceFiles,
  ResourceInfo,
  ResourceProblem,
  ResourceWrite,
} from '../../host/workspace/resourceFiles.ts';
import { files } from './workspace.ts';
import { fileProblem } from './fileProblem.ts';
import { projectFiles } from './fileCompletion.ts';
import { holdDirectory } from './fileText.ts';
import { watchPath } from './resourceWatch.ts';
import { readOnly } from './readOnly.ts';

export function resourceFiles(): ResourceFiles {
  const workspace = files();
  const realPath = (path: string) => workspace.realPath(path, '/');
  return {
    realPath,
    realPlace: async (path) =>
      dirname(path) === path ? path : join(await realPath(dirname(path)), basename(path)),
    info: (path) => within(path, async (at) => infoOf(await lstat(at, { bigint: true }))),
    list: (path) => workspace.list(path),
    project: async (path) =>
      (await projectFiles(path))?.map((found) => ({ ...found, name: basename(found.path) })),
    read,
    write: (path, wish) => within(path, (at) => write(at, path, wish)),
    copy: (from, to, existing) =>
      both(from, to, async (source, target) => {
        const taken = await taking(target, to, existing);
        if (taken) return taken;
        await cp(source, target, {
          recursive: true,
          force: existing === 'replace',
          errorOnExist: existing === 'keep',
          verbatimSymlinks: true,
          dereference: false,
        });
        return undefined;
      }),
    move: (from, to, existing) =>
      both(from, to, async (source, target) => {
        const taken = await taking(target, to, existing);
        if (!taken) await rename(source, target);
        return taken;
      }),
    remove: (path, what) => within(path, (at) => remove(at, path, what)),
    makeDirectory,
    watch: watchPath,
  };
}

type Done = ResourceProblem | undefined;

/** Runs an operation on a path whose directory is held open. */
async function within<T>(
  path: string,
  work: (at: string) => Promise<T | ResourceProblem>,
): Promise<T | ResourceProblem> {
  if (dirname(path) === path) return work(path);
  const held = await holdDirectory(dirname(path));
  if ('problem' in held) return held;
  try {
    return await work(join(held.at, basename(path)));
  } catch (error) {
    return problemOf(error, path);
  } finally {
    await held.close();
  }
}

function both(
  from: string,
  to: string,
  work: (source: string, target: string) => Promise<Done>,
): Promise<Done> {
  return within(from, async (source) => {
    await lstat(source);
    return within(to, (target) => work(source, target));
  });
}

async function read(path: string, limit: number): Promise<Uint8Array | ResourceProblem> {
  return within(path, async (at) => {
    const file = await open(at, readOnly);
    try {
      const found = await file.stat();
      if (!found.isFile()) return { problem: 'not-a-file', message: 'This is not a regular file.' };
      if (found.size > limit) return tooLarge(limit);
      const bytes = Buffer.alloc(Math.min(limit, found.size) + 1);
      let size = 0;
      for (;;) {
        const { bytesRead } = await file.read(bytes, size, bytes.length - size, null);
        size += bytesRead;
        if (size === bytes.length) return tooLarge(limit);
        if (bytesRead === 0) return bytes.subarray(0, size);
      }
    } finally {
      await file.close();
    }
  });
}

/** Checks the writer's expectations before it changes anything. */
async function write(
  at: string,
  path: string,
  { bytes, how, createOnly, mark }: ResourceWrite,
): Promise<Done> {
  const old = await lstat(at, { bigint: true }).catch(() => undefined);
  const refused = refusalOf(old, { createOnly, mark });
  if (refused) return refused;
  if (how === 'append' && old) return append(at, bytes);
  if (typeof how === 'string' || !old) {
    if (typeof how === 'object' && how.insertAt !== 0) return badPlace;
    return replace(at, bytes, { createOnly, mode: old && Number(old.mode & 0o777n) });
  }
  const now = await read(path, largestEdited);
  if (isResourceProblem(now)) return now;
  if (how.insertAt > now.length) return badPlace;
  return replace(at, Buffer.concat([now.subarray(0, how.insertAt), bytes, now.subarray(how.insertAt)]), {
    createOnly,
    mode: Number(old.mode & 0o777n),
  });
}

function refusalOf(
  old: BigIntStats | undefined,
  { createOnly, mark }: Expected,
): ResourceProblem | undefined {
  if (old && !old.isFile())
    return { problem: old.isDirectory() ? 'not-a-file' : 'moved', message: 'This is not a regular file.' };
  if (mark !== undefined && (!old || infoOf(old).mark !== mark))
    return { problem: 'stale', message: 'The file has changed since it was read.' };
  return createOnly && old ? exists : undefined;
}

type Expected = Pick<ResourceWrite, 'createOnly' | 'mark'>;

/** Text is inserted only into files up to this size, in bytes. */
const largestEdited = 64 * 1024 * 1024;

async function append(at: string, bytes: Uint8Array): Promise<Done> {
  const file = await open(at, constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0));
  try {
    await file.writeFile(bytes);
  } finally {
    await file.close();
  }
  return undefined;
}

async function replace(
  at: string,
  bytes: Uint8Array,
  { createOnly, mode }: { createOnly: boolean; mode: number | undefined },
): Promise<Done> {
  const draft = join(dirname(at), `.parley-${randomBytes(8).toString('hex')}`);
  try {
    const file = await open(draft, 'wx', 0o666);
    try {
      if (mode !== undefined) await file.chmod(mode);
      await file.writeFile(bytes);
    } finally {
      await file.close();
    }
    if (!createOnly) await rename(draft, at);
    else {
      await link(draft, at);
      await unlink(draft);
    }
    return undefined;
  } catch (error) {
    await unlink(draft).catch(() => {});
    throw error;
  }
}

async function remove(at: string, path: string, what: 'all' | 'empty'): Promise<Done> {
  const found = await lstat(at);
  if (!found.isDirectory()) await unlink(at);
  else if (what === 'empty') await rmdir(at);
  else await rm(process.platform === 'linux' ? at : path, { recursive: true });
  return undefined;
}

/**
 * Creates parent directories. If another process replaces one by a link meanwhile, the only effect is a
 * directory elsewhere.
 */
async function makeDirectory(path: string): Promise<Done> {
  try {
    const found = await lstat(path).catch(() => undefined);
    if (found) return found.isDirectory() ? undefined : exists;
    await mkdir(path, { recursive: true });
    return (await realpath(path)) === path
      ? undefined
      : { problem: 'moved', message: 'The directory was moved.' };
  } catch (error) {
    return problemOf(error, path);
  }
}

async function taking(target: string, path: string, existing: 'replace' | 'keep'): Promise<Done> {
  const found = await lstat(target).catch(() => undefined);
  if (!found) return undefined;
  if (existing === 'keep') return exists;
  return found.isSymbolicLink() ? { problem: 'moved', message: `${basename(path)} is a link.` } : undefined;
}

function infoOf(found: BigIntStats): ResourceInfo {
  const mark = `"${[found.ino, found.size, found.mtimeNs, found.ctimeNs].map((part) => part.toString(36)).join('-')}"`;
  return {
    type: typeOf(found),
    size: Number(found.size),
    modifiedAt: Number(found.mtimeMs),
    changedAt: Number(found.ctimeMs),
    mark,
  };
}

function typeOf(found: BigIntStats): FileEntry['type'] {
  if (found.isFile()) return 'file';
  if (found.isDirectory()) return 'directory';
  return found.isSymbolicLink() ? 'link' : 'other';
}

const exists: ResourceProblem = {
  problem: 'exists',
  message: 'A file or directory with that name already exists.',
};
const badPlace: ResourceProblem = {
  problem: 'bad-place',
  message: 'The position is beyond the end of the file.',
};

function tooLarge(limit: number): ResourceProblem {
  return { problem: 'too-large', message: `The file is larger than ${limit} bytes.` };
}

function problemOf(error: unknown, path: string): ResourceProblem {
  const code = errorCode(error) ?? '';
  if (code === 'EEXIST' || code === 'ERR_FS_CP_EEXIST') return exists;
  if (code === 'ENOTEMPTY') return { problem: 'not-empty', message: 'The directory is not empty.' };
  if (code.startsWith('ERR_FS_CP')) return { problem: 'bad-place', message: 'This cannot be copied there.' };
  return fileProblem(error, basename(path));
}
