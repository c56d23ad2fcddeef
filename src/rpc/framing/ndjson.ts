// Framing with one message per line. Knows lines and UTF-8, not JSON.

import { isUtf8 } from 'node:buffer';
import { Bytes } from './bytes.ts';
import type { Decoder, DecoderSink, Framing } from './framing.ts';

export const ndjson: Framing = {
  encode: encodeLine,
  decoder: (sink, maxMessageBytes) => new LineDecoder(sink, maxMessageBytes),
};

const LF = 10;
const CR = 13;
const SPACE = 32;

/** Line breaks outside JSON strings are white space, and inside strings they are always escaped. */
function encodeLine(text: string): string {
  return text.includes('\n') ? `${text.replaceAll('\n', ' ')}\n` : `${text}\n`;
}

class LineDecoder implements Decoder {
  readonly #sink: DecoderSink;
  readonly #maxBytes: number;
  readonly #held = new Bytes();
  #skipping = false;

  constructor(sink: DecoderSink, maxBytes: number) {
    this.#sink = sink;
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    let start = 0;
    if (this.#skipping || this.#held.length > 0) {
      const end = chunk.indexOf(LF);
      this.#hold(chunk, 0, end < 0 ? chunk.length : end);
      if (end < 0) return;
      this.#finishLine();
      start = end + 1;
    }
    const last = chunk.lastIndexOf(LF);
    if (last >= start) {
      this.#wholeLines(chunk.subarray(start, last));
      start = last + 1;
    }
    if (start < chunk.length) this.#hold(chunk, start, chunk.length);
  }

  end(): void {
    this.#finishLine();
  }

  #hold(chunk: Buffer, start: number, end: number): void {
    if (this.#skipping) return;
    if (this.#held.length + end - start > this.#maxBytes) {
      this.#held.clear();
      this.#skipping = true;
      this.#refuseLength();
      return;
    }
    this.#held.append(chunk, { start, end, expected: this.#maxBytes });
  }

  #finishLine(): void {
    if (!this.#skipping && this.#held.length > 0) this.#decodeLine(this.#held.take());
    this.#skipping = false;
  }

  /** Decodes many lines together; a bad or over-long line makes it decode the region line by line. */
  #wholeLines(region: Buffer): void {
    if (region.length > this.#maxBytes || !isUtf8(region)) {
      this.#eachLine(region);
      return;
    }
    const text = region.toString('utf8');
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#deliver(text.slice(start, end));
      start = end + 1;
    }
    this.#deliver(start === 0 ? text : text.slice(start));
  }

  #eachLine(region: Buffer): void {
    let start = 0;
    while (start <= region.length) {
      const found = region.indexOf(LF, start);
      const end = found < 0 ? region.length : found;
      if (end - start > this.#maxBytes) this.#refuseLength();
      else this.#decodeLine(region.subarray(start, end));
      start = end + 1;
    }
  }

  #decodeLine(line: Buffer): void {
    if (isUtf8(line)) this.#deliver(line.toString('utf8'));
    else this.#sink.problem({ kind: 'parse', detail: 'a line is not valid UTF-8' });
  }

  #deliver(line: string): void {
    const text = line.charCodeAt(line.length - 1) === CR ? line.slice(0, -1) : line;
    if (text.length === 0 || (text.charCodeAt(0) <= SPACE && text.trim() === '')) return;
    this.#sink.message(text);
  }

  #refuseLength(): void {
    this.#sink.problem({ kind: 'tooLarge', detail: `a line is longer than ${this.#maxBytes} bytes` });
  }
}
