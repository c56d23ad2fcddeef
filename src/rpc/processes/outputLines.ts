// Splits the text output of a program into lines of limited length.

import { StringDecoder } from 'node:string_decoder';

const maxLineLength = 16 * 1024;

/** Bytes in, lines out; a line is cut after 16 Ki characters. */
export class Lines {
  readonly #line: (text: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  #partial = '';

  constructor(line: (text: string) => void) {
    this.#line = line;
  }

  push(chunk: Buffer): void {
    const parts = this.#decoder.write(chunk).split('\n');
    const last = parts.pop() ?? '';
    for (const part of parts) {
      this.#keep(part);
      this.#emit();
    }
    this.#keep(last);
  }

  end(): void {
    this.#keep(this.#decoder.end());
    if (this.#partial !== '') this.#emit();
  }

  #keep(text: string): void {
    this.#partial += text.slice(0, maxLineLength - this.#partial.length);
  }

  #emit(): void {
    this.#line(this.#partial.endsWith('\r') ? this.#partial.slice(0, -1) : this.#partial);
    this.#partial = '';
  }
}
