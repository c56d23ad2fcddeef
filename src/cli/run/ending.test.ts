import { expect, test } from 'vitest';
import { endingOf } from './ending.ts';

const ended = { session: 's', outcome: { kind: 'cancelled' } } as const;

test('an agent that ends its turn as stopped after a refusal was refused', () => {
  expect(endingOf({ ...ended, refused: 'approval' })).toMatchObject({
    status: 'denied',
    error: { message: 'Something that needs approval was not allowed; see --allow.' },
  });
});

test('an agent that may not work at all was refused', () => {
  const problem = { code: 'denied', message: 'It needs your permission first.' };
  expect(endingOf({ ...ended, outcome: { kind: 'failed', problem }, refused: 'approval' })).toEqual({
    status: 'denied',
    error: problem,
  });
});

test('without a refusal somebody has stopped the turn', () => {
  expect(endingOf(ended)).toMatchObject({ status: 'stopped', error: { code: 'stopped' } });
});
