// The last bytes of a growing text, up to a limit and never cut inside a character.

export class TextTail {
  readonly #limit: number;
  #text = '';
  #truncated = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * The text is cut only now and then: a character has at least one byte, so twice the limit in length
   * is certainly too much.
   */
  add(text: string): void {
    this.#text += text;
    if (this.#text.length > this.#limit * 2 + slack) this.#cut();
  }

  read(): { readonly text: string; readonly truncated: boolean } {
    this.#cut();
    return { text: this.#text, truncated: this.#truncated };
  }

  #cut(): void {
    const start = startOf(this.#text, this.#limit);
    if (start === 0) return;
    this.#text = this.#text.slice(start);
    this.#truncated = true;
  }
}

const slack = 4_096;

/** Where the last characters begin that fit into so many bytes of UTF-8. */
function startOf(text: string, limit: number): number {
  if (text.length * 3 <= limit) return 0;
  let bytes = 0;
  let at = text.length;
  while (at > 0) {
    const pair = at > 1 && isLow(text.charCodeAt(at - 1)) && isHigh(text.charCodeAt(at - 2));
    bytes += pair ? 4 : bytesOf(text.charCodeAt(at - 1));
    if (bytes > limit) return at;
    at -= pair ? 2 : 1;
  }
  return 0;
}

function bytesOf(unit: number): number {
  if (unit < 0x80) return 1;
  return unit < 0x800 ? 2 : 3;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
