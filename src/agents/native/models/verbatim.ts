// Puts blocks in a format's own words into a request that a library has written, at the places that a mark was written for them. The library has no words for them.
import type { Fields } from './loose.ts';

export class Verbatim {
  readonly #blocks: (readonly object[])[] = [];

  /** The words that the library is to write; nobody else writes letters from the private area. */
  mark(blocks: readonly object[]): string {
    this.#blocks.push(blocks);
    return `\uE000${this.#blocks.length - 1}\uE000`;
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  /** `within` says whether a mark is a block of a message or a message of its own. */
  into(body: Fields, within: 'message' | 'list'): Fields {
    return Object.fromEntries(
      Object.entries(body).map(([name, value]: [string, unknown]) => [
        name,
        Array.isArray(value) ? value.flatMap((each: unknown) => this.#fillOne(each, within)) : value,
      ]),
    );
  }

  #fillOne(message: unknown, within: 'message' | 'list'): readonly unknown[] {
    if (typeof message !== 'object' || message === null) return [message];
    for (const name of ['content', 'parts']) {
      const blocks: unknown = Reflect.get(message, name);
      if (!Array.isArray(blocks)) continue;
      if (within === 'list')
        return (blocks.length === 1 ? this.#blocksFor(blocks[0]) : undefined) ?? [message];
      return [{ ...message, [name]: blocks.flatMap((block: unknown) => this.#blocksFor(block) ?? [block]) }];
    }
    return [message];
  }

  #blocksFor(block: unknown): readonly object[] | undefined {
    const text: unknown =
      typeof block === 'object' && block !== null ? Reflect.get(block, 'text') : undefined;
    const at = typeof text === 'string' ? /^\uE000(\d+)\uE000$/.exec(text)?.[1] : undefined;
    return at === undefined ? undefined : this.#blocks[Number(at)];
  }
}
