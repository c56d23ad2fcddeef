import { expect, test } from 'vitest';
import fc from 'fast-check';
import { hasMoreValuesThan, nestsDeeperThan } from './depth.ts';

const cases: { name: string; given: string; depth: number; deeper: boolean }[] = [
  { name: 'exactly the depth', given: nested(3), depth: 3, deeper: false },
  { name: 'one more', given: nested(4), depth: 3, deeper: true },
  { name: 'objects count too', given: `${'{"a":'.repeat(4)}1${'}'.repeat(4)}`, depth: 3, deeper: true },
  { name: 'neighbours do not add up', given: `[${'[],'.repeat(50)}1]`, depth: 3, deeper: false },
  { name: 'brackets in a string do not count', given: '"[[[[[[[[[["', depth: 3, deeper: false },
  { name: 'nor behind an escaped quote', given: String.raw`"\"[[[[[[[[[["`, depth: 3, deeper: false },
  {
    name: 'an escaped backslash ends no escape',
    given: String.raw`["\\",[[[[1]]]]]`,
    depth: 3,
    deeper: true,
  },
  { name: 'a string without an end', given: '[["[[[[[[[[[[', depth: 3, deeper: false },
  { name: 'a million levels', given: nested(1_000_000), depth: 512, deeper: true },
  { name: 'a million levels without an end', given: '['.repeat(1_000_000), depth: 512, deeper: true },
];

test.each(cases)('$name', ({ given, depth, deeper }) => {
  expect(nestsDeeperThan(given, depth)).toBe(deeper);
});

test('agrees with the depth of the parsed value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), fc.integer({ min: 0, max: 8 }), (value, depth) => {
      const text = JSON.stringify(value, null, 1);
      expect(nestsDeeperThan(text, depth)).toBe(depthOf(value) > depth);
    }),
  );
});

test.each([
  { name: 'as many as there may be', given: '[1,2,3]', most: 3, more: false },
  { name: 'one more', given: '[1,2,3,4]', most: 3, more: true },
  { name: 'members count too', given: '{"a":1,"b":2,"c":3,"d":4}', most: 3, more: true },
  { name: 'commas in a text do not count', given: String.raw`["a,b,c,d,e",f"]`, most: 3, more: false },
])('values: $name', ({ given, most, more }) => {
  expect(hasMoreValuesThan(given, most)).toBe(more);
});

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
