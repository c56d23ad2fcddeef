// Lone pieces go at once; what comes while something is stored goes together, in order and with nothing lost.
import { expect, test } from 'vitest';
import type { AgentReport } from '../../../model/command.ts';
import { StreamedPieces } from './streamedPieces.ts';
import type { PieceTarget } from './streamedPieces.ts';

function rig(): {
  readonly pieces: StreamedPieces;
  readonly reported: AgentReport[];
  readonly store: () => Promise<void>;
} {
  const reported: AgentReport[] = [];
  const waiting: (() => void)[] = [];
  const target: PieceTarget = {
    report: (report) => void reported.push(report),
    stored: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
      }),
  };
  return {
    pieces: new StreamedPieces(target),
    reported,
    store: async () => {
      for (const done of waiting.splice(0)) done();
      await Promise.resolve();
      await Promise.resolve();
    },
  };
}

const say = (item: string, text: string, meta?: string) =>
  ({ kind: 'text.added', item, channel: 'answer', text, ...(meta === undefined ? {} : { meta }) }) as const;
const input = (tool: string, text: string) => ({ kind: 'tool.input', tool, text }) as const;

test('the first piece goes at once, and what comes until it is stored goes together', async () => {
  const { pieces, reported, store } = rig();
  for (const text of ['One', ' two', ' three']) pieces.add(say('a', text));
  expect(reported).toEqual([say('a', 'One')]);
  await store();
  expect(reported).toEqual([say('a', 'One'), say('a', ' two three')]);
  await store();
  pieces.add(say('a', ' four'));
  expect(reported.at(-1)).toEqual(say('a', ' four'));
});

test('pieces of different things stay apart and in order, and the newest seal counts', async () => {
  const { pieces, reported, store } = rig();
  pieces.add(say('a', 'x'));
  for (const piece of [
    say('a', '1', 'old'),
    say('a', '2', 'new'),
    say('b', '3'),
    input('t', '{"a"'),
    input('t', ':1}'),
    input('u', '{}'),
  ])
    pieces.add(piece);
  await store();
  expect(reported).toEqual([
    say('a', 'x'),
    say('a', '12', 'new'),
    say('b', '3'),
    input('t', '{"a":1}'),
    input('u', '{}'),
  ]);
});

test('whoever has something else to say says first what waits', () => {
  const { pieces, reported } = rig();
  for (const text of ['x', 'y']) pieces.add(say('a', text));
  pieces.flush();
  pieces.flush();
  expect(reported).toEqual([say('a', 'x'), say('a', 'y')]);
});

test('where nobody tells what is stored, every piece goes at once', () => {
  const reported: AgentReport[] = [];
  const pieces = new StreamedPieces({ report: (report) => void reported.push(report) });
  for (const text of ['x', 'y']) pieces.add(say('a', text));
  expect(reported).toEqual([say('a', 'x'), say('a', 'y')]);
});
