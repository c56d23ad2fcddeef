// Terminals without a kernel: a test plays the program, and sees what was asked of it.
import type { Pty, PtyEnd, PtyProblem, PtyWish, Terminals } from '../../src/host/terminals/pty.ts';

export class FakePty implements Pty {
  readonly wish: PtyWish;
  readonly name = 'fake';
  readonly nonce: string | undefined;
  /** What was typed. */
  typed = '';
  readonly sizes: (readonly [number, number])[] = [];
  paused = false;
  killed = false;
  /** Whether the program reads what is typed. */
  reads = true;
  /** Whether the program ends when it is told to. */
  stubborn = false;
  /** What was said while it was paused. */
  #waiting: string[] = [];

  constructor(wish: PtyWish, nonce: string | undefined) {
    this.wish = wish;
    this.nonce = nonce;
  }

  /** The program writes; like a real one it has to wait while it is paused. */
  say(text: string): void {
    if (this.paused) this.#waiting.push(text);
    else this.wish.data(text);
  }

  /** What waits for the end of a pause. */
  get waiting(): number {
    return this.#waiting.reduce((sum, text) => sum + text.length, 0);
  }

  end(how: PtyEnd = { exitCode: 0 }): void {
    this.#waiting.splice(0).forEach((text) => this.wish.data(text));
    this.wish.exited(how);
  }

  write(text: string): boolean {
    if (this.reads) this.typed += text;
    return this.reads;
  }

  resize(cols: number, rows: number): void {
    this.sizes.push([cols, rows]);
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    while (!this.paused && this.#waiting.length > 0) this.wish.data(this.#waiting.shift() ?? '');
  }

  kill(): void {
    this.killed = true;
    if (!this.stubborn) setImmediate(() => this.end({ signal: 'SIGHUP' }));
  }
}

export class FakeTerminals implements Terminals {
  readonly opened: FakePty[] = [];
  problem: PtyProblem | undefined;
  nonce: string | undefined = 'secret';
  /** Holds the opening of terminals back until it resolves. */
  ready: Promise<void> = Promise.resolve();

  async open(wish: PtyWish): Promise<Pty | PtyProblem> {
    await this.ready;
    if (this.problem) return this.problem;
    const pty = new FakePty(wish, this.nonce);
    this.opened.push(pty);
    return pty;
  }

  /** The terminal opened last. */
  get last(): FakePty {
    const last = this.opened.at(-1);
    if (!last) throw new Error('No terminal was opened.');
    return last;
  }
}
