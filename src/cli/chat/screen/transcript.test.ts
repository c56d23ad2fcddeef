// A long answer while it streams: everything is printed once, and what is drawn again stays short.
import { expect, test } from 'vitest';
import type { ChatState } from '../../../protocols/ahp/v1_0/state.ts';
import { forTerminal, paintFor } from '../../output.ts';
import { Transcript } from './transcript.ts';

const columns = 80;

function chat(content: string, isOver: boolean): ChatState {
  const turn = {
    id: 't1',
    message: { text: 'Go', origin: { kind: 'user' } },
    startedAt: '2026-01-02T03:04:05.000Z',
    responseParts: [{ kind: 'markdown', id: 'p1', content }],
  };
  const turns = isOver ? [{ ...turn, state: 'complete', duration: 1 }] : [];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a transcript reads of a chat
  return { turns, ...(isOver ? {} : { activeTurn: turn }) } as unknown as ChatState;
}

interface Long {
  readonly name: string;
  readonly begin?: string;
  readonly count?: number;
  readonly shown: (at: number) => string;
}

/** Each has no end of a block before its own end. */
test.each<Long>([
  { name: 'a paragraph', count: 6_000, shown: (at) => `word${at} ` },
  { name: 'lines', shown: (at) => `Line ${at}\n` },
  { name: 'lines that end as on Windows', shown: (at) => `Line ${at}\r\n` },
  { name: 'code', begin: '```js\n', shown: (at) => `const a${at} = 1;\n` },
  { name: 'a list', shown: (at) => `- item ${at}\n` },
  { name: 'a table', begin: '| a | b |\n|---|---|\n', shown: (at) => `| x${at} | y |\n` },
  { name: 'a word without end', count: 5_000, shown: (at) => `😀${at}` },
])('$name', async ({ begin = '', count = 3_000, shown }) => {
  const transcript = new Transcript({
    paint: paintFor({}),
    read: () => Promise.resolve(''),
    columns: () => columns,
    now: () => 0,
    running: () => ({ output: '', since: 0 }),
  });
  const printed: string[] = [];
  let content = begin;
  let longest = 0;
  for (let at = 0; at < count; at += 1) {
    content += shown(at);
    if (at % 500 !== 0) continue;
    printed.push(...(await transcript.advance(chat(content, false))));
    longest = Math.max(longest, transcript.live(chat(content, false), Infinity).join('').length);
  }
  expect(longest).toBeGreaterThan(0);
  expect(longest).toBeLessThan(24_000);
  printed.push(...(await transcript.advance(chat(content, true))));
  const letters = (text: string) => forTerminal(text).replaceAll(/[^\w😀]/gu, '');
  const whole = letters(printed.join(''));
  const expected = Array.from({ length: count }, (_each, at) => letters(shown(at)));
  let from = 0;
  // Only the head of a table comes again.
  const missing = expected.find((word) => {
    const place = whole.indexOf(word, from);
    const isNext = place >= from && place - from < 10;
    from = place + word.length;
    return !isNext;
  });
  expect(missing).toBe(undefined);
  // One blank line before the block, none in it.
  expect(printed.slice(3, -1).filter((line) => line === '')).toEqual([]);
});
