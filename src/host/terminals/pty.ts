// What the host needs of pseudo-terminals: one process tree behind text in both directions. Implemented under io, faked in tests.

export interface Terminals {
  /** Starts a program in a terminal of its own. A refusal says why in words that can be shown. */
  open(wish: PtyWish): Promise<Pty | PtyProblem>;
}

export interface PtyWish {
  readonly program: Program;
  readonly cwd: string;
  /** Added to an environment free of secrets; it wins. */
  readonly env?: { readonly [name: string]: string };
  readonly cols: number;
  readonly rows: number;
  /** Text as it arrives; letters are never cut apart. */
  data(text: string): void;
  /** Called once, after the last text and when none of its processes is left but daemons. */
  exited(end: PtyEnd): void;
}

export type Program =
  /** The user's shell, with integration where we know how. */
  | { readonly kind: 'shell' }
  /** One command line, run by a shell that ends with it. */
  | { readonly kind: 'command'; readonly line: string }
  | { readonly kind: 'file'; readonly file: string; readonly args: readonly string[] };

export type PtyEnd = { readonly exitCode: number } | { readonly signal: string };

export interface PtyProblem {
  readonly problem: 'unavailable' | 'failed';
  readonly message: string;
}

export interface Pty {
  /** What it runs, as a short name. */
  readonly name: string;
  /** What marks the words of our shell integration; undefined where the program has none. */
  readonly nonce: string | undefined;
  /** Types text; false where so much waits to be read already that none of it was taken. */
  write(text: string): boolean;
  resize(cols: number, rows: number): void;
  /** Lets the program wait with its output, apart from a bounded amount that is on its way. Nothing is lost. */
  pause(): void;
  resume(): void;
  /** Ends the whole tree, with force where it does not go by itself. `exited` follows. */
  kill(): void;
}
