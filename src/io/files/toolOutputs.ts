// Stores long tool outputs in private files, one folder per session. Old files are deleted automatically.
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Outputs } from '../../host/tools/toolOutputs.ts';

/** How long an output is kept, in milliseconds. */
const longest = 14 * 24 * 3_600_000;

/** The most outputs kept per session. */
const most = 200;

export function outputs(directory: string, now: () => number = Date.now): Outputs {
  const above = real(directory);
  // Ids come from clients and may be no names of folders.
  const folder = (session: string) =>
    join(above, 'outputs', createHash('sha256').update(session).digest('hex').slice(0, 32));
  let swept: Promise<void> | undefined;
  return {
    directory: folder,
    async keep(session, name, text) {
      swept ??= sweep(join(above, 'outputs'), now() - longest);
      try {
        const place = folder(session);
        await mkdir(place, { recursive: true, mode: 0o700 });
        await dropOld(place);
        const path = join(place, outputFile(name));
        await writeFile(path, text, { mode: 0o600 });
        return path;
      } catch {
        return undefined;
      }
    },
    async forget(session) {
      await rm(folder(session), { recursive: true, force: true });
    },
  };
}

/** The name of the file that holds an output. */
export function outputFile(name: string): string {
  return `${createHash('sha256').update(name).digest('hex').slice(0, 16)}.txt`;
}

/** Whether a file has a name that `outputFile` gives. */
export function isOutputFile(file: string): boolean {
  return /^[0-9a-f]{16}\.txt$/.test(file);
}

function real(directory: string): string {
  try {
    return realpathSync.native(directory);
  } catch {
    return directory;
  }
}

async function dropOld(place: string): Promise<void> {
  const names = await readdir(place);
  if (names.length < most) return;
  const known = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(place, name))).mtimeMs })),
  );
  await Promise.all(
    known
      .toSorted((a, b) => a.at - b.at)
      .slice(0, names.length - most + 1)
      .map(({ name }) => rm(join(place, name), { force: true })),
  );
}

async function sweep(directory: string, before: number): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    const found = await stat(join(directory, name)).catch(() => undefined);
    if (found && found.mtimeMs < before) await rm(join(directory, name), { recursive: true, force: true });
  }
}
