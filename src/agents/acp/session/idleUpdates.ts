// Handles updates while no turn runs: what belongs to a turn starts one or waits for the next; the rest, and
// what comes after a stop, is dropped.
import type { SessionReporter, TurnWork } from '../../../host/agent.ts';
import type { Clock } from '../../../host/ports.ts';
import type { ReadUpdate } from '../../../protocols/acp/v1/updateSchema.ts';
import type { CurrentTurn } from './currentTurn.ts';
import type { AgentProgram, AgentTimes } from '../process/program.ts';
import type { AgentTurn } from '../turn/turn.ts';
import { QuietTimer } from '../process/quietTimer.ts';
import { belongsToTurn } from '../turn/updates.ts';

export interface IdleUpdatesOptions {
  readonly program: AgentProgram;
  readonly clock: Clock;
  readonly times: AgentTimes;
  readonly aside: SessionReporter;
  readonly current: CurrentTurn;
  /** The work of a turn that the agent starts on its own. */
  readonly work: TurnWork;
}

/** How many updates are held between turns. */
const heldLimit = 2_000;

export class IdleUpdates {
  readonly #options: IdleUpdatesOptions;
  #turn: AgentTurn | undefined;
  #waiting: (() => void)[] = [];
  /** Updates that arrived between turns and belong to one. */
  #held: ReadUpdate[] = [];
  #waking = false;
  /** Since a stop, until the agent has been silent for a while. */
  #deaf: QuietTimer | undefined;
  #stopped = 0;
  /** Whether an agent that was stopped has gone on, which the next turn says. */
  #wentOn = false;
  #lastCalls: ReadonlySet<string> = new Set();
  #closed = false;

  constructor(options: IdleUpdatesOptions) {
    this.#options = options;
  }

  /** Whether an update now still belongs to the stopped turn. */
  get deaf(): boolean {
    return this.#deaf !== undefined;
  }

  hear(update: ReadUpdate): void {
    if (this.#deaf) this.#drop(this.#deaf, update);
    else if (this.#turn) this.#turn.take(update);
    else this.#outside(update);
  }

  /** The host has started a turn; later updates belong to it. */
  awake(): void {
    this.#waking = false;
    this.#hearAgain();
  }

  begin(turn: AgentTurn): void {
    this.#turn = turn;
    if (this.#wentOn)
      turn.transcript.notice(
        'info',
        `${this.#options.program.name} went on after it was stopped; what it said then is left out.`,
      );
    this.#wentOn = false;
    for (const update of this.#held.splice(0)) turn.take(update);
    this.#wakeWaiting();
  }

  end(turn: AgentTurn): void {
    this.#lastCalls = turn.transcript.calls.ids;
    this.#turn = undefined;
    if (turn.context.signal.aborted) this.#deafen(turn.pace);
  }

  /** The running turn; starts one if there is none. Undefined once the conversation is closed. */
  async turn(): Promise<AgentTurn | undefined> {
    while (!this.#turn && !this.#closed) {
      this.#wake();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return this.#turn;
  }

  close(): void {
    this.#closed = true;
    this.#wakeWaiting();
    this.#hearAgain();
  }

  #outside(update: ReadUpdate): void {
    const late = 'toolCallId' in update && this.#lastCalls.has(update.toolCallId);
    if (!belongsToTurn(update) || late) return;
    if (this.#held.length < heldLimit) this.#held.push(update);
    this.#wake();
  }

  /** The agent continues unprompted: starts a turn, unless one is about to start and takes the updates. */
  #wake(): void {
    const { aside, program, current, work } = this.#options;
    if (this.#waking || this.#closed || current.context) return;
    this.#waking = aside.wake(`${program.name} continued on its own.`, work);
  }

  #wakeWaiting(): void {
    for (const begin of this.#waiting.splice(0)) begin();
  }

  /** Late updates of a stopped turn do not start a turn, however long they come. */
  #deafen(pace: AgentTurn['pace']): void {
    const { clock, times } = this.#options;
    this.#hearAgain();
    this.#stopped = clock.elapsed();
    this.#deaf = new QuietTimer({ clock, milliseconds: times.cancel, pace }, () => this.#hearAgain());
  }

  /** What was on its way is dropped without a word. A call that begins later is shown: it does something. */
  #drop(deaf: QuietTimer, update: ReadUpdate): void {
    if (!belongsToTurn(update)) return;
    const { clock, times } = this.#options;
    const isLate = clock.elapsed() - this.#stopped > times.cancel;
    if (isLate && update.sessionUpdate === 'tool_call') {
      this.#hearAgain();
      return this.#outside(update);
    }
    this.#wentOn ||= isLate;
    deaf.restart();
  }

  #hearAgain(): void {
    this.#deaf?.end();
    this.#deaf = undefined;
  }
}
