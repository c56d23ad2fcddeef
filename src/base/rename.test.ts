import { expect, test } from 'vitest';
import { renameFields, restoreFields } from './rename.ts';

const names = { size: 'length', place: ['at', { row: 'line' }] } as const;

test('an object with new names has all that it had, and gets its old names back', () => {
  const value = { size: 1, place: { row: 2, column: 3 }, length: 4, other: [5] };
  const stored = renameFields(value, names);
  expect(stored).toEqual({
    length: 1,
    at: { line: 2, other: { column: 3 } },
    other: { length: 4, other: [5] },
  });
  expect(restoreFields(stored, names)).toEqual(value);
});

test('a field that is no object keeps its value, and a name that nobody gave is left out', () => {
  expect(renameFields({ place: 'here' }, names)).toEqual({ at: 'here' });
  expect(restoreFields({ at: null, unknown: 1, other: 2 }, names)).toEqual({ place: null });
});
