// Splits a stream of Amazon's binary event frames into events. A frame has lengths, headers, a JSON
// payload and two checksums.
import { parseAnswer } from './answerJson.ts';
import { InvalidJson } from '../../errors/failures.ts';

/** Receives one event with its name; an exception of the service is an event, too. */
export type FrameSink = (event: { readonly [name: string]: unknown }) => void;

/** A frame: two lengths and their checksum, headers, payload, and the checksum of the whole. */
const preludeSize = 12;
const checksumSize = 4;
const largest = 16 * 1024 * 1024;

export class Frames {
  #rest = new Uint8Array(0);
  readonly #take: FrameSink;

  constructor(take: FrameSink) {
    this.#take = take;
  }

  /** Processes the bytes of one read; throws if they are not frames. */
  feed(chunk: Uint8Array): void {
    const bytes = joined(this.#rest, chunk);
    let from = 0;
    while (bytes.length - from >= preludeSize) {
      const size = sizeOf(bytes.subarray(from, from + preludeSize));
      if (bytes.length - from < size) break;
      this.#take(eventIn(bytes.subarray(from, from + size)));
      from += size;
    }
    this.#rest = bytes.slice(from);
  }
}

function joined(rest: Uint8Array, chunk: Uint8Array): Uint8Array {
  if (rest.length === 0) return chunk;
  const bytes = new Uint8Array(rest.length + chunk.length);
  bytes.set(rest);
  bytes.set(chunk, rest.length);
  return bytes;
}

function sizeOf(prelude: Uint8Array): number {
  const size = number(prelude, 0);
  if (
    number(prelude, 8) !== crc32(prelude.subarray(0, 8)) ||
    size < preludeSize + checksumSize ||
    size > largest
  )
    throw new InvalidJson('no frame begins here');
  return size;
}

const decoder = new TextDecoder();

function eventIn(frame: Uint8Array): { readonly [name: string]: unknown } {
  const end = frame.length - checksumSize;
  if (number(frame, end) !== crc32(frame.subarray(0, end)))
    throw new InvalidJson('a frame was changed on its way');
  const headersEnd = preludeSize + number(frame, 4);
  const headers = headersIn(frame.subarray(preludeSize, Math.min(end, headersEnd)));
  const kind =
    headers.get(':event-type') ?? headers.get(':exception-type') ?? headers.get(':error-code') ?? '';
  const payload = parsed(decoder.decode(frame.subarray(Math.min(end, headersEnd), end)));
  return { kind, failed: headers.get(':message-type') !== 'event', payload };
}

function parsed(json: string): unknown {
  return json === '' ? {} : parseAnswer(json);
}

/** The size of a header value by its type; values of types 6 and 7 begin with their size. */
const sizes: readonly number[] = [0, 0, 1, 2, 4, 8, -1, -1, 8, 16];

/** Reads string headers and skips the others. */
function headersIn(bytes: Uint8Array): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at < bytes.length;) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    const name = decoder.decode(bytes.subarray(at + 1, nameEnd));
    const size = sizes[bytes[nameEnd] ?? 0] ?? 0;
    const from = nameEnd + (size < 0 ? 3 : 1);
    const end = from + (size < 0 ? (bytes[nameEnd + 1] ?? 0) * 256 + (bytes[nameEnd + 2] ?? 0) : size);
    if (bytes[nameEnd] === 7) found.set(name, decoder.decode(bytes.subarray(from, end)));
    at = end;
  }
  return found;
}

function number(bytes: Uint8Array, at: number): number {
  return (
    (((bytes[at] ?? 0) << 24) |
      ((bytes[at + 1] ?? 0) << 16) |
      ((bytes[at + 2] ?? 0) << 8) |
      (bytes[at + 3] ?? 0)) >>>
    0
  );
}

const table = Uint32Array.from({ length: 256 }, (_, at) => {
  let value = at;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (table[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
