import { expect, test } from 'vitest';
import { contentLength } from './contentLength.ts';

const lost = (detail: string) => `<framing: ${detail}>`;
const noName = lost('a header line has no proper name');
const noNumber = lost('Content-Length is not a plain number');
const twice = lost('Content-Length is given twice');
const tooLong = '<tooLarge: a message is longer than 20 bytes>';

const cases: { name: string; given: string; seen: string[] }[] = [
  { name: 'one message', given: 'Content-Length: 2\r\n\r\n{}', seen: ['{}'] },
  {
    name: 'two messages',
    given: 'Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n[1]',
    seen: ['{}', '[1]'],
  },
  { name: 'lines that end at LF alone', given: 'Content-Length: 2\n\n{}', seen: ['{}'] },
  { name: 'a name in any case', given: 'cOnTeNt-LeNgTh:2\r\n\r\n{}', seen: ['{}'] },
  { name: 'blanks around the number', given: 'Content-Length: \t2 \r\n\r\n{}', seen: ['{}'] },
  { name: 'zeros before the number', given: 'Content-Length: 0002\r\n\r\n{}', seen: ['{}'] },
  {
    name: 'a content type before the length',
    given: 'Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}',
    seen: ['{}'],
  },
  { name: 'a header nobody knows', given: 'Content-Length: 2\r\nX-Trace: 7\r\n\r\n{}', seen: ['{}'] },
  { name: 'bytes are counted, not characters', given: 'Content-Length: 11\r\n\r\n"ü€😀"', seen: ['"ü€😀"'] },
  { name: 'a line break counted into the body', given: 'Content-Length: 3\r\n\r\n{}\n', seen: ['{}\n'] },
  {
    name: 'a line break that was not counted',
    given: 'Content-Length: 2\r\n\r\n{}\r\nContent-Length: 2\r\n\r\n[]\n',
    seen: ['{}', '[]'],
  },
  { name: 'an empty body', given: 'Content-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}', seen: ['', '{}'] },
  {
    name: 'a body of the greatest length',
    given: `Content-Length: 20\r\n\r\n${'1'.repeat(20)}`,
    seen: ['1'.repeat(20)],
  },
  {
    name: 'a longer body is skipped',
    given: `Content-Length: 21\r\n\r\n${'1'.repeat(21)}Content-Length: 2\r\n\r\n{}`,
    seen: [tooLong, '{}'],
  },
  {
    name: 'a longer body is refused before it comes',
    given: 'Content-Length: 1000000\r\n\r\n',
    seen: [tooLong, lost('the input ended inside a message')],
  },
  { name: 'no length', given: 'Content-Type: x\r\n\r\n{}', seen: [lost('Content-Length is missing')] },
  { name: 'two lengths', given: 'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}', seen: [twice] },
  { name: 'two equal lengths', given: 'Content-Length: 2\r\ncontent-length: 2\r\n\r\n{}', seen: [twice] },
  { name: 'a negative length', given: 'Content-Length: -2\r\n\r\n{}', seen: [noNumber] },
  { name: 'a length with a sign', given: 'Content-Length: +2\r\n\r\n{}', seen: [noNumber] },
  { name: 'a fractional length', given: 'Content-Length: 2.0\r\n\r\n{}', seen: [noNumber] },
  { name: 'a hexadecimal length', given: 'Content-Length: 0x2\r\n\r\n{}', seen: [noNumber] },
  { name: 'an exponent', given: 'Content-Length: 2e0\r\n\r\n{}', seen: [noNumber] },
  { name: 'a list of lengths', given: 'Content-Length: 2, 2\r\n\r\n{}', seen: [noNumber] },
  { name: 'no number', given: 'Content-Length:\r\n\r\n{}', seen: [noNumber] },
  { name: 'a vertical tab before the number', given: 'Content-Length:\v2\r\n\r\n{}', seen: [noNumber] },
  { name: '2 to the power of 64', given: 'Content-Length: 18446744073709551616\r\n\r\n{}', seen: [noNumber] },
  {
    name: 'a length nobody means',
    given: 'Content-Length: 999999999999\r\n\r\n{}',
    seen: [lost('Content-Length is beyond belief')],
  },
  { name: 'a blank before the colon', given: 'Content-Length : 2\r\n\r\n{}', seen: [noName] },
  { name: 'a folded line', given: 'Content-Length: 2\r\n continued: x\r\n\r\n{}', seen: [noName] },
  { name: 'a line without a colon', given: 'Content-Length 2\r\n\r\n{}', seen: [noName] },
  { name: 'the other framing', given: '{"jsonrpc":"2.0","method":"x"}\n', seen: [noName] },
  {
    name: 'nothing is read after framing is lost',
    given: 'nonsense\nContent-Length: 2\r\n\r\n{}',
    seen: [noName],
  },
  {
    name: 'a header block of one line without end',
    given: `X: ${'x'.repeat(70_000)}`,
    seen: [lost('a header block is longer than 65536 bytes')],
  },
  {
    name: 'a header block of many lines',
    given: 'X-Pad: 1\r\n'.repeat(110_000),
    seen: [lost('a header block is longer than 65536 bytes')],
  },
  {
    name: 'an end inside the body',
    given: 'Content-Length: 5\r\n\r\n{',
    seen: [lost('the input ended inside a message')],
  },
  {
    name: 'an end inside the header',
    given: 'Content-Len',
    seen: [lost('the input ended inside a message')],
  },
];

test.each(cases)('$name', ({ given, seen }) => {
  expect(decode(Buffer.from(given))).toEqual(seen);
});

test('a body that is not UTF-8 costs only itself', () => {
  const bad = Buffer.concat([Buffer.from('Content-Length: 3\r\n\r\n'), Buffer.from([0x22, 0xff, 0x22])]);
  const good = Buffer.from('Content-Length: 2\r\n\r\n{}');
  expect(decode(Buffer.concat([good, bad, good]))).toEqual([
    '{}',
    '<parse: a message is not valid UTF-8>',
    '{}',
  ]);
});

test('a declared length reserves no memory', () => {
  const decoder = contentLength.decoder({ message: () => {}, problem: () => {} }, 1024 * 1024 * 1024);
  const before = process.memoryUsage().arrayBuffers;
  decoder.push(Buffer.from('Content-Length: 1000000000\r\n\r\n{"a":'));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
});

test('the header counts bytes', () => {
  expect(contentLength.encode('"ü€😀"')).toBe('Content-Length: 11\r\n\r\n"ü€😀"');
});

function decode(given: Buffer): string[] {
  const seen: string[] = [];
  const sink = {
    message: (text: string) => seen.push(text),
    problem: (problem: { kind: string; detail: string }) => seen.push(`<${problem.kind}: ${problem.detail}>`),
  };
  const decoder = contentLength.decoder(sink, 20);
  decoder.push(given);
  decoder.end();
  return seen;
}
