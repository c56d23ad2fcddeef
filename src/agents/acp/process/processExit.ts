// Describes how an agent program ended, with its last error output. Ends nothing itself.
import { errorCode } from '../../../base/errorText.ts';
import type { Clock } from '../../../host/ports.ts';
import type { ChildTransport } from '../../../rpc/transports/child.ts';
import type { CloseReason } from '../../../rpc/transports/transport.ts';
import type { AgentProgram } from './program.ts';

export interface ExitReport {
  readonly message: string;
  /** `wanted` by us, `quiet` by its own decision, or a `crash`. */
  readonly how: 'wanted' | 'quiet' | 'crash';
  /** Set if the program does not exist. */
  readonly missing?: true;
}

/** How long to wait for the last output of an ended program, in milliseconds. */
const drainMs = 300;

/** How many lines of a program's error output are kept, and how many characters of each. */
const tailLines = 20;
const tailWidth = 300;

/** Stack traces do not help users. */
const noise = /^(?:at |Node\.js v\d|[\^~{}[\]()\s]*$|File ".*", line \d)/;

export class ProcessExit {
  readonly left: Promise<ExitReport>;
  gone: ExitReport | undefined;
  /** Whether the program has ended; its last output may not have arrived yet. */
  dead = false;
  readonly #program: AgentProgram;
  readonly #clock: Clock;
  readonly #tail: string[] = [];
  #resolve: (gone: ExitReport) => void = () => {};
  #expected = false;
  #why: string | undefined;

  constructor(program: AgentProgram, clock: Clock) {
    this.#program = program;
    this.#clock = clock;
    this.left = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Child processes of a dead agent may keep its pipes open; do not wait for them. */
  watch(exited: ChildTransport['exited'], closed: Promise<CloseReason>): void {
    void exited.then((exit) => {
      this.dead = true;
      if (exit instanceof Error) return this.#settle({ kind: 'failed', detail: exit.message }, exit);
      const recall = this.#clock.after(drainMs, () => this.#settle({ kind: 'exited', exit }));
      return closed.then(recall);
    });
    void closed.then((reason) => this.#settle(reason));
  }

  said(line: string): void {
    const text = line.trim().slice(0, tailWidth);
    if (text === '') return;
    this.#tail.push(text);
    if (this.#tail.length > tailLines) this.#tail.shift();
  }

  /** Marks a later end as requested by us, for a reason that users should know. */
  expect(why?: string): void {
    this.#expected = true;
    this.#why = why;
  }

  #settle(reason: CloseReason, error?: Error): void {
    if (this.gone) return;
    const quiet = reason.kind === 'exited' && reason.exit?.code === 0;
    const unexpected = quiet ? 'quiet' : 'crash';
    const missing = errorCode(error) === 'ENOENT';
    this.gone = {
      message: this.#words(reason),
      how: this.#expected ? 'wanted' : unexpected,
      ...(missing ? { missing } : {}),
    };
    this.dead = true;
    this.#resolve(this.gone);
  }

  #words(reason: CloseReason): string {
    const { name } = this.#program;
    const telling = this.#tail.filter((line) => !noise.test(line)).slice(-3);
    const last = telling.length === 0 ? '' : ` Its last output: ${telling.join(' / ')}`;
    if (reason.kind === 'failed')
      return `${name} could not be started: ${reason.detail ?? 'unknown cause'}.${last}`;
    if (reason.kind === 'exited') return `${name} ended unexpectedly (${exitOf(reason)}).${last}`;
    if (reason.kind === 'local') return this.#why ?? `${name} was ended.`;
    return `The connection to ${name} broke (${reason.detail ?? reason.kind}).${last}`;
  }
}

function exitOf({ exit, detail }: CloseReason): string {
  if (typeof exit?.signal === 'string') return `signal ${exit.signal}`;
  return exit ? `exit code ${exit.code}` : (detail ?? 'unknown cause');
}
