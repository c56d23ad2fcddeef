// Keeps one running program per session: starts it when needed, restarts it after an exit, and stops it when
// idle. Stops restarting a program that keeps crashing.
import type { Problem, SessionId } from '../../../model/event.ts';
import { AgentProcess } from './agentProcess.ts';
import type { AgentProcessOptions } from './agentProcess.ts';

/** After this many crashes within this many milliseconds the pool gives up. */
const crashLimit = 5;
const crashWindow = 180_000;

interface PoolEntry {
  users: number;
  working: number;
  crashes: number[];
  link: Promise<AgentProcess | Problem> | undefined;
  /** The end of the program before; the next one does not start beside it. */
  leaving: Promise<void>;
  wakeUp: () => void;
}

export interface ProcessPoolOptions extends Omit<AgentProcessOptions, 'cwd'> {
  /** Whether we run as the administrator. */
  readonly root: boolean;
}

export class ProcessPool {
  readonly #options: ProcessPoolOptions;
  readonly #kept = new Map<SessionId, PoolEntry>();

  constructor(options: ProcessPoolOptions) {
    this.#options = options;
  }

  /** A conversation of the session begins to need the program; every `enter` wants its `leave`. */
  enter(session: SessionId): void {
    const kept = this.#kept.get(session) ?? {
      users: 0,
      working: 0,
      crashes: [],
      link: undefined,
      leaving: Promise.resolve(),
      wakeUp: () => {},
    };
    kept.users += 1;
    this.#kept.set(session, kept);
  }

  async leave(session: SessionId): Promise<void> {
    const kept = this.#kept.get(session);
    if (!kept) return;
    kept.users -= 1;
    if (kept.users > 0) return;
    this.#kept.delete(session);
    kept.wakeUp();
    await this.#end(kept);
  }

  /** The program of a session, started if necessary. */
  async link(session: SessionId, cwd: string): Promise<AgentProcess | Problem> {
    const kept = this.#kept.get(session);
    if (!kept) return { code: 'agent', message: 'The conversation is closed.' };
    while (kept.link) {
      const current = kept.link;
      const running = await current;
      // A start that failed for another caller has failed for this one too.
      if (!(running instanceof AgentProcess) || running.alive) return running;
      if (kept.link === current) kept.link = undefined;
    }
    const refused = this.#refusal(kept);
    if (refused) return refused;
    kept.link = this.#start(kept, cwd);
    return kept.link;
  }

  /** The program is hopeless: it is ended, and the next one may start when it is gone. */
  async drop(session: SessionId): Promise<void> {
    const kept = this.#kept.get(session);
    if (kept) await this.#end(kept);
  }

  /**
   * A turn begins; the returned function ends it. A program that rests for long, and can find its
   * conversations again, is let go.
   */
  work(session: SessionId): () => void {
    const kept = this.#kept.get(session);
    if (!kept) return () => {};
    kept.wakeUp();
    kept.working += 1;
    return () => {
      kept.working -= 1;
      if (kept.working > 0) return;
      kept.wakeUp = this.#options.clock.after(this.#options.times.idle, () => void this.#rest(kept));
    };
  }

  async #start(kept: PoolEntry, cwd: string): Promise<AgentProcess | Problem> {
    await kept.leaving;
    const started = await AgentProcess.start({ ...this.#options, cwd });
    if (!(started instanceof AgentProcess)) {
      kept.crashes.push(this.#options.clock.elapsed());
      kept.link = undefined;
      return started;
    }
    void started.left.then(({ how }) => {
      if (how === 'crash' || (how === 'quiet' && started.busy))
        kept.crashes.push(this.#options.clock.elapsed());
      // Also end the processes that it left running.
      return started.close();
    });
    return started;
  }

  #refusal(kept: PoolEntry): Problem | undefined {
    const { program, clock, root } = this.#options;
    if (root && program.quirks?.root === 'refused')
      return {
        code: 'agent-start',
        message: `${program.name} does not run as the administrator. Start Parley as a regular user.`,
      };
    const now = clock.elapsed();
    kept.crashes = kept.crashes.filter((at) => now - at < crashWindow);
    if (kept.crashes.length < crashLimit) return undefined;
    const minutes = Math.max(1, Math.ceil((crashWindow - (now - (kept.crashes[0] ?? now))) / 60_000));
    return {
      code: 'agent-crashing',
      message:
        `${program.name} has failed ${kept.crashes.length} times within 3 minutes and is not started ` +
        `again for now. Try it with "parley agents test ${program.id}", then send your message again in ` +
        `${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
    };
  }

  async #rest(kept: PoolEntry): Promise<void> {
    const link = await kept.link;
    if (kept.working > 0 || !(link instanceof AgentProcess) || !link.alive) return;
    const { loadSession, sessionCapabilities } = link.hello.agentCapabilities;
    if (loadSession || sessionCapabilities.resume) await this.#end(kept);
  }

  #end(kept: PoolEntry): Promise<void> {
    const { link } = kept;
    kept.link = undefined;
    if (link) kept.leaving = ended(kept.leaving, link);
    return kept.leaving;
  }
}

async function ended(before: Promise<void>, link: Promise<AgentProcess | Problem>): Promise<void> {
  await before;
  const running = await link;
  if (running instanceof AgentProcess) await running.close();
}
