import { describe, expect, test } from 'vitest';
import { calledText, fillPlaceholders, placesIn, parseTypedCommand } from './promptCommands.ts';

const command = (body: string, names: readonly string[] = []) =>
  ({
    name: 'c',
    description: '',
    path: '/c.md',
    arguments: names.map((name) => ({ name })),
    text: body,
  }) as const;

describe('what was typed', () => {
  test.each([
    ['/greet Bob', { name: 'greet', rest: 'Bob', args: ['Bob'] }],
    ['  /greet "Bob Ray"  x ', { name: 'greet', rest: '"Bob Ray"  x', args: ['Bob Ray', 'x'] }],
    ['/costs', { name: 'costs', rest: '', args: [] }],
    ['/server:prompt a', { name: 'server:prompt', rest: 'a', args: ['a'] }],
    ['/usr/bin/env is a path', undefined],
    ['/ nothing', undefined],
    ['no /command', undefined],
  ])('%s', (message, expected) => expect(parseTypedCommand(message)).toEqual(expected));
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
  ] as const)('%s with %j for %s', (...[body, names, message, expected]) =>
    expect(
      fillPlaceholders(command(body, names), parseTypedCommand(message) ?? { name: '', rest: '', args: [] }),
    ).toBe(expected),
  );
});

test.each([
  ['Hi $2', ['arg1', 'arg2']],
  ['Hi {{b}} {{a}} {{b}}', ['b', 'a']],
  ['Hi $ARGS', []],
])('%s asks for %j', (body, places) => expect(placesIn(body)).toEqual(places));

test('a message calls a command or a skill, the command first', () => {
  const skill = { name: 'review', description: '', text: 'Review $1 well.', folder: '/skills/review' };
  const known = { commands: [command('Hi $1')], skills: [skill, { ...skill, name: 'c' }] };
  expect(
    ['/c Bob', '/review a.ts', '/unknown', 'hello'].map((message) => calledText(known, message)),
  ).toEqual([
    'Hi Bob',
    'Review a.ts well.\n\nThe files of this skill are in /skills/review.',
    undefined,
    undefined,
  ]);
});
