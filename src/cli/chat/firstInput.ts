// The input box before the session is there: what is typed is shown at once, and the session gets every key.
import { paintFor } from '../output.ts';
import { safe } from '../say.ts';
import type { KeyPress } from '../terminal/keys.ts';
import { LiveRegion } from '../terminal/liveRegion.ts';
import { RawTerminal } from '../terminal/rawTerminal.ts';
import { cutText } from '../terminal/styledText.ts';
import { Composer } from './screen/composer.ts';
import { inputBox } from './screen/inputBox.ts';

export class FirstInput {
  readonly terminal = new RawTerminal({
    pressed: (press) => this.#pressed(press),
    resized: () => this.#draw(),
    resumed: () => this.#draw(),
  });
  readonly #region = new LiveRegion(() => this.terminal);
  readonly #composer = new Composer({
    complete: () => Promise.resolve([]),
    commands: [],
    changed: () => {},
  });
  readonly #pressedKeys: KeyPress[] = [];
  readonly #interrupted = () => this.#leave(0);
  readonly #terminated = () => this.#leave(4);
  #progress = 'Connecting …';
  #isOver = false;

  constructor() {
    process.on('SIGINT', this.#interrupted);
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, this.#terminated);
    this.terminal.open();
    this.#draw();
  }

  /** Says why the session is not there yet. */
  tell(progress: string): void {
    this.#progress = progress;
    this.#draw();
  }

  /** Removes the box, and returns the keys for the next owner of the terminal. */
  end(): readonly KeyPress[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    this.#region.clear();
    process.off('SIGINT', this.#interrupted);
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.off(signal, this.#terminated);
    return this.#pressedKeys;
  }

  /** Gives the terminal back, too. */
  close(): void {
    this.end();
    this.terminal.close();
  }

  #pressed(press: KeyPress): void {
    if (press.kind === 'key' && press.name === 'ctrl-c') return this.#leave(0);
    if (press.kind === 'key' && press.name === 'ctrl-z') return this.#suspend();
    this.#pressedKeys.push(press);
    const isUsed = this.#composer.press(press);
    if (!isUsed && press.kind === 'key' && press.name === 'ctrl-d') return this.#leave(0);
    if (!isUsed && press.kind === 'key' && press.name === 'enter') this.#composer.take();
    return this.#draw();
  }

  #suspend(): void {
    this.#region.leave();
    this.terminal.suspend();
  }

  #draw(): void {
    if (this.#isOver) return;
    const paint = paintFor(process.stdout);
    const { room: width, rows } = this.terminal;
    const most = Math.max(3, Math.floor(rows / 3));
    const { lines, ...caret } = inputBox(this.#composer.editor, {
      paint,
      width,
      most,
      purpose: 'message',
      isRunning: false,
    });
    const progress = paint.dim(cutText(` ${safe(this.#progress)}`, width));
    this.#region.draw({ lines: [...lines, progress], caret });
  }

  /** A user who leaves does not wait for a host that does not answer. */
  #leave(code: number): void {
    this.end();
    process.exit(code);
  }
}
