import { describe, expect, test } from 'vitest';
import { filled, placesIn, typed } from './written.ts';

const command = (body: string, names: readonly string[] = []) =>
  ({ name: 'c', description: '', type: 'custom-prompt', arguments: names.map((name) => ({ name })), body }) as const;

describe('what was typed', () => {
  test.each([
    ['/greet Bob', { name: 'greet', rest: 'Bob', args: ['Bob'] }],
    ['  /greet "Bob Ray"  x ', { name: 'greet', rest: '"Bob Ray"  x', args: ['Bob Ray', 'x'] }],
    ['/costs', { name: 'costs', rest: '', args: [] }],
    ['/server:prompt a', { name: 'server:prompt', rest: 'a', args: ['a'] }],
    ['/usr/bin/env is a path', undefined],
    ['/ nothing', undefined],
    ['no /command', undefined],
  ])('%s', (message, expected) => expect(typed(message)).toEqual(expected));
});

describe('the text of a command', () => {
  test.each([
    ['Hi $1 and $2', [], '/c a b', 'Hi a and b'],
    ['Hi $1 and $2', [], '/c a', 'Hi a and '],
    ['All: $ARGS', [], '/c a "b c"', 'All: a "b c"'],
    ['All: $ARGUMENTS.', [], '/c a b', 'All: a b.'],
    ['Hi {{who}}, {{ mood }}', [], '/c Bob well', 'Hi Bob, well'],
    ['Hi {{who}}, {{mood}}', ['mood', 'who'], '/c well Bob', 'Hi Bob, well'],
    ['Nothing asked', [], '/c x y', 'Nothing asked\n\nx y'],
    ['Nothing asked', [], '/c', 'Nothing asked'],
    ['Costs $100 and $1', [], '/c a', 'Costs $100 and a'],
  ] as const)('%s with %j for %s', (...[body, names, message, expected]) => expect(filled(command(body, names), typed(message) ?? { name: '', rest: '', args: [] })).toBe(expected));
});

test.each([
  ['Hi $2', ['arg1', 'arg2']],
  ['Hi {{b}} {{a}} {{b}}', ['b', 'a']],
  ['Hi $ARGS', []],
])('%s asks for %j', (body, places) => expect(placesIn(body)).toEqual(places));
