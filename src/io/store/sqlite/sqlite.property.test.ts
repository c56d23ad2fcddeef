// Any log that can happen, cut into any commits, comes back exactly and leaves a catalogue that the entries
// themselves would give.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { summarize } from '../../../host/session/summary.ts';
import { reduce } from '../../../model/reduce.ts';
import { emptyState } from '../../../model/state.ts';
import { read } from '../../../../test/contracts/logStore.ts';
import { logs, sessionId } from '../../../../test/kit/logs.ts';
import { openStore } from './open.ts';

const streamed = new Set(['text.added', 'tool.input', 'tool.output', 'usage.reported']);

test('any log survives being stored, closed and opened again', async () => {
  await fc.assert(
    fc.asyncProperty(
      logs(60),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 }),
      async ({ entries }, sizes) => {
        const directory = mkdtempSync(join(tmpdir(), 'parley-log-'));
        const open = () =>
          openStore({
            directory,
            report: (problem) => {
              throw problem;
            },
          });
        const store = await open();
        try {
          let state = emptyState(sessionId);
          for (let at = 0, turn = 0; at < entries.length; turn += 1) {
            const batch = entries.slice(at, (at += sizes[turn % sizes.length] ?? 1));
            state = batch.reduce(reduce, state);
            const sync = batch.every(({ event }) => streamed.has(event.kind)) ? 'kernel' : 'disk';
            await store.write({
              entries: batch.map((entry) => ({ session: sessionId, entry })),
              summaries: sync === 'disk' ? [summarize(state)] : [],
              sync,
            });
          }
          await store.close();
          const again = await open();
          try {
            expect(await read(again, sessionId)).toEqual(JSON.parse(JSON.stringify(entries)));
            expect(again.summaries().map((summary) => ({ ...summary, seq: 0 }))).toEqual([
              { ...summarize(state), seq: 0 },
            ]);
            expect(again.head()).toBe(entries.at(-1)?.pos);
            expect(await again.verify()).toEqual([]);
          } finally {
            await again.close();
          }
        } finally {
          await store.close();
          rmSync(directory, { recursive: true });
        }
      },
    ),
    { numRuns: 30 },
  );
});
