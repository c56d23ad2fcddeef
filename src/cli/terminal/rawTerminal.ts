// The keyboard of a terminal while a program reads single keys; everything is put back at the end.
import { StringDecoder } from 'node:string_decoder';
import { markPastes, print, screenControls } from '../output.ts';
import { KeyDecoder, pasteTime } from './keys.ts';
import type { KeyPress } from './keys.ts';

/** An escape that nothing follows for so long is the key of that name, in milliseconds. */
const escapeTime = 40;

export interface RawTerminalOptions {
  readonly pressed: (press: KeyPress) => void;
  readonly resized: () => void;
  /** The terminal is ours again after another program or a stop; all must be drawn. */
  readonly resumed: () => void;
}

export class RawTerminal {
  #options: RawTerminalOptions;
  readonly #decoder = new KeyDecoder();
  readonly #utf8 = new StringDecoder('utf8');
  #timer: NodeJS.Timeout | undefined;
  #isOpen = false;
  readonly #read = (chunk: Buffer) => this.#receive(chunk);
  readonly #resize = () => this.#options.resized();
  /** Also when the program fails, so that the shell after it gets a usual terminal. */
  readonly #restore = () =>
    print(`${screenControls.stopTellingKeys}${markPastes.off}${screenControls.showCursor}`);

  constructor(options: RawTerminalOptions) {
    this.#options = options;
  }

  /** Lets somebody else have the keys from now on. */
  handOver(options: RawTerminalOptions): void {
    this.#options = options;
  }

  /** How many columns a line may fill. A line that ends in the last one is broken by some terminals. */
  get room(): number {
    return this.columns - 1;
  }

  get columns(): number {
    return Math.max(20, process.stdout.columns || 80);
  }

  get rows(): number {
    return Math.max(8, process.stdout.rows || 24);
  }

  open(): void {
    this.#isOpen = true;
    process.on('exit', this.#restore);
    process.stdin.setRawMode(true);
    process.stdin.on('data', this.#read);
    process.stdin.resume();
    process.stdout.on('resize', this.#resize);
    print(`${markPastes.on}${screenControls.tellKeys}`);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearTimeout(this.#timer);
    process.stdin.off('data', this.#read);
    process.stdout.off('resize', this.#resize);
    process.off('exit', this.#restore);
    this.#restore();
    process.stdin.setRawMode(false);
    process.stdin.pause();
  }

  /** Like Ctrl-Z in any other program; Windows has nothing like it. */
  suspend(): void {
    if (process.platform === 'win32') return this.#options.resumed();
    this.close();
    process.once('SIGCONT', () => {
      // Only what runs in the foreground is told of a new size, and Node looks when it is told.
      process.once('SIGWINCH', () => {
        this.open();
        this.#options.resumed();
      });
      process.kill(process.pid, 'SIGWINCH');
    });
    process.kill(process.pid, 'SIGTSTP');
  }

  /** Lets another program use the terminal. Resolves with whether it ended well. */
  async lend(command: string, file: string): Promise<boolean> {
    // Few use it, and it takes milliseconds to load.
    const { spawn } = await import('node:child_process');
    this.close();
    const ended = await new Promise<boolean>((resolve) => {
      // The user's own setting may have arguments, as in `code --wait`.
      const child = spawn(`${command} "$PARLEY_FILE"`, {
        shell: true,
        stdio: 'inherit',
        env: { ...process.env, PARLEY_FILE: file },
      });
      child.once('error', () => resolve(false));
      child.once('exit', (code) => resolve(code === 0));
    });
    this.open();
    this.#options.resumed();
    return ended;
  }

  #receive(chunk: Buffer): void {
    clearTimeout(this.#timer);
    this.#pass(this.#decoder.push(this.#utf8.write(chunk)));
    if (this.#decoder.isWaiting || this.#decoder.isPasting)
      this.#timer = setTimeout(
        () => this.#pass(this.#decoder.flush()),
        this.#decoder.isPasting ? pasteTime : escapeTime,
      );
  }

  #pass(keys: readonly KeyPress[]): void {
    for (const each of keys) this.#options.pressed(each);
  }
}
