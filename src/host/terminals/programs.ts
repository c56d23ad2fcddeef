// The port to programs that run beside a turn and stream their output. Implemented under io, faked in tests.
import type { Confinement, SandboxStatus } from '../ports.ts';
import type { Owner } from './terminal.ts';

/** A command and where it runs. Without arguments the command is a line for a shell. */
export interface NewProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: { readonly [name: string]: string };
  /** Set if it runs in the sandbox. If there is none, it fails. */
  readonly confined?: Confinement | undefined;
  /** Keeps its standard input open for `input`; without it there is nothing to read. */
  readonly interactive?: boolean | undefined;
  /** The terminal where people can watch and type, if there are terminals. */
  readonly shown?: ShownProgram;
  output(text: string, stream: 'stdout' | 'stderr'): void;
}

export interface ShownProgram {
  readonly id: string;
  readonly title: string;
  readonly owner: Owner;
  /** Whether an agent reads plain text, or people read a screen. */
  readonly reader: 'agent' | 'people';
}

export type ProgramEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'failed'; readonly message: string };

export interface RunningProgram {
  /** Resolves after the last output, when only daemons of it are left. */
  readonly ended: Promise<ProgramEnd>;
  /** Asks it to end, and kills it after a moment. */
  kill(): void;
  /** Writes to its standard input, or ends it with null; false if that is closed, or full of unread text. */
  input?(text: string | null): boolean;
}

export interface Programs {
  /** Whether programs can be confined; without it they cannot. `known` is the last result of `status`. */
  readonly sandbox?: {
    status(): Promise<SandboxStatus>;
    known(): SandboxStatus | undefined;
  };
  start(program: NewProgram): RunningProgram;
}
