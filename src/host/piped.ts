// The port to programs that run beside a turn, with their output as it comes; implemented under io, faked in tests.

/** A command and where it runs. Without arguments the command is a whole line for a shell. */
export interface NewProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: { readonly [name: string]: string };
  output(text: string, stream: 'stdout' | 'stderr'): void;
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
