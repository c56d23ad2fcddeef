import { expect, test } from 'vitest';
import { phrases } from './search.ts';

test.each<[readonly string[], readonly string[]]>([
  [
    ['login', 'bug'],
    ['login', 'bug'],
  ],
  [
    ['"login', 'bug"', 'fix'],
    ['login bug', 'fix'],
  ],
  [
    ['say"s', 'so"'],
    ['say"s', 'so"'],
  ],
  [['"'], ['"']],
  [['""'], ['""']],
  [
    ['"', '"'],
    ['"', '"'],
  ],
  [['"a'], ['"a']],
  [
    ['"a"b', 'c"'],
    ['"a"b', 'c"'],
  ],
  [
    ['a AND b', 'x*'],
    ['a', 'AND', 'b', 'x*'],
  ],
  [['"C++ is"'], ['C++ is']],
])('%j means %j', (typed, expected) => expect(phrases(typed)).toEqual(expected));
