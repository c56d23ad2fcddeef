import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { contentLength } from './framing/contentLength.ts';
import type { Framing } from './framing/framing.ts';
import { ndjson } from './framing/ndjson.ts';
import { createPeer } from './peer.ts';
import { RpcError } from './rpcError.ts';
import { createStreamTransport } from './transports/stream.ts';

/**
 * Hostile bodies and the one answer each must get; after each of them the connection must
 * still serve a request.
 */
const bodies: { name: string; body: string | Buffer; answer: Answer }[] = [
  { name: 'half a message', body: '{"jsonrpc":"2.0","id":1,', answer: [null, -32700] },
  { name: 'a log line', body: 'npm warn deprecated', answer: [null, -32700] },
  {
    name: 'two messages in one',
    body: '{"jsonrpc":"2.0","id":1,"method":"echo"}{"jsonrpc":"2.0","id":2,"method":"echo"}',
    answer: [null, -32700],
  },
  { name: 'NUL bytes', body: '\0\0\0\0', answer: [null, -32700] },
  { name: 'invalid UTF-8', body: Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d]), answer: [null, -32700] },
  { name: 'a cut-off character', body: Buffer.from([0x22, 0xf0, 0x9f, 0x98]), answer: [null, -32700] },
  { name: 'UTF-16', body: Buffer.from('{}', 'utf16le'), answer: [null, -32700] },
  { name: 'an overlong encoding', body: Buffer.from([0x22, 0xc0, 0xaf, 0x22]), answer: [null, -32700] },
  {
    name: 'a byte order mark',
    body: '\ufeff{"jsonrpc":"2.0","id":1,"method":"echo"}',
    answer: [null, -32700],
  },
  { name: 'a number', body: '42', answer: [null, -32600] },
  { name: 'null', body: 'null', answer: [null, -32600] },
  { name: 'a string', body: '"x"', answer: [null, -32600] },
  { name: 'an empty object', body: '{}', answer: [null, -32600] },
  { name: 'a batch', body: '[{"jsonrpc":"2.0","id":1,"method":"echo"}]', answer: [null, -32600] },
  { name: 'an empty batch', body: '[]', answer: [null, -32600] },
  { name: 'no version', body: '{"id":1,"method":"echo"}', answer: [1, -32600] },
  { name: 'version 3', body: '{"jsonrpc":"3.0","id":1,"method":"echo"}', answer: [1, -32600] },
  { name: 'a method that is an object', body: '{"jsonrpc":"2.0","id":1,"method":{}}', answer: [1, -32600] },
  {
    name: 'an id that is an object',
    body: '{"jsonrpc":"2.0","id":{},"method":"echo"}',
    answer: [null, -32600],
  },
  { name: 'a fractional id', body: '{"jsonrpc":"2.0","id":0.5,"method":"echo"}', answer: [null, -32600] },
  { name: 'scalar params', body: '{"jsonrpc":"2.0","id":1,"method":"echo","params":1}', answer: [1, -32602] },
  {
    name: 'scalar params of a notification',
    body: '{"jsonrpc":"2.0","method":"echo","params":1}',
    answer: undefined,
  },
  { name: 'an unknown method', body: '{"jsonrpc":"2.0","id":1,"method":"nope"}', answer: [1, -32601] },
  { name: 'toString as a method', body: '{"jsonrpc":"2.0","id":1,"method":"toString"}', answer: [1, -32601] },
  {
    name: '__proto__ as a method',
    body: '{"jsonrpc":"2.0","id":1,"method":"__proto__"}',
    answer: [1, -32601],
  },
  {
    name: '__proto__ in params',
    body: '{"jsonrpc":"2.0","id":1,"method":"echo","params":{"__proto__":{"polluted":1}}}',
    answer: [1, 'ok'],
  },
  {
    name: 'a constructor in params',
    body: '{"jsonrpc":"2.0","id":1,"method":"echo","params":{"constructor":{"prototype":{"polluted":1}}}}',
    answer: [1, 'ok'],
  },
  {
    name: '__proto__ as the envelope',
    body: '{"jsonrpc":"2.0","id":1,"__proto__":{"method":"echo"}}',
    answer: [1, -32600],
  },
  {
    name: 'duplicate keys',
    body: '{"jsonrpc":"2.0","id":1,"id":2,"method":"nope","method":"echo"}',
    answer: [2, 'ok'],
  },
  { name: 'a stray result', body: '{"jsonrpc":"2.0","id":77,"result":1}', answer: undefined },
  {
    name: 'a stray error',
    body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}',
    answer: undefined,
  },
  { name: 'an unknown notification', body: '{"jsonrpc":"2.0","method":"nope"}', answer: undefined },
  {
    name: 'a cancel of nothing',
    body: '{"jsonrpc":"2.0","method":"cancel","params":{"id":5}}',
    answer: undefined,
  },
  {
    name: 'a lone surrogate',
    body: '{"jsonrpc":"2.0","id":"\\ud800","method":"echo"}',
    answer: ['\ud800', 'ok'],
  },
  { name: 'a handler that throws', body: '{"jsonrpc":"2.0","id":1,"method":"throw"}', answer: [1, -32603] },
  { name: 'a million levels', body: '['.repeat(1_000_000), answer: [null, -32600] },
  {
    name: 'a million levels in params',
    body: `{"jsonrpc":"2.0","id":1,"method":"echo","params":${'{"a":'.repeat(300_000)}1${'}'.repeat(300_000)}}`,
    answer: [null, -32600],
  },
  {
    name: '500,000 keys',
    body: `{"jsonrpc":"2.0","id":1,"method":"size","params":{${Array.from({ length: 500_000 }, (_, n) => `"k${n}":0`).join()}}}`,
    answer: [1, -32600],
  },
  {
    name: 'a message above the limit',
    body: `{"jsonrpc":"2.0","id":1,"method":"echo","params":["${'x'.repeat(12_000_000)}"]}`,
    answer: [null, -32600],
  },
];

type Answer = [id: unknown, outcome: number | 'ok'] | undefined;

const framings: Record<string, Framing> = { ndjson, contentLength };

describe.each(Object.entries(framings))('%s', (_name, framing) => {
  test.each(bodies)('$name', async ({ body, answer }) => {
    const answers = await converse(framing, [framed(framing, body)]);
    expect(answers).toEqual(answer === undefined ? [['probe', 'ok']] : [answer, ['probe', 'ok']]);
    expect(Reflect.get({}, 'polluted')).toBe(undefined);
  });

  test('all of them in one stream, in any chunking', async () => {
    const small = bodies.filter(({ body }) => body.length < 1000);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(small), fc.integer({ min: 1, max: 50 }), async (chosen, size) => {
        const bytes = Buffer.concat(chosen.map(({ body }) => framed(framing, body)));
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
          bytes.subarray(n * size, (n + 1) * size),
        );
        const expected = chosen.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));
        expect(await converse(framing, chunks)).toEqual([...expected, ['probe', 'ok']]);
      }),
      { numRuns: 20 },
    );
  });

  test('a message of 100 MB is refused without being built', async () => {
    const length = 100_000_000;
    const piece = Buffer.alloc(1_000_000, 'x');
    const head = framing === contentLength ? [Buffer.from(`Content-Length: ${length}\r\n\r\n`)] : [];
    const tail = framing === ndjson ? [Buffer.from('\n')] : [];
    const before = memory();
    const answers = await converse(framing, [...head, ...Array.from({ length: 100 }, () => piece), ...tail]);
    expect(answers).toEqual([
      [null, -32600],
      ['probe', 'ok'],
    ]);
    // Half of what building it would take at the very least; what is not yet collected counts too.
    expect(memory() - before).toBeLessThan(length / 2);
  });
});

const smuggled = [
  'Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}',
  'Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}',
  'Content-Length: -1\r\n\r\n',
  'Content-Length: +2\r\n\r\n{}',
  'Content-Length: 18446744073709551616\r\n\r\n{}',
  'Content-Length: 9007199254740993\r\n\r\n{}',
  'Content-Length: 2e3\r\n\r\n{}',
  'Content-Length: two\r\n\r\n{}',
  'Content-Type: text\r\n\r\n{}',
  'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n',
  'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n',
  `X-Long: ${'x'.repeat(1_000_000)}\r\nContent-Length: 2\r\n\r\n{}`,
  '{"jsonrpc":"2.0","id":1,"method":"echo"}\n',
];

const untrusted = smuggled.map((header) => ({ header, start: header.slice(0, 40) }));

test.each(untrusted)(
  'a header that cannot be trusted ends the connection in order: $start',
  async ({ header }) => {
    expect(await converse(contentLength, [Buffer.from(header)])).toEqual([[null, -32700]]);
  },
);

const maxMessageBytes = 10_000_000;

/** Sends the bytes, then one proper request, then the end; gives back every answer in short. */
async function converse(framing: Framing, chunks: readonly Buffer[]): Promise<Answer[]> {
  const input = new PassThrough();
  const output = new PassThrough();
  const answers: Answer[] = [];
  const sink = {
    message: (text: string) => answers.push(short(text)),
    problem: () => answers.push(undefined),
  };
  const decoder = framing.decoder(sink, maxMessageBytes * 2);
  output.on('data', (chunk: Buffer) => decoder.push(chunk));
  const peer = createPeer(createStreamTransport({ input, output, framing, limits: { maxMessageBytes } }), {
    cancel: { method: 'cancel', idKey: 'id' },
    handle: { request: serve, notification: () => {} },
  });
  for (const chunk of chunks) input.write(chunk);
  input.end(framing.encode('{"jsonrpc":"2.0","id":"probe","method":"echo"}'));
  await peer.closed;
  return answers;
}

function memory(): number {
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}

function serve(method: string, params: unknown): unknown {
  switch (method) {
    case 'echo':
      return params;
    case 'size':
      return Object.keys(params ?? {}).length;
    case 'throw':
      throw new Error('internals');
    default:
      throw new RpcError(-32601, 'Method not found');
  }
}

function short(text: string): Answer {
  const { id, error } = JSON.parse(text) as { id: unknown; error?: { code: number } };
  return [id, error?.code ?? 'ok'];
}

function framed(framing: Framing, body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  const [head, tail] = framing === ndjson ? ['', '\n'] : [`Content-Length: ${bytes.length}\r\n\r\n`, ''];
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from(tail)]);
}
