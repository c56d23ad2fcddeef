import { expect, test } from 'vitest';
import { manualClock } from '../../../test/kit/manualClock.ts';
import type { SearchQuery } from '../../host/session/search.ts';
import { prepareSearch } from './prepareSearch.ts';

type SearchedHost = Parameters<typeof prepareSearch>[0];

function rig(sessions: number) {
  const clock = manualClock();
  const searches: SearchQuery[] = [];
  const reported: unknown[] = [];
  // Only the beginning of a session is looked at.
  const summaries = Array.from({ length: sessions }, () => ({ started: true }));
  const host = {
    clock,
    summaries: () => summaries,
    search: (query: SearchQuery) => {
      searches.push(query);
      return Promise.reject(new Error('no disk'));
    },
    report: (error: unknown) => void reported.push(error),
  } as unknown as SearchedHost;
  return { clock, searches, reported, stop: prepareSearch(host) };
}

test('many sessions are indexed soon after the start, and what goes wrong is reported', async () => {
  const { clock, searches, reported } = rig(200);
  clock.advance(1_000);
  expect(searches).toEqual([]);
  clock.advance(2_000);
  expect(searches).toMatchObject([{ words: [], limit: 0, within: 0 }]);
  await expect.poll(() => reported).toMatchObject([{ message: 'no disk' }]);
});

test('few sessions are left to the first search, and a host that closes begins nothing', () => {
  const few = rig(199);
  few.clock.advance(3_000);
  const closed = rig(200);
  closed.stop();
  closed.clock.advance(3_000);
  expect([...few.searches, ...closed.searches]).toEqual([]);
});
