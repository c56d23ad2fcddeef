// The long outputs of a folder, as copies of a store read and write them.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../base/errorText.ts';
import type { OutputFile, OutputFiles } from '../store/durableStore.ts';
import { isOutputFile, outputs } from './toolOutputs.ts';

export function outputFiles(directory: string): OutputFiles {
  const files = outputs(directory);
  const place = (session: string, name: string) => join(files.directory(session), name);
  return {
    async list(session) {
      const names = await readdir(files.directory(session)).catch(orNone(() => []));
      const found: OutputFile[] = [];
      for (const name of names.filter(isOutputFile)) {
        const path = place(session, name);
        const bytes = await readFile(path);
        found.push({ name, at: (await stat(path)).mtimeMs, hash: hashOf(bytes) });
      }
      return found;
    },
    read: (session, name) => readFile(place(session, name)).catch(orNone(() => undefined)),
    async write(session, { name, at }, bytes) {
      await mkdir(files.directory(session), { recursive: true, mode: 0o700 });
      // A copy that is killed leaves no half of a file under the name.
      const part = place(session, `${randomUUID()}.part`);
      try {
        await writeFile(part, bytes, { mode: 0o600 });
        await utimes(part, at / 1_000, at / 1_000);
        await rename(part, place(session, name));
      } catch (error) {
        await rm(part, { force: true });
        throw error;
      }
    },
  };
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A missing file is not an error. */
function orNone<T>(none: () => T): (error: unknown) => T {
  return (error) => {
    if (errorCode(error) === 'ENOENT') return none();
    throw error;
  };
}
