// The background jobs of all sessions: command lines that outlive their tool call, until they end, are
// killed, or their chat is removed.
import type { ChatId, SessionId, ToolId } from '../../model/event.ts';
import { jobLines } from './jobLines.ts';
import type { JobLine, JobLines } from './jobLines.ts';
import type { ProgramEnd, Programs, RunningProgram } from '../terminals/programs.ts';
import type { Clock, Confinement, Shell } from '../ports.ts';

export interface Job extends NewJob {
  /** `job-` and a number that is unique in this host. */
  readonly id: string;
  readonly status: 'running' | 'completed' | 'failed' | 'killed';
  /** Null while it runs, and if a signal ended it. */
  readonly exitCode: number | null;
  readonly startedAt: number;
  readonly endedAt?: number;
  /** Set once a client has ended its input. */
  readonly inputEnded?: true;
  /** Its chat was told in a separate message that it has ended. */
  readonly announced?: true;
}

export interface NewJob extends JobOwner {
  readonly tool: ToolId;
  /** What it is for, in a few words. */
  readonly label: string;
  readonly command: string;
  readonly cwd: string;
  /** The shell that runs the command, if not the default one. */
  readonly shell?: Shell | undefined;
  /** Clients can write to its standard input; without it there is none. */
  readonly interactive?: boolean | undefined;
  /** Additional environment variables. */
  readonly env?: { readonly [name: string]: string };
  /** Set if it runs in the sandbox. */
  readonly confined?: Confinement;
}

interface JobOwner {
  readonly session: SessionId;
  readonly chat: ChatId;
}

/** How many may run in a session at the same time. */
const mostRunning = 10;

/** How long an ended job can be read, in milliseconds, and how many of a session at most. */
const retention = 30 * 60_000;
const mostEnded = 20;

interface JobEntry {
  job: Job;
  readonly lines: JobLines;
  readonly program: RunningProgram;
  /** Resolves when all of its processes have ended. */
  readonly over: Promise<void>;
  /** How many complete lines its chat has read. */
  read: number;
  /** Whether its chat was told that it has ended. */
  told: boolean;
  recall?: () => void;
}

export class Jobs {
  readonly #programs: Programs | undefined;
  readonly #clock: Clock;
  readonly #jobs = new Map<string, JobEntry>();
  readonly #watchers = new Set<() => void>();
  #count = 0;

  constructor({ programs, clock }: { readonly programs?: Programs | undefined; readonly clock: Clock }) {
    this.#programs = programs;
    this.#clock = clock;
  }

  /** `onOutput` is called as output arrives, also after the call that started the job. */
  start(wanted: NewJob, onOutput: (text: string) => void = () => {}): Job | { readonly refused: string } {
    if (!this.#programs) return { refused: 'This host cannot run background jobs.' };
    if (this.list(wanted).filter(({ status }) => status === 'running').length >= mostRunning) {
      return { refused: `${mostRunning} background jobs are running already; kill one of them first.` };
    }
    this.#count += 1;
    const job: Job = {
      ...wanted,
      id: `job-${this.#count}`,
      status: 'running',
      exitCode: null,
      startedAt: this.#clock.now(),
    };
    const lines = jobLines();
    const program = this.#programs.start({
      ...(wanted.shell
        ? { command: wanted.shell.path, args: [...wanted.shell.args, wanted.command] }
        : { command: wanted.command, args: [] }),
      cwd: wanted.cwd,
      ...(wanted.env ? { env: wanted.env } : {}),
      confined: wanted.confined,
      interactive: wanted.interactive,
      output: (text, stream) => {
        lines.add(text, stream);
        onOutput(text);
      },
    });
    const entry: JobEntry = {
      job,
      lines,
      program,
      read: 0,
      told: false,
      over: program.ended.then((end) => this.#ended(job.id, end)),
    };
    this.#jobs.set(job.id, entry);
    this.#tell();
    return job;
  }

  /** All jobs, or those of one session, in the order they were started. */
  list(of?: { readonly session: SessionId }): readonly Job[] {
    return [...this.#jobs.values()]
      .map(({ job }) => job)
      .filter(({ session }) => of === undefined || session === of.session);
  }

  /** The job and the output that is still stored. */
  read(id: string): { readonly job: Job; readonly lines: readonly JobLine[] } | undefined {
    const found = this.#jobs.get(id);
    return found && { job: found.job, lines: found.lines.since(0) };
  }

  /** The output that its chat has not read yet. */
  readOn(
    id: string,
    { session }: { readonly session: SessionId },
  ): { readonly job: Job; readonly lines: readonly JobLine[]; readonly missed: number } | undefined {
    const found = this.#jobs.get(id);
    if (found?.job.session !== session) return undefined;
    const lines = found.lines.since(found.read);
    const missed = Math.max(0, found.lines.dropped - found.read);
    found.read = found.lines.ended;
    found.told ||= found.job.status !== 'running';
    return { job: found.job, lines, missed };
  }

  /** Writes to its standard input, or ends that with null. False if it is not open; `by` names the writer. */
  write(id: string, text: string | null, by: string): boolean {
    const found = this.#jobs.get(id);
    if (!found || !takesInput(found.job) || !found.program.input?.(text)) return false;
    found.lines.remark(`[${by} ${text === null ? 'ended the input' : `wrote ${counted(text.length)}`}]`);
    if (text === null) this.#change(found, { ...found.job, inputEnded: true });
    return true;
  }

  /** Resolves when all of its processes have ended; false if it was not running. */
  async kill(id: string): Promise<boolean> {
    const found = this.#jobs.get(id);
    if (found?.job.status !== 'running') return false;
    this.#change(found, { ...found.job, status: 'killed', endedAt: this.#clock.now() });
    found.program.kill();
    await found.over;
    return true;
  }

  /** The jobs of a chat that have ended since the last call, each with its last lines. */
  news({ session, chat }: JobOwner): readonly { readonly job: Job; readonly lines: readonly JobLine[] }[] {
    const fresh = [...this.#jobs.values()].filter(
      ({ job, told }) => !told && job.status !== 'running' && job.session === session && job.chat === chat,
    );
    return fresh.map((found) => {
      found.told = true;
      found.job = { ...found.job, announced: true };
      return {
        job: found.job,
        lines: found.lines.since(Math.max(found.read, found.lines.ended - newsLines)),
      };
    });
  }

  /** Calls back when a job starts, ends or is forgotten. */
  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => void this.#watchers.delete(changed);
  }

  /**
   * Ends and forgets the jobs of a session, of one chat, or all; resolves when their processes have ended.
   */
  async reap(of?: { readonly session: SessionId; readonly chat?: ChatId }): Promise<void> {
    const gone = [...this.#jobs.values()].filter(
      ({ job }) =>
        of === undefined || (job.session === of.session && (of.chat === undefined || of.chat === job.chat)),
    );
    await Promise.all(gone.map(({ job }) => this.kill(job.id)));
    for (const { job } of gone) this.#forget(job.id);
  }

  #ended(id: string, end: ProgramEnd): void {
    const found = this.#jobs.get(id);
    if (!found) return;
    const exitCode = end.kind === 'exited' ? end.code : null;
    // A killed job has its status already.
    if (found.job.status === 'running')
      this.#change(found, {
        ...found.job,
        status: exitCode === 0 ? 'completed' : 'failed',
        exitCode,
        endedAt: this.#clock.now(),
      });
    found.recall = this.#clock.after(retention, () => this.#forget(id));
    const ended = this.list(found.job).filter(({ status }) => status !== 'running');
    for (const old of ended.slice(0, -mostEnded)) this.#forget(old.id);
  }

  #change(found: JobEntry, job: Job): void {
    found.job = job;
    this.#tell();
  }

  #forget(id: string): void {
    this.#jobs.get(id)?.recall?.();
    if (this.#jobs.delete(id)) this.#tell();
  }

  #tell(): void {
    for (const changed of [...this.#watchers]) changed();
  }
}

function counted(characters: number): string {
  return characters === 1 ? '1 character' : `${characters} characters`;
}

/** Whether its standard input is open. */
export function takesInput({ interactive, inputEnded, status }: Job): boolean {
  return interactive === true && !inputEnded && status === 'running';
}

/** How many last lines of an ended job its chat gets. */
const newsLines = 20;
