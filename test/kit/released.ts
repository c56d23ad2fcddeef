// Logs of released formats, read as today's program reads them: random ones, and those that the program has
// written through every door.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry, Json } from '../../src/model/event.ts';
import { upgrade } from '../../src/model/upgrade.ts';

export interface ReleasedLog {
  readonly name: string;
  readonly session: string;
  readonly entries: readonly Entry[];
  /** What the entries folded to then. */
  readonly state: { readonly [key: string]: unknown };
}

interface Stored extends Omit<ReleasedLog, 'entries'> {
  readonly entries: readonly (Omit<Entry, 'event'> & { readonly event: Json })[];
}

const folder = join(import.meta.dirname, '../../src/model/released');
const random = (
  JSON.parse(readFileSync(join(folder, 'format-1.json'), 'utf8')) as { readonly logs: readonly Stored[] }
).logs;
const recorded = readFileSync(join(folder, 'format-1-recorded.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Stored);

export const format1Logs: readonly ReleasedLog[] = [
  ...random.map((log, at) => ({ ...log, name: `random log ${at + 1}`, session: 'session-1' })),
  ...recorded,
].map((log) => ({
  ...log,
  entries: log.entries.map(({ event, ...rest }) => ({ ...rest, event: upgraded(event) })),
}));

function upgraded(event: Json) {
  const today = upgrade(event, 1);
  if (!today) throw new Error(`cannot read ${JSON.stringify(event)}`);
  return today;
}
