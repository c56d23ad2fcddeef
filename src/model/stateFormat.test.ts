// Stored states are used instead of the entries that made them, so a program that folds the same entries into
// another state must not use them.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { logs } from '../../test/kit/logs.ts';
import { stateFormat } from './state.ts';

/** The states of the sample logs, for each format of states. */
const digests: { readonly [format: number]: string } = {
  1: 'f4f3a509b85dca1f',
};

test('a change of what entries become has a new format of states', () => {
  const hash = createHash('sha256');
  for (const { states } of fc.sample(logs(80), { seed: 1, numRuns: 200 }))
    hash.update(JSON.stringify(states.at(-1)));
  expect(
    hash.digest('hex').slice(0, 16),
    'If reduce has changed, raise stateFormat in state.ts. If only the sample has changed, write its new digest.',
  ).toBe(digests[stateFormat]);
});
