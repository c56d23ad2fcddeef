import { expect, test } from 'vitest';
import { isOlder, satisfies } from './versionRange.ts';

test.each([
  ['v20.20.2', '>=22', false],
  ['v22.19.0', '>=22.19.0', true],
  ['v22.18.9', '>=22.19.0', false],
  ['20.19.0', '>= 20', true],
  ['20.19.0', '^18 || ^20.19', true],
  ['20.18.0', '^18 || ^20.19', false],
  ['21.0.0', '^20.19.0', false],
  ['20.19.5', '~20.19', true],
  ['20.20.0', '~20.19', false],
  ['20.1.0', '>=18 <20', false],
  ['19.1.0', '>=18 <20', true],
  ['20.1.0', '20', true],
  ['20.1.0', '20.x', true],
  ['21.1.0', '20.x', false],
  ['20.1.0', '*', true],
  ['20.1.0', 'whatever', true],
] as const)('Node %s for %s: %s', (version, range, expected) => {
  expect(satisfies(version, range)).toBe(expected);
});

test.each([
  ['1.9.0', '1.10.0', true],
  ['1.10.0', '1.9.0', false],
  ['v2', '2.0.1', false],
  ['1.0.0', '1.0.0', false],
  ['unknown', '1.0.0', false],
] as const)('%s is older than %s: %s', (one, other, expected) => {
  expect(isOlder(one, other)).toBe(expected);
});
