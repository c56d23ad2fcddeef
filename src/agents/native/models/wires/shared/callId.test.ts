import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callIdFor } from './callId.ts';

test('an id that fits stays, any other becomes one that does, always the same', () => {
  expect([callIdFor('toolu_01-a', 'any'), callIdFor('abcdefgh9', 'nine letters')]).toEqual([
    'toolu_01-a',
    'abcdefgh9',
  ]);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (id) => {
      expect(callIdFor(id, 'any')).toMatch(/^[\w-]{1,64}$/);
      expect(callIdFor(id, 'nine letters')).toMatch(/^[A-Za-z0-9]{9}$/);
      expect(callIdFor(id, 'any')).toBe(callIdFor(id, 'any'));
    }),
  );
});

test('different ids stay different', () => {
  const ids = Array.from({ length: 2_000 }, (_, at) => `functions.read_file:${at}`);
  expect(new Set(ids.map((id) => callIdFor(id, 'nine letters'))).size).toBe(2_000);
});
