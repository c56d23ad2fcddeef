// Copies the long outputs of one session. Those that the target has already are compared by their hashes,
// so a copy that was interrupted goes on; what was copied is asked for again and compared.
import type { SessionId } from '../../model/event.ts';
import type { OutputFiles } from './durableStore.ts';

export interface OutputCopy {
  readonly from: OutputFiles;
  readonly to: OutputFiles;
}

export interface CopiedOutputs {
  /** How many were copied now; the others were there already. */
  readonly count: number;
  readonly problems: readonly string[];
}

export async function copyOutputs({ from, to }: OutputCopy, session: SessionId): Promise<CopiedOutputs> {
  const source = await from.list(session);
  if (source.length === 0) return { count: 0, problems: [] };
  const before = await hashesIn(to, session);
  const problems: string[] = [];
  const copied: string[] = [];
  for (const file of source) {
    const present = before.get(file.name);
    if (present === file.hash) continue;
    const bytes = present === undefined ? await from.read(session, file.name) : undefined;
    if (!bytes) {
      problems.push(differs(session, file.name));
      continue;
    }
    await to.write(session, file, bytes);
    copied.push(file.name);
  }
  const after = copied.length > 0 ? await hashesIn(to, session) : before;
  const wanted = new Map(source.map(({ name, hash }) => [name, hash]));
  for (const name of copied) if (after.get(name) !== wanted.get(name)) problems.push(differs(session, name));
  return { count: copied.length, problems };
}

async function hashesIn(files: OutputFiles, session: SessionId): Promise<ReadonlyMap<string, string>> {
  return new Map((await files.list(session)).map(({ name, hash }) => [name, hash]));
}

function differs(session: SessionId, name: string): string {
  return `The long output ${name} of session ${session} is different in the target; it was left alone.`;
}
