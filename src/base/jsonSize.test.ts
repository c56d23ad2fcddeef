import { expect, test } from 'vitest';
import fc from 'fast-check';
import { hasMoreValuesThan, membersIn, nestsDeeperThan } from './jsonSize.ts';

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

test('the members of an object are those that a parser finds', () => {
  const objects = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 8 });
  fc.assert(
    fc.property(objects, fc.constantFrom(undefined, 1), (value, indent) => {
      const members = membersIn(JSON.stringify(value, null, indent), 8);
      const parsed = [...(members ?? [])].map(([name, text]) => [name, JSON.parse(text) as unknown]);
      // A dictionary of fast-check has no prototype, and what is compared is text.
      expect(JSON.stringify(Object.fromEntries(parsed))).toBe(JSON.stringify({ ...value }));
    }),
  );
});

test.each([
  { name: 'a list', given: '[1]' },
  { name: 'a text', given: '"{}"' },
  { name: 'no names', given: '{1,2}' },
  { name: 'an end that is missing', given: '{"a":1' },
  { name: 'too many members', given: '{"a":1,"b":2,"c":3}' },
])('members of $name', ({ given }) => {
  expect(membersIn(given, 2)).toBeUndefined();
});

test('of two members with one name the last one counts, however it is written', () => {
  expect(membersIn(String.raw`{"a":1,"\u0061":[2]}`, 2)).toEqual(new Map([['a', '[2]']]));
});

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
