import { expect, test } from 'vitest';
import { ndjson } from './ndjson.ts';

const cases: { name: string; given: string | Buffer; seen: string[] }[] = [
  { name: 'two lines', given: '{"a":1}\n{"b":2}\n', seen: ['{"a":1}', '{"b":2}'] },
  { name: 'CRLF', given: '{"a":1}\r\n{"b":2}\r\n', seen: ['{"a":1}', '{"b":2}'] },
  { name: 'empty lines', given: '\n\r\n\n{"a":1}\n\n', seen: ['{"a":1}'] },
  { name: 'lines of white space', given: '  \n\t\r\n{"a":1}\n', seen: ['{"a":1}'] },
  { name: 'a last line without its end', given: '{"a":1}\n{"b":2}', seen: ['{"a":1}', '{"b":2}'] },
  { name: 'a line break in a string is escaped', given: '{"a":"x\\ny"}\n', seen: ['{"a":"x\\ny"}'] },
  { name: 'characters of every width', given: '"ü€😀"\n', seen: ['"ü€😀"'] },
  {
    name: 'one line that is not UTF-8 costs only itself',
    given: Buffer.concat([
      Buffer.from('{"a":1}\n'),
      Buffer.from([0x22, 0xff, 0x22, 0x0a]),
      Buffer.from('{"b":2}\n'),
    ]),
    seen: ['{"a":1}', '<parse>', '{"b":2}'],
  },
  { name: 'a line of the greatest length', given: `${'1'.repeat(20)}\n`, seen: ['1'.repeat(20)] },
  { name: 'a longer line is skipped', given: `${'1'.repeat(21)}\n2\n`, seen: ['<tooLarge>', '2'] },
  { name: 'a longer line at the end', given: `2\n${'1'.repeat(21)}`, seen: ['2', '<tooLarge>'] },
];

test.each(cases)('$name', ({ given, seen }) => {
  expect(decode(given)).toEqual(seen);
});

test('a line break between the tokens of a message becomes a space', () => {
  expect(ndjson.encode('{\n"a":1}')).toBe('{ "a":1}\n');
});

test('an over-long line is not kept while it lasts', () => {
  const problems: string[] = [];
  const decoder = ndjson.decoder(
    { message: () => {}, problem: ({ kind }) => problems.push(kind) },
    1024 * 1024,
  );
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const before = process.memoryUsage().arrayBuffers;
  for (let sent = 0; sent < 100 * 1024 * 1024; sent += chunk.length) decoder.push(chunk);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
  expect(problems).toEqual(['tooLarge']);
});

function decode(given: string | Buffer): string[] {
  const seen: string[] = [];
  const sink = {
    message: (text: string) => seen.push(text),
    problem: (p: { kind: string }) => seen.push(`<${p.kind}>`),
  };
  const decoder = ndjson.decoder(sink, 20);
  decoder.push(Buffer.from(given));
  decoder.end();
  return seen;
}
