import { describe, expect, test } from 'vitest';
import { planFor } from './retryPolicy.ts';

describe('what to do after a failure', () => {
  const passing = { problem: { code: 'overloaded', message: 'X is overloaded.' }, retryable: true };

  check('the first time', passing, 1, waiting(2_000, 'X is overloaded. Retrying in 2 s (1 of 10).'));
  check('the second time', passing, 2, waiting(4_000, 'X is overloaded. Retrying in 4 s (2 of 10).'));
  check('the fifth time', passing, 5, waiting(32_000, 'X is overloaded. Retrying in 32 s (5 of 10).'));
  check(
    'the sixth time, when the wait stops growing',
    passing,
    6,
    waiting(60_000, 'X is overloaded. Retrying in 60 s (6 of 10).'),
  );
  check('the last time', passing, 10, waiting(60_000, 'X is overloaded. Retrying in 60 s (10 of 10).'));
  check('too often', passing, 11, {
    giveUp: {
      ...passing,
      problem: { code: 'overloaded', message: 'X is overloaded. Given up after 10 more attempts.' },
    },
  });
  check(
    'with a wait that the provider asks for',
    { ...passing, wait: 7_000 },
    4,
    waiting(7_000, 'X is overloaded. Retrying in 7 s (4 of 10).'),
  );
  check(
    'with a wait of minutes',
    { ...passing, wait: 240_000 },
    1,
    waiting(240_000, 'X is overloaded. Retrying in 4 min (1 of 10).'),
  );
  check('with a wait of hours', { ...passing, wait: 9_000_000 }, 1, {
    giveUp: {
      ...passing,
      wait: 9_000_000,
      problem: { code: 'overloaded', message: 'X is overloaded. It asks to wait 3 h.' },
    },
  });
  check('that does not pass by itself', { ...passing, retryable: false }, 1, undefined);
  check('that hardly ever passes', { ...passing, problem: { code: 'invalid', message: 'Bad.' } }, 4, {
    giveUp: { ...passing, problem: { code: 'invalid', message: 'Bad. Given up after 3 more attempts.' } },
  });

  test('a little chance keeps sessions apart', () => {
    expect(planFor(passing, 2, { random: () => 0.5 })).toMatchObject({ wait: 4_500 });
    expect(planFor({ ...passing, wait: 7_000 }, 2, { random: () => 0.5 })).toMatchObject({ wait: 7_250 });
  });

  test('users may have another idea of patience', () => {
    const patience = { attempts: 1, emptyAttempts: 0, base: 100, factor: 3, longest: 500, wait: 1_000 };
    expect(planFor(passing, 1, { random: () => 0, patience })).toMatchObject({
      wait: 100,
      notice: { text: 'X is overloaded. Retrying in 1 s (1 of 1).', retry: { attempt: 1, of: 1, wait: 100 } },
    });
    expect([
      planFor(passing, 2, { random: () => 0, patience }),
      planFor({ ...passing, wait: 2_000 }, 1, { random: () => 0, patience }),
    ]).toMatchObject([{ giveUp: {} }, { giveUp: {} }]);
    expect(
      planFor({ ...passing, problem: { code: 'invalid', message: 'Bad.' } }, 1, {
        random: () => 0,
        patience,
      }),
    ).toMatchObject({ giveUp: {} });
    expect(planFor(passing, 3, { random: () => 0, patience: { ...patience, attempts: 9 } })).toMatchObject({
      wait: 500,
    });
  });

  function waiting(wait: number, text: string): object {
    return {
      wait,
      notice: {
        kind: 'notice.added',
        level: 'warning',
        text,
        waits: true,
        retry: expect.objectContaining({ problem: passing.problem, of: 10, wait }),
      },
    };
  }

  function check(
    name: string,
    failure: Parameters<typeof planFor>[0],
    ...[attempt, expected]: [number, unknown]
  ): void {
    test(`a failure ${name}`, () => {
      expect(planFor(failure, attempt, { random: () => 0 })).toEqual(expected);
    });
  }
});
