// Collects bytes of several chunks in one growing block, in linear time and without an object per chunk.

const firstCapacity = 4096;
const keptCapacity = 1024 * 1024;
const largeCapacity = 64 * 1024 * 1024;

export class Bytes {
  length = 0;
  #block = Buffer.alloc(0);

  /** `expected` is the maximum; the block never grows beyond it. */
  append(chunk: Buffer, range: { start: number; end: number; expected: number }): void {
    const needed = this.length + range.end - range.start;
    if (needed > this.#block.length) this.#grow(needed, range.expected);
    chunk.copy(this.#block, this.length, range.start, range.end);
    this.length = needed;
  }

  /** Returns the collected bytes, valid until the next append, and starts a new collection. */
  take(): Buffer {
    const taken = this.#block.subarray(0, this.length);
    this.clear();
    return taken;
  }

  clear(): void {
    this.length = 0;
    if (this.#block.length > keptCapacity) this.#block = Buffer.alloc(0);
  }

  /**
   * A large block gets at once as much as most messages may have: the system gives memory to the part that is
   * used, and no second block is needed to copy the first.
   */
  #grow(needed: number, expected: number): void {
    const doubled = Math.max(needed, this.#block.length * 2, firstCapacity);
    const wanted = doubled > keptCapacity ? Math.max(doubled, largeCapacity) : doubled;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(wanted, expected)));
    this.#block.copy(grown, 0, 0, this.length);
    this.#block = grown;
  }
}
