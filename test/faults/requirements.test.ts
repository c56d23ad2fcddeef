// Holds the list of what must hold when something fails against the tests: each names tests that exist and
// are not skipped, and no number is left out.
import { expect, test } from 'vitest';
import { problemOf } from '../requirements/standing.ts';
import { faultRequirements, untestedFaults } from './requirements.ts';

test.each(faultRequirements)('$id: $text', ({ tests }) => {
  expect(tests.length).toBeGreaterThan(0);
  expect(tests.flatMap((each) => problemOf(each) ?? [])).toEqual([]);
});

test('every number from F1 to F35 is there, and every id once', () => {
  const ids = [...faultRequirements, ...untestedFaults].map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
  const numbers = new Set(ids.map((id) => id.replace(/\..*$/, '')));
  expect([...numbers].toSorted()).toEqual(Array.from({ length: 35 }, (_, at) => `F${at + 1}`).toSorted());
});
