// The port to programs that run beside a turn, with their output as it comes; implemented under io, faked in tests.
import type { Owner } from './terminal.ts';

/** A command and where it runs. Without arguments the command is a whole line for a shell. */
export interface NewProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: { readonly [name: string]: string };
  /** As which terminal people see it and type in it while it runs, where there are terminals. */
  readonly shown?: ShownProgram;
  output(text: string, stream: 'stdout' | 'stderr'): void;
}

export interface ShownProgram {
  readonly id: string;
  readonly title: string;
  readonly owner: Owner;
  /** For whom it prints: an agent that reads plain words, or people at a screen. */
  readonly reader: 'agent' | 'people';
}

export type ProgramEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'failed'; readonly message: string };

export interface RunningProgram {
  /** Settles after the last output, with nothing of the program left but daemons. */
  readonly ended: Promise<ProgramEnd>;
  /** Asks it to end, and insists after a moment. */
  kill(): void;
}

export interface Programs {
  start(program: NewProgram): RunningProgram;
}
