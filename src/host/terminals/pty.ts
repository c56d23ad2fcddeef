// The port to pseudo-terminals: a process tree with text input and output. Implemented
// under io, faked in tests.
import type { Confinement } from '../ports.ts';

export interface Terminals {
  /** Starts a program in a new terminal. A refusal has a message for people. */
  open(wish: PtyWish): Promise<Pty | PtyProblem>;
}

export interface PtyWish {
  readonly program: Program;
  readonly cwd: string;
  /** Added to an environment free of secrets; overrides it. */
  readonly env?: { readonly [name: string]: string };
  /** Set if the program runs in the sandbox. If there is none, the terminal does not open. */
  readonly confined?: Confinement | undefined;
  readonly cols: number;
  readonly rows: number;
  /** Called with output as it arrives; characters are never split. */
  data(text: string): void;
  /** Called once, after the last output, when only daemons of it are left. */
  exited(end: PtyEnd): void;
}

export type Program =
  /** The user's shell, with shell integration if we support it. */
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
  /** A short name of the program. */
  readonly name: string;
  /** Marks the messages of our shell integration; undefined if the program has none. */
  readonly nonce: string | undefined;
  /** Types text; false if too much input is unread, and then nothing was typed. */
  write(text: string): boolean;
  resize(cols: number, rows: number): void;
  /** Pauses the program's output, except a bounded amount in transit. Nothing is lost. */
  pause(): void;
  resume(): void;
  /** Ends the process tree, by force if necessary. `exited` follows. */
  kill(): void;
}
