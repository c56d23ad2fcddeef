// Every log format ever released still folds to the state that was recorded with it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Entry, Json } from './event.ts';
import { reduce } from './reduce.ts';
import { emptyState } from './state.ts';
import { upgrade } from './upgrade.ts';

interface Released {
  readonly name?: string;
  readonly session?: string;
  readonly entries: readonly (Omit<Entry, 'event'> & { readonly event: Json })[];
  readonly state: unknown;
}

const folder = join(import.meta.dirname, 'released');

/** Random logs, and logs that the program itself has written while it was used through every door. */
const random = (
  JSON.parse(readFileSync(join(folder, 'format-1.json'), 'utf8')) as { readonly logs: readonly Released[] }
).logs;
const recorded = readFileSync(join(folder, 'format-1-recorded.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Released);

test.each([...random, ...recorded].map((log, at) => [log.name ?? `random log ${at + 1}`, log] as const))(
  'format 1: %s',
  (_, { session = 'session-1', entries, state }) => {
    const folded = entries.reduce((old, entry) => {
      const event = upgrade(entry.event, 1);
      if (!event) throw new Error(`cannot read ${JSON.stringify(entry.event)}`);
      return reduce(old, { ...entry, event });
    }, emptyState(session));
    // What was recorded is still there; a newer state may say more.
    expect(JSON.parse(JSON.stringify(folded))).toMatchObject(state as object);
  },
);

test('a format from the future, and what is no event at all, is refused', () => {
  expect(upgrade({ kind: 'note', door: 'x', key: 'y', value: 1 }, 2)).toBeUndefined();
  expect([null, 1, 'x', [], {}, { kind: 1 }].map((value) => upgrade(value, 1))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
