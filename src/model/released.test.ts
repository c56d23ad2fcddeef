// Every log format ever released still folds to the state that was recorded with it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Entry, Json } from './event.ts';
import { reduce } from './reduce.ts';
import { emptyState } from './state.ts';
import { upgrade } from './upgrade.ts';

interface Released {
  readonly format: number;
  readonly logs: readonly {
    readonly entries: readonly (Omit<Entry, 'event'> & { readonly event: Json })[];
    readonly state: unknown;
  }[];
}

const folder = join(import.meta.dirname, 'released');

test.each(readdirSync(folder))('%s', (name) => {
  const { format, logs } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Released;
  expect(logs.length).toBeGreaterThan(0);
  for (const { entries, state } of logs) {
    const folded = entries.reduce((old, entry) => {
      const event = upgrade(entry.event, format);
      if (!event) throw new Error(`cannot read ${JSON.stringify(entry.event)}`);
      return reduce(old, { ...entry, event });
    }, emptyState('session-1'));
    // What was recorded is still there; a newer state may say more.
    expect(JSON.parse(JSON.stringify(folded))).toMatchObject(state as object);
  }
});

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
