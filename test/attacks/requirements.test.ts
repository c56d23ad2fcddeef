// Holds the list of what must hold under attack against the tests: each names tests that exist and are not
// skipped, and no number is left out.
import { expect, test } from 'vitest';
import { problemOf } from '../requirements/standing.ts';
import { attackRequirements, untestedAttacks } from './requirements.ts';

test.each(attackRequirements)('$id: $text', ({ tests }) => {
  expect(tests.length).toBeGreaterThan(0);
  expect(tests.flatMap((each) => problemOf(each) ?? [])).toEqual([]);
});

test('every number from A1 to A64 is there, and every id once', () => {
  const ids = [...attackRequirements, ...untestedAttacks].map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
  const numbers = new Set(ids.map((id) => id.replace(/\..*$/, '')));
  expect([...numbers].toSorted()).toEqual(Array.from({ length: 64 }, (_, at) => `A${at + 1}`).toSorted());
});
