import { expect, test } from 'vitest';
import { OutputLimit } from './backpressure.ts';
import { defaultLimits } from './transport.ts';

test('drain is told once, when half of the soft limit is left', () => {
  const { outflow, queue, drained } = made();
  queue(1000);
  expect(outflow.ready()).toBe(false);
  queue(501);
  outflow.moved();
  expect(drained()).toBe(0);
  queue(500);
  outflow.moved();
  expect(drained()).toBe(1);
  expect(outflow.ready()).toBe(true);
  queue(0);
  outflow.moved();
  expect(drained()).toBe(1);
});

test('a refusal inside a tick is followed by a drain even when all is taken at once', () => {
  const { outflow, queue, drained } = made();
  queue(5000);
  expect(outflow.ready()).toBe(false);
  queue(0);
  outflow.burst(5000);
  outflow.moved();
  expect(drained()).toBe(1);
});

test('a callback that subscribes anew is called once per drain', () => {
  const { outflow, queue } = made();
  let calls = 0;
  const again = () => {
    calls++;
    subscription[Symbol.dispose]();
    subscription = outflow.onDrain(again);
  };
  let subscription = outflow.onDrain(again);
  queue(1000);
  outflow.burst(1000);
  queue(0);
  outflow.moved();
  expect(calls).toBe(1);
});

const bursts: { name: string; steps: [queued: number, burst: number][]; overflow: boolean }[] = [
  { name: 'at the limit', steps: [[10_000, 0]], overflow: false },
  { name: 'above it', steps: [[10_001, 0]], overflow: true },
  { name: 'one great burst', steps: [[90_000, 90_000]], overflow: false },
  {
    name: 'as much again on top of it',
    steps: [
      [90_000, 90_000],
      [180_000, 90_000],
    ],
    overflow: false,
  },
  {
    name: 'and a third time',
    steps: [
      [90_000, 90_000],
      [180_000, 90_000],
      [270_000, 90_000],
    ],
    overflow: true,
  },
  {
    name: 'the allowance ends when all was read',
    steps: [
      [90_000, 90_000],
      [0, 0],
      [11_000, 100],
    ],
    overflow: true,
  },
];

test.each(bursts)('overflow: $name', ({ steps, overflow }) => {
  const { outflow, queue, given } = made();
  for (const [queued, burst] of steps) {
    queue(queued);
    outflow.burst(burst);
  }
  expect(given).toEqual(overflow ? ['overflow'] : []);
});

function made() {
  let queued = 0;
  let drained = 0;
  const given: string[] = [];
  const limits = { ...defaultLimits, softBufferedBytes: 1000, maxBufferedBytes: 10_000 };
  const outflow = new OutputLimit(limits, { queued: () => queued, giveUp: ({ kind }) => given.push(kind) });
  outflow.onDrain(() => drained++);
  const queue = (bytes: number) => {
    queued = bytes;
  };
  return { outflow, queue, given, drained: () => drained };
}
