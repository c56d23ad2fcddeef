import { expect, test } from 'vitest';
import { SpendingLimit } from './spendingLimit.ts';

test.each([
  [0.5, 1.25, 'The run cost $1.25; the limit is $0.50.'],
  [0.01, 0.03052, 'The run cost $0.0305; the limit is $0.0100.'],
  [0.000001, 0.000045, 'The run cost $0.000045; the limit is $0.0000010.'],
])('a limit of %d dollars and a cost of %d are told apart', (limit, cost, message) => {
  const usage = { input: 10, output: 1, cost };
  expect(
    new SpendingLimit(limit).exceededBy({ kind: 'usage.reported', chat: 'c', turn: 't', usage }),
  ).toEqual({ code: 'budget', message });
});
