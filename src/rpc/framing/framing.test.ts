import { afterEach, describe, expect, test, vi } from 'vitest';
import fc from 'fast-check';
import { contentLength } from './contentLength.ts';
import type { Framing } from './framing.ts';
import { ndjson } from './ndjson.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const framings: Record<string, Framing> = { ndjson, contentLength };

describe.each(Object.entries(framings))('%s', (_name, framing) => {
  test('any chunking gives the messages that were encoded', () => {
    const message = fc.oneof(
      fc.json(),
      fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
    );
    fc.assert(
      fc.property(fc.array(message), cuts, (messages, sizes) => {
        const bytes = Buffer.from(messages.map((text) => framing.encode(text)).join(''));
        expect(decode(framing, chunked(bytes, sizes))).toEqual(messages);
      }),
    );
  });

  test('any chunking of any bytes gives the same messages and the same problems', () => {
    fc.assert(
      fc.property(fc.array(scrap, { maxLength: 30 }), cuts, (scraps, sizes) => {
        const bytes = Buffer.concat(scraps);
        const whole = decode(framing, [bytes], { maxBytes: 12 });
        expect(decode(framing, chunked(bytes, sizes), { maxBytes: 12 })).toEqual(whole);
        expect(decode(framing, chunked(bytes, [1]), { maxBytes: 12 })).toEqual(whole);
      }),
      { numRuns: 500 },
    );
  });

  test('a chunk may be reused by its owner', () => {
    const bytes = Buffer.from(framing.encode('"first"') + framing.encode('"second"'));
    const seen: string[] = [];
    const decoder = framing.decoder({ message: (text) => seen.push(text), problem: () => {} }, 1000);
    const shared = Buffer.alloc(3);
    for (let at = 0; at < bytes.length; at += 3) {
      const length = bytes.copy(shared, 0, at, at + 3);
      decoder.push(shared.subarray(0, length));
      shared.fill(0);
    }
    expect(seen).toEqual(['"first"', '"second"']);
  });

  test('a long message comes whole, also where none is too long', () => {
    const message = `"${'x'.repeat(3 * 1024 * 1024)}"`;
    const chunks = chunked(Buffer.from(framing.encode(message)), [65_536]);
    for (const maxBytes of [4 * 1024 * 1024, Number.MAX_SAFE_INTEGER])
      expect(decode(framing, chunks, { maxBytes }).map((text) => text === message)).toEqual([true]);
  });

  test('a message in tiny chunks is not copied again and again', () => {
    const bytes = Buffer.from(framing.encode(`"${'x'.repeat(50_000)}"`));
    const chunks = chunked(bytes, [16]);
    const joined = vi.spyOn(Buffer, 'concat');
    const allocated = vi.spyOn(Buffer, 'allocUnsafeSlow');
    expect(decode(framing, chunks)).toHaveLength(1);
    const total = allocated.mock.calls.reduce((sum, [size]) => sum + size, 0);
    expect(joined).not.toHaveBeenCalled();
    // Blocks that double add up to less than four times the message; a new one per chunk
    // would be 1,500 times.
    expect(total).toBeGreaterThan(50_000);
    expect(total).toBeLessThan(200_000);
  });
});

const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });

/** Pieces that mean something to one of the framings, valid or not. */
const scrap = fc.oneof(
  fc
    .constantFrom(
      'Content-Length: 4\r\n\r\n"ab"',
      'Content-Length: 3\n\n"\xe9',
      'content-length:2\r\nContent-Type: x; charset=utf-8\r\n\r\n{}',
      'Content-Length: 30\r\n\r\n012345678901234567890123456789',
      'Content-Length: 0\r\n\r\n',
      'Content-Length: 1\r\nContent-Length: 1\r\n\r\n1',
      'Content-Type: y\r\n\r\n',
      '\r\n',
      '\n',
      '  \t\r\n',
      '{}\n',
      '[1]\r\n',
      'a line too long to be kept\n',
    )
    .map((text) => Buffer.from(text, 'latin1')),
  fc.constantFrom('"ü€😀"\n', 'Content-Length: 11\r\n\r\n"ü€😀"').map((text) => Buffer.from(text, 'utf8')),
  fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
);

function chunked(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

/** Messages as they are, problems in angle brackets. */
function decode(framing: Framing, chunks: readonly Buffer[], limits = { maxBytes: 100_000_000 }): string[] {
  const seen: string[] = [];
  const sink = {
    message: (text: string) => seen.push(text),
    problem: (problem: { kind: string; detail: string }) => seen.push(`<${problem.kind}: ${problem.detail}>`),
  };
  const decoder = framing.decoder(sink, limits.maxBytes);
  for (const chunk of chunks) decoder.push(chunk);
  decoder.end();
  return seen;
}
