// The running programs of all external agents of a host: who runs, for how long, and which one goes first
// when there are too many.
import type { Clock } from '../../../host/ports.ts';

export interface RunningProgram {
  readonly agent: string;
  readonly name: string;
  readonly cwd: string;
  readonly pid: number | undefined;
  /** The sessions that have a conversation in it. */
  readonly sessions: () => number;
  readonly isWorking: () => boolean;
  /** Whether it can find its conversations again after a restart. */
  readonly canRestore: () => boolean;
  end(): Promise<void>;
}

/** A running program as users see it. */
export interface ProgramView extends Pick<RunningProgram, 'agent' | 'name' | 'cwd' | 'pid'> {
  readonly sessions: number;
  readonly busy: boolean;
  /** Milliseconds since its start, and since it was used last. */
  readonly age: number;
  readonly idle: number;
  /** In bytes, with all that it started; absent where the system does not tell. */
  readonly memory?: number;
}

export interface AgentProcessesOptions {
  readonly clock: Clock;
  /** The memory of a process and all that it started, in bytes. */
  readonly memoryOf?: (pid: number) => Promise<number | undefined>;
  readonly limits?: ProcessLimits;
}

export interface ProcessLimits {
  readonly count: number;
  /** In bytes. */
  readonly memory: number;
}

/** A program has grown when it needs so many times what it needed after its first turn. */
const growth = 1.1;

const usualLimits: ProcessLimits = { count: 8, memory: 4_000_000_000 };

interface Kept {
  readonly program: RunningProgram;
  readonly startedAt: number;
  usedAt: number;
  /** Its memory after its first turn. */
  first?: Promise<number | undefined>;
}

/** What the owner of a program tells and asks about it. */
export interface ProgramRecord {
  /** It has ended a turn. */
  used(): void;
  ended(): void;
  /** Whether it needs more memory than after its first turn; false where the system does not tell. */
  isGrown(): Promise<boolean>;
}

export class AgentProcesses {
  readonly #options: AgentProcessesOptions;
  readonly #running = new Set<Kept>();

  constructor(options: AgentProcessesOptions) {
    this.#options = options;
  }

  add(program: RunningProgram): ProgramRecord {
    const { clock } = this.#options;
    const now = clock.elapsed();
    const kept: Kept = { program, startedAt: now, usedAt: now };
    this.#running.add(kept);
    return {
      used: () => {
        kept.usedAt = clock.elapsed();
        kept.first ??= this.#memoryOf(program.pid);
      },
      ended: () => void this.#running.delete(kept),
      isGrown: async () => {
        const [first, needed] = await Promise.all([kept.first, this.#memoryOf(program.pid)]);
        return first !== undefined && needed !== undefined && needed > first * growth;
      },
    };
  }

  /**
   * Ends programs that rest until the limits hold with `more` programs: the one that rests longest first, and
   * those that could not find their conversations again last; they get the transcript.
   */
  async makeRoom(more: number): Promise<void> {
    const { count, memory } = this.#options.limits ?? usualLimits;
    for (;;) {
      const isFull = this.#running.size + more > count || (await this.#memory()) > memory;
      const oldest = isFull ? this.#resting() : undefined;
      if (!oldest) return;
      this.#running.delete(oldest);
      await oldest.program.end();
    }
  }

  async list(): Promise<readonly ProgramView[]> {
    const now = this.#options.clock.elapsed();
    return Promise.all(
      [...this.#running].map(async ({ program, startedAt, usedAt }) => {
        const { agent, name, cwd, pid } = program;
        const memory = await this.#memoryOf(pid);
        const view = { agent, name, cwd, pid, sessions: program.sessions(), busy: program.isWorking() };
        const times = { age: now - startedAt, idle: now - usedAt };
        return { ...view, ...times, ...(memory === undefined ? {} : { memory }) };
      }),
    );
  }

  #resting(): Kept | undefined {
    const resting = [...this.#running].filter(({ program }) => !program.isWorking());
    const oldest = resting.toSorted((one, other) => one.usedAt - other.usedAt);
    return oldest.find(({ program }) => program.canRestore()) ?? oldest[0];
  }

  async #memory(): Promise<number> {
    const all = await Promise.all([...this.#running].map(({ program }) => this.#memoryOf(program.pid)));
    return all.reduce((sum: number, each) => sum + (each ?? 0), 0);
  }

  async #memoryOf(pid: number | undefined): Promise<number | undefined> {
    return pid === undefined ? undefined : this.#options.memoryOf?.(pid);
  }
}
