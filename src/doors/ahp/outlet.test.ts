import { expect, test } from 'vitest';
import { answered } from './answered.ts';
import { Outlet } from './outlet.ts';
import { posOf, seqOf, seqUpTo } from './serverSeq.ts';

function outlet(shown = 7) {
  const sent: string[] = [];
  return { sent, outlet: new Outlet({ send: (text) => sent.push(text), shown: () => shown }) };
}

test('what comes in one step leaves in the order of its numbers, and what has none after it', async () => {
  const { sent, outlet: out } = outlet();
  out.tell((seq) => `told ${seq()}`);
  out.push(seqOf(9, 1), 'third');
  out.push(seqOf(8, 0), 'first');
  out.push(seqOf(9, 0), 'second');
  expect(sent).toEqual([]);
  await Promise.resolve();
  expect(sent).toEqual(['first', 'second', 'third', `told ${seqOf(9, 1) + 1}`]);
});

test('a number without an entry is after everything published and before everything that follows', () => {
  const { outlet: out } = outlet(7);
  expect([out.nextSeq(), out.nextSeq()]).toEqual([seqUpTo(7) + 1, seqUpTo(7) + 2]);
  expect(out.last).toBeLessThan(seqOf(8, 0));
  out.saw(seqUpTo(9));
  expect(out.nextSeq()).toBe(seqUpTo(9) + 1);
});

test('numbers belong to their position, however many there are', () => {
  for (const index of [0, 1, 127, 128, 100_000]) expect(posOf(seqOf(5, index))).toBe(5);
  expect(seqUpTo(5)).toBeGreaterThanOrEqual(seqOf(5, 100_000));
  expect(seqUpTo(5)).toBeLessThan(seqOf(6, 0));
});

test('an answer is sent in the step in which it is made', async () => {
  const order: string[] = [];
  await new Promise<void>((resolve, reject) => {
    answered<string>(async (answer) => {
      await Promise.resolve();
      answer('answer');
      order.push('news');
      resolve();
    }).then((result) => order.push(result), reject);
  });
  expect(order).toEqual(['answer', 'news']);
});

test('what fails while an answer is made is the answer', async () => {
  const failure = await new Promise<unknown>((resolve, reject) => answered(() => Promise.reject(new Error('no'))).then(reject, resolve));
  expect(failure).toEqual(new Error('no'));
});
