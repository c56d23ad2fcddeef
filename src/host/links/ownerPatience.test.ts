// How long a command waits: a dead owner loses its lease, however long that takes; a living one that does not
// answer is given up.
import { expect, test } from 'vitest';
import { manualClock } from '../../../test/kit/manualClock.ts';
import { OwnerPatience } from './ownerPatience.ts';

const owner = (lease: string, renewal: number) => ({ host: lease, lease, renewed: String(renewal) });

function waiting() {
  const clock = manualClock();
  const patience = new OwnerPatience(clock, 15_000);
  const after = (milliseconds: number, of: ReturnType<typeof owner>) => {
    clock.advance(milliseconds);
    return patience.isOver(of);
  };
  return { after, clock, patience };
}

test('an owner that does not renew its lease is waited for, however long it takes to lose it', () => {
  const { after } = waiting();
  expect([after(0, owner('a', 1)), after(16_000, owner('a', 1)), after(60_000, owner('a', 1))]).toEqual([
    false,
    false,
    false,
  ]);
});

test('an owner that renews its lease and does not answer is given up when time is over', () => {
  const { after } = waiting();
  expect([after(0, owner('a', 1)), after(14_000, owner('a', 15))]).toEqual([false, false]);
  // The renewals until now do not show that it lives now.
  expect([after(2_000, owner('a', 15)), after(1_000, owner('a', 16))]).toEqual([false, true]);
});

test('the next owner gets as much time as the first', () => {
  const { after } = waiting();
  expect([after(0, owner('a', 1)), after(16_000, owner('a', 1)), after(1_000, owner('b', 1))]).toEqual([
    false,
    false,
    false,
  ]);
  expect([after(14_000, owner('b', 15)), after(2_000, owner('b', 17)), after(1_000, owner('b', 18))]).toEqual(
    [false, false, true],
  );
});

test('a database that does not answer is named in the end', () => {
  const { patience, clock } = waiting();
  expect(patience.without(new Error('Connection refused.'))).toEqual({ problem: 'Connection refused.' });
  clock.advance(16_000);
  expect(patience.without(new Error('Connection refused.'))).toEqual({
    rejected: 'unavailable',
    message:
      'The database does not answer, so this was not done: Connection refused. Try again when it is back.',
  });
});
