// Framing with a header block and a body of the declared length. Knows the two header names, not JSON.

import { isUtf8 } from 'node:buffer';
import { Bytes } from './bytes.ts';
import type { Decoder, DecoderSink, Framing } from './framing.ts';

export const contentLength: Framing = {
  encode: (text) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  decoder: (sink, maxMessageBytes) => new BlockDecoder(sink, maxMessageBytes),
};

const LF = 10;
const CR = 13;
const maxHeaderBytes = 64 * 1024;
/** A longer declared body is treated as lost framing, because the length is most likely wrong. */
const maxSkippedBytes = 1024 * 1024 * 1024;
const headerName = /^[A-Za-z0-9-]+$/;
const plainNumber = /^[ \t]*([0-9]{1,15})[ \t]*$/;

class BlockDecoder implements Decoder {
  readonly #sink: DecoderSink;
  readonly #maxBytes: number;
  readonly #held = new Bytes();
  #state: 'header' | 'body' | 'skipping' | 'lost' = 'header';
  #headerBytes = 0;
  #headerLines = 0;
  #declared: number | undefined;
  #remaining = 0;

  constructor(sink: DecoderSink, maxBytes: number) {
    this.#sink = sink;
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#state === 'header') at = this.#readHeader(chunk, at);
      else if (this.#state === 'body') at = this.#readBody(chunk, at);
      else if (this.#state === 'skipping') at = this.#skipBody(chunk, at);
      else return;
    }
  }

  end(): void {
    if (this.#state === 'lost' || (this.#state === 'header' && this.#headerBytes === 0)) return;
    this.#lose('the input ended inside a message');
  }

  #readHeader(chunk: Buffer, at: number): number {
    const found = chunk.indexOf(LF, at);
    const end = found < 0 ? chunk.length : found;
    this.#headerBytes += end - at + (found < 0 ? 0 : 1);
    if (this.#headerBytes > maxHeaderBytes)
      return this.#lose(`a header block is longer than ${maxHeaderBytes} bytes`);
    if (found < 0 || this.#held.length > 0)
      this.#held.append(chunk, { start: at, end, expected: maxHeaderBytes });
    if (found < 0) return end;
    const line = this.#held.length > 0 ? this.#held.take() : chunk.subarray(at, end);
    const length = line[line.length - 1] === CR ? line.length - 1 : line.length;
    if (length === 0) this.#endHeader();
    else this.#readLine(line.toString('latin1', 0, length));
    return end + 1;
  }

  #readLine(line: string): void {
    this.#headerLines++;
    const colon = Math.max(line.indexOf(':'), 0);
    const name = line.slice(0, colon);
    if (!headerName.test(name)) this.#lose('a header line has no proper name');
    else if (name.toLowerCase() === 'content-length') this.#declare(line.slice(colon + 1));
  }

  #declare(value: string): void {
    const digits = plainNumber.exec(value)?.[1];
    if (this.#declared !== undefined) this.#lose('Content-Length is given twice');
    else if (digits === undefined) this.#lose('Content-Length is not a plain number');
    else if (Number(digits) > Math.max(maxSkippedBytes, this.#maxBytes))
      this.#lose('Content-Length is beyond belief');
    else this.#declared = Number(digits);
  }

  #endHeader(): void {
    this.#headerBytes = 0;
    // Some clients end a body with a line break that they did not count, so blank lines between
    // messages are ignored.
    if (this.#headerLines === 0) return;
    if (this.#declared === undefined) {
      this.#lose('Content-Length is missing');
      return;
    }
    this.#remaining = this.#declared;
    this.#declared = undefined;
    this.#headerLines = 0;
    if (this.#remaining > this.#maxBytes) {
      this.#state = 'skipping';
      this.#sink.problem({ kind: 'tooLarge', detail: `a message is longer than ${this.#maxBytes} bytes` });
    } else if (this.#remaining === 0) this.#sink.message('');
    else this.#state = 'body';
  }

  #readBody(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + this.#remaining);
    this.#remaining -= end - at;
    const whole = this.#remaining === 0 && this.#held.length === 0;
    if (!whole)
      this.#held.append(chunk, { start: at, end, expected: this.#held.length + end - at + this.#remaining });
    if (this.#remaining > 0) return end;
    this.#state = 'header';
    this.#deliver(whole ? chunk.subarray(at, end) : this.#held.take());
    return end;
  }

  #skipBody(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + this.#remaining);
    this.#remaining -= end - at;
    if (this.#remaining === 0) this.#state = 'header';
    return end;
  }

  #deliver(body: Buffer): void {
    if (isUtf8(body)) this.#sink.message(body.toString('utf8'));
    else this.#sink.problem({ kind: 'parse', detail: 'a message is not valid UTF-8' });
  }

  #lose(detail: string): number {
    this.#state = 'lost';
    this.#held.clear();
    this.#sink.problem({ kind: 'framing', detail });
    return Number.POSITIVE_INFINITY;
  }
}
