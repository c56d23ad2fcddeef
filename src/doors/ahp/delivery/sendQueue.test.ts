import { expect, test } from 'vitest';
import { answerSynchronously } from './answers.ts';
import { SendQueue } from './sendQueue.ts';
import { eventually } from '../../../../test/kit/patience.ts';
import { manualClock } from '../../../../test/kit/manualClock.ts';
import { posOf, seqOf, seqUpTo } from './serverSeq.ts';

function sendQueue(shown = 7, clock = manualClock()) {
  const sent: string[] = [];
  const host = { shown, isAway: false };
  return {
    sent,
    host,
    sendQueue: new SendQueue({
      send: (text) => sent.push(text),
      shown: () => host.shown,
      clock,
      newNumbers: async () => {
        if (host.isAway) throw new Error('away');
        host.shown += 1;
      },
    }),
  };
}

test('what comes in one step leaves in the order of its numbers, and what has none after it', async () => {
  const { sent, sendQueue: out } = sendQueue();
  out.tell((seq) => `told ${seq()}`);
  out.push(seqOf(9, 1), 'third');
  out.push(seqOf(8, 0), 'first');
  out.push(seqOf(9, 0), 'second');
  expect(sent).toEqual([]);
  await Promise.resolve();
  expect(sent).toEqual(['first', 'second', 'third', `told ${seqOf(9, 1) + 1}`]);
});

test('a number without an entry is after everything published and before everything that follows', () => {
  const { sendQueue: out } = sendQueue(7);
  expect([out.nextSeq(), out.nextSeq()]).toEqual([seqUpTo(7) + 1, seqUpTo(7) + 2]);
  expect(out.last).toBeLessThan(seqOf(8, 0));
  out.saw(seqUpTo(9));
  expect(out.nextSeq()).toBe(seqUpTo(9) + 1);
});

test('what there is no number for waits for the next position, in order, also while the store is away', async () => {
  const clock = manualClock();
  const { sent, host, sendQueue: out } = sendQueue(7, clock);
  host.isAway = true;
  for (let n = 0; n < 400; n += 1) out.tell((seq) => `${n}@${seq()}`);
  out.flush();
  const numbers = () => sent.map((text) => Number(text.split('@')[1]));
  expect([sent.length, Math.max(...numbers()), out.waiting]).toEqual([
    128,
    seqOf(8, 0) - 1,
    expect.any(Promise),
  ]);
  await Promise.resolve();
  // An entry brings new numbers, too.
  host.shown = 8;
  out.push(seqOf(8, 0), `entry@${seqOf(8, 0)}`);
  out.flush();
  expect(sent.length).toBe(128 + 1 + 128);
  host.isAway = false;
  await eventually(() => {
    clock.advance(250);
    return sent.length === 401;
  }, 'the rest');
  expect(sent.filter((text) => !text.startsWith('entry')).map((text) => text.split('@')[0])).toEqual(
    Array.from({ length: 400 }, (_, n) => String(n)),
  );
  expect(numbers()).toEqual([...new Set(numbers())].toSorted((a, b) => a - b));
  expect(out.waiting).toBeUndefined();
});

test('what takes no number does not wait for a store that is away, and after a while nobody else does', async () => {
  const clock = manualClock();
  const { sent, host, sendQueue: out } = sendQueue(7, clock);
  host.isAway = true;
  for (let n = 0; n < 130; n += 1) out.tell((seq) => `${n}@${seq()}`);
  out.notify(() => `rejected@${out.last}`);
  out.flush();
  expect(sent.slice(127)).toEqual([`127@${seqOf(8, 0) - 1}`, `rejected@${seqOf(8, 0) - 1}`]);
  const pass = async (milliseconds: number) => {
    await eventually(() => clock.waiting.length === 1, 'the next try');
    clock.advance(milliseconds);
  };
  await pass(14_000);
  expect(out.isStuck).toBe(false);
  await pass(2_000);
  expect(out.isStuck).toBe(true);
  host.isAway = false;
  await pass(250);
  await eventually(() => sent.length === 131, 'the rest');
  expect([sent.at(-1), out.isStuck, out.waiting]).toEqual([`129@${seqUpTo(8) + 2}`, false, undefined]);
});

test('nothing waits for numbers once the client is gone', async () => {
  const { sent, host, sendQueue: out } = sendQueue();
  host.isAway = true;
  for (let n = 0; n < 130; n += 1) out.tell((seq) => `${n}@${seq()}`);
  out.flush();
  out.close();
  out.tell((seq) => `late@${seq()}`);
  out.flush();
  host.isAway = false;
  host.shown += 1;
  out.flush();
  await Promise.resolve();
  expect(sent.length).toBe(128);
});

test('numbers belong to their position, however many there are', () => {
  for (const index of [0, 1, 127, 128, 100_000]) expect(posOf(seqOf(5, index))).toBe(5);
  expect(seqUpTo(5)).toBeGreaterThanOrEqual(seqOf(5, 100_000));
  expect(seqUpTo(5)).toBeLessThan(seqOf(6, 0));
});

test('an answer is sent in the step in which it is made', async () => {
  const order: string[] = [];
  await new Promise<void>((resolve, reject) => {
    answerSynchronously<string>(async (answer) => {
      await Promise.resolve();
      answer('answer');
      order.push('news');
      resolve();
    }).then((result) => order.push(result), reject);
  });
  expect(order).toEqual(['answer', 'news']);
});

test('what fails while an answer is made is the answer', async () => {
  const failure = await new Promise<unknown>((resolve, reject) =>
    answerSynchronously(() => Promise.reject(new Error('no'))).then(reject, resolve),
  );
  expect(failure).toEqual(new Error('no'));
});

test('pieces of one text are gathered as long as their reader allows, and never beyond anything else', async () => {
  const clock = manualClock();
  const { sent, sendQueue: out } = sendQueue(7, clock);
  const piece = (of: string, content: string) => ({
    of,
    within: 50,
    content,
    text: (all: string, seq: number) => `${of}:${all}@${seq}`,
  });
  const say = async (...pieces: readonly (readonly [number, string, string])[]) => {
    for (const [seq, of, content] of pieces) out.push(seq, 'alone', piece(of, content));
    await Promise.resolve();
  };
  await say([2048, 'a', 'x'], [2304, 'a', 'y']);
  await say([2560, 'a', 'z']);
  expect(sent).toEqual([]);
  clock.advance(50);
  expect(sent.splice(0)).toEqual(['a:xyz@2560']);
  await say([2816, 'a', 'u'], [3072, 'b', 'v']);
  expect(sent.splice(0)).toEqual(['a:u@2816']);
  out.push(3328, 'other');
  await Promise.resolve();
  expect(sent.splice(0)).toEqual(['b:v@3072', 'other']);
  await say([3584, 'a', 'w']);
  out.flush();
  expect([sent.splice(0), clock.waiting]).toEqual([['a:w@3584'], []]);
});
