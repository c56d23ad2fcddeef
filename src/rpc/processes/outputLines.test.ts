import { expect, test } from 'vitest';
import { Lines } from './outputLines.ts';

const cases: { name: string; chunks: (string | Buffer)[]; lines: string[] }[] = [
  { name: 'several lines in one chunk', chunks: ['a\nb\n'], lines: ['a', 'b'] },
  { name: 'one line in several chunks', chunks: ['a', 'b', 'c\n'], lines: ['abc'] },
  { name: 'no end of line at the end', chunks: ['a\nb'], lines: ['a', 'b'] },
  { name: 'CRLF', chunks: ['a\r\n', 'b\r', '\n'], lines: ['a', 'b'] },
  {
    name: 'a character cut in two',
    chunks: [Buffer.from([0xe2, 0x82]), Buffer.from([0xac, 0x0a])],
    lines: ['€'],
  },
  {
    name: 'a line without end is cut',
    chunks: ['x'.repeat(20_000), 'x'.repeat(20_000), '\nb\n'],
    lines: ['x'.repeat(16_384), 'b'],
  },
];

test.each(cases)('$name', ({ chunks, lines }) => {
  const seen: string[] = [];
  const cutter = new Lines((line) => seen.push(line));
  for (const chunk of chunks) cutter.push(Buffer.from(chunk));
  cutter.end();
  expect(seen).toEqual(lines);
});
