// Keeps one running program per working directory and sandbox, for all sessions there: starts it when
// needed, restarts it after an exit, and stops it when idle. Stops restarting a program that keeps crashing.
import type { Problem, SessionId } from '../../../model/event.ts';
import { AgentProcess } from './agentProcess.ts';
import type { AgentProcessOptions } from './agentProcess.ts';
import type { AgentPorts, ProgramPlace } from './program.ts';
import type { AgentProcesses, ProgramRecord } from './agentProcesses.ts';

/** After this many crashes within this many milliseconds the pool gives up. */
const crashLimit = 5;
const crashWindow = 180_000;

/** A session that needs the program. */
interface Member {
  /** Its conversations. */
  users: number;
  /** Its turns. */
  working: number;
  entry: PoolEntry | undefined;
  /** Whether a client follows the session. */
  readonly isAttached: () => boolean;
}

interface PoolEntry {
  readonly place: ProgramPlace;
  readonly members: Set<Member>;
  crashes: number[];
  link: Promise<AgentProcess | Problem> | undefined;
  /** The last program, once it has answered. */
  running: AgentProcess | undefined;
  record: ProgramRecord | undefined;
  /** The end of the program before; the next one does not start beside it. */
  leaving: Promise<void>;
  wakeUp: () => void;
}

export interface ProcessPoolOptions extends Omit<AgentProcessOptions, keyof ProgramPlace> {
  /** Whether we run as the administrator. */
  readonly root: boolean;
  /** The programs of all agents. */
  readonly processes: AgentProcesses;
  readonly variables?: AgentPorts['variables'];
}

export class ProcessPool {
  readonly #options: ProcessPoolOptions;
  readonly #members = new Map<SessionId, Member>();
  readonly #entries = new Map<string, PoolEntry>();

  constructor(options: ProcessPoolOptions) {
    this.#options = options;
  }

  /** A conversation of the session begins to need the program; every `enter` wants its `leave`. */
  enter(session: SessionId, isAttached: () => boolean = () => false): void {
    const member = this.#members.get(session) ?? { users: 0, working: 0, entry: undefined, isAttached };
    member.users += 1;
    this.#members.set(session, member);
  }

  /** The program ends with the last session that needs it. */
  async leave(session: SessionId): Promise<void> {
    const member = this.#members.get(session);
    if (!member) return;
    member.users -= 1;
    if (member.users > 0) return;
    this.#members.delete(session);
    await this.#detach(member);
  }

  /** The program for a session, started if necessary. */
  async link(session: SessionId, place: ProgramPlace): Promise<AgentProcess | Problem> {
    const member = this.#members.get(session);
    if (!member) return { code: 'agent', message: 'The conversation is closed.' };
    const entry = this.#entryOf(place);
    if (member.entry && member.entry !== entry) void this.#detach(member);
    entry.members.add(member);
    member.entry = entry;
    while (entry.link) {
      const current = entry.link;
      const running = await current;
      // A start that failed for another caller has failed for this one too.
      if (!(running instanceof AgentProcess) || running.alive) return running;
      if (entry.link === current) entry.link = undefined;
    }
    const refused = this.#refusal(entry);
    if (refused) return refused;
    entry.link = this.#start(entry);
    return entry.link;
  }

  /** The program is hopeless: it is ended for all its sessions. The next one may start when it is gone. */
  async drop(session: SessionId): Promise<void> {
    const entry = this.#members.get(session)?.entry;
    const { name } = this.#options.program;
    const why =
      `${name} was ended for all sessions of this folder, because it did not answer when another session ` +
      'was stopped. Send your message again.';
    if (entry?.running) entry.running.droppedBy = session;
    if (entry) await this.#end(entry, why);
  }

  /**
   * A turn begins; the returned function ends it. A program that rests for long while no client follows its
   * sessions, and can find its conversations again, is let go; sooner if it has grown with
   * its sessions.
   */
  work(session: SessionId): () => void {
    const member = this.#members.get(session);
    if (!member) return () => {};
    member.entry?.wakeUp();
    member.working += 1;
    return () => {
      member.working -= 1;
      const { entry } = member;
      if (!entry || isWorking(entry)) return;
      entry.record?.used();
      this.#watchRest(entry);
      void this.#options.processes.makeRoom(0);
    };
  }

  #watchRest(entry: PoolEntry): void {
    const { clock, times } = this.#options;
    entry.wakeUp();
    const stops = [
      clock.after(times.grown, () => void this.#restIfGrown(entry)),
      clock.after(times.idle, () => void this.#rest(entry)),
    ];
    entry.wakeUp = () => stops.forEach((stop) => stop());
  }

  #entryOf(place: ProgramPlace): PoolEntry {
    const key = placeKey(place);
    const entry = this.#entries.get(key) ?? {
      place,
      members: new Set<Member>(),
      crashes: [],
      link: undefined,
      running: undefined,
      record: undefined,
      leaving: Promise.resolve(),
      wakeUp: () => {},
    };
    this.#entries.set(key, entry);
    return entry;
  }

  async #detach(member: Member): Promise<void> {
    const { entry } = member;
    member.entry = undefined;
    if (!entry?.members.delete(member) || entry.members.size > 0) return;
    entry.wakeUp();
    await this.#end(entry);
  }

  async #start(entry: PoolEntry): Promise<AgentProcess | Problem> {
    const { clock, processes } = this.#options;
    entry.running = undefined;
    await entry.leaving;
    await processes.makeRoom(1);
    const project = await this.#options.variables?.(entry.place);
    const started = await AgentProcess.start({ ...this.#options, ...entry.place, project });
    if (!(started instanceof AgentProcess)) {
      entry.crashes.push(clock.elapsed());
      entry.link = undefined;
      return started;
    }
    entry.running = started;
    const registered = this.#register(entry, started);
    entry.record = registered;
    void started.left.then(({ how }) => {
      registered.ended();
      if (how === 'crash' || (how === 'quiet' && started.busy)) entry.crashes.push(clock.elapsed());
      // Also end the processes that it left running.
      return started.close();
    });
    return started;
  }

  #register(entry: PoolEntry, { pid }: AgentProcess): ProgramRecord {
    const { program, processes } = this.#options;
    return processes.add({
      agent: program.id,
      name: program.name,
      cwd: entry.place.cwd,
      pid,
      sessions: () => entry.members.size,
      isWorking: () => isWorking(entry),
      canRestore: () => canRestore(entry),
      end: () => this.#end(entry),
    });
  }

  #refusal(entry: PoolEntry): Problem | undefined {
    const { program, clock, root } = this.#options;
    if (root && program.quirks?.root === 'refused')
      return {
        code: 'agent-start',
        message: `${program.name} does not run as the administrator. Start Parley as a regular user.`,
      };
    const now = clock.elapsed();
    entry.crashes = entry.crashes.filter((at) => now - at < crashWindow);
    if (entry.crashes.length < crashLimit) return undefined;
    const minutes = Math.max(1, Math.ceil((crashWindow - (now - (entry.crashes[0] ?? now))) / 60_000));
    return {
      code: 'agent-crashing',
      message:
        `${program.name} has failed ${entry.crashes.length} times within 3 minutes and is not started ` +
        `again for now. Try it with "parley agents test ${program.id}", then send your message again in ` +
        `${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
    };
  }

  /** What only one session needed is no leftover of others. */
  async #restIfGrown(entry: PoolEntry): Promise<void> {
    if (entry.members.size > 1 && (await entry.record?.isGrown())) await this.#rest(entry);
  }

  async #rest(entry: PoolEntry): Promise<void> {
    await entry.link;
    if (isWorking(entry) || !entry.running?.alive || !canRestore(entry)) return;
    if ([...entry.members].some(({ isAttached }) => isAttached())) this.#watchRest(entry);
    else await this.#end(entry);
  }

  /** One that has not answered yet ends when it does, and only the next one waits for that. */
  async #end(entry: PoolEntry, why?: string): Promise<void> {
    const { link } = entry;
    entry.link = undefined;
    if (link) entry.leaving = ended(entry.leaving, link, why);
    if (entry.running) await entry.leaving;
  }
}

/** Programs in the same place are the same program. */
function placeKey({ cwd, confined }: ProgramPlace): string {
  return JSON.stringify(confined ? [cwd, confined] : [cwd]);
}

function isWorking({ members }: PoolEntry): boolean {
  return [...members].some(({ working }) => working > 0);
}

/** Whether the program can find its conversations again after a restart. */
function canRestore({ running }: PoolEntry): boolean {
  if (!running) return false;
  const { loadSession, sessionCapabilities } = running.hello.agentCapabilities;
  return loadSession || sessionCapabilities.resume !== undefined;
}

async function ended(
  before: Promise<void>,
  link: Promise<AgentProcess | Problem>,
  why: string | undefined,
): Promise<void> {
  await before;
  const running = await link.catch(() => undefined);
  if (running instanceof AgentProcess) await running.close(why);
}
