// One terminal, while it runs and while its output is stored. Output is batched, and a program that writes
// faster than followers can read is paused.
import type { Sink } from '../session/live.ts';
import { TerminalFollowers } from './terminalFollowers.ts';
import type { Clock, Ids } from '../ports.ts';
import type { Pty, PtyEnd } from './pty.ts';
import { ShellIntegration } from './shellIntegration.ts';
import type { ShellEvent } from './shellIntegration.ts';
import { mayClaim, mayUse } from './terminal.ts';
import type { Actor, Lifecycle, Owner, TerminalEvent, TerminalRefusal, TerminalState } from './terminal.ts';
import { TerminalContent } from './terminalContent.ts';

export interface TerminalFacts extends Pick<TerminalState, 'id' | 'cwd' | 'cols' | 'rows' | 'owner'> {
  readonly pty: Pty;
  /** A fixed title; programs cannot change it. */
  readonly title: string | undefined;
  /** Set for a terminal that runs one command line: all output belongs to it. */
  readonly commandLine: string | undefined;
}

export interface TerminalWorld {
  readonly clock: Clock;
  readonly ids: Ids;
  report(problem: unknown): void;
  /** The title, the owner or the end has changed. */
  changed(): void;
}

/** A batch with more characters pauses the program. */
const largestBatch = 262_144;

const longestTitle = 256;
const largestSize = 10_000;

export class LiveTerminal {
  readonly id: string;
  /** Resolves when the program has ended and all its output was delivered. */
  readonly ended: Promise<PtyEnd>;
  readonly #world: TerminalWorld;
  readonly #pty: Pty;
  readonly #shell: ShellIntegration;
  readonly #audience: TerminalFollowers;
  readonly #content = new TerminalContent();
  #state: Omit<TerminalState, 'content' | 'truncated'>;
  #titleFixed: boolean;
  #running: { readonly id: string; readonly startedAt: number } | undefined;
  #gathered: TerminalEvent[] = [];
  #size = 0;
  #beating = false;
  #paused = false;
  #over = false;
  #resolve: (end: PtyEnd) => void = () => {};

  constructor({ id, cwd, cols, rows, owner, pty, title, commandLine }: TerminalFacts, world: TerminalWorld) {
    this.id = id;
    this.#world = world;
    this.#pty = pty;
    this.#shell = new ShellIntegration(pty.nonce);
    this.#audience = new TerminalFollowers({
      clock: world.clock,
      report: (problem) => world.report(problem),
      state: () => this.state,
    });
    this.#state = {
      id,
      title: title ?? pty.name,
      cwd,
      cols,
      rows,
      owner,
      detected: false,
      lifecycle: { status: 'running' },
    };
    this.#titleFixed = title !== undefined;
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    if (commandLine !== undefined) this.#hear({ type: 'commandStarted', commandLine });
  }

  /** The state after every delivered event. */
  get state(): TerminalState {
    return { ...this.#state, content: this.#content.parts, truncated: this.#content.truncated };
  }

  get title(): string {
    return this.#state.title;
  }

  get cwd(): string {
    return this.#state.cwd;
  }

  get owner(): Owner {
    return this.#state.owner;
  }

  get lifecycle(): Lifecycle {
    return this.#state.lifecycle;
  }

  /** The stored output. */
  get text(): { readonly text: string; readonly truncated: boolean } {
    return { text: this.#content.text, truncated: this.#content.truncated };
  }

  /** Delivers every event after the current state; take the state in the same step. */
  attach(sink: Sink<TerminalEvent>): () => void {
    return this.#audience.add(sink);
  }

  write(text: string, by: Actor): TerminalRefusal | undefined {
    const refused = this.#check(by);
    if (refused || text === '') return refused;
    return this.#pty.write(text)
      ? undefined
      : { refused: 'busy', message: 'The program has not read its earlier input yet.' };
  }

  resize(
    { cols, rows }: { readonly cols: number; readonly rows: number },
    by: Actor,
  ): TerminalRefusal | undefined {
    const refused = this.#check(by);
    if (refused) return refused;
    if (![cols, rows].every((size) => Number.isInteger(size) && size > 0 && size <= largestSize))
      return { refused: 'invalid', message: 'A terminal cannot have that size.' };
    this.#pty.resize(cols, rows);
    this.#gather({ type: 'resized', cols, rows });
    return undefined;
  }

  rename(title: string, by: Actor): TerminalRefusal | undefined {
    const refused = this.#check(by, 'also-ended');
    if (refused) return refused;
    this.#titleFixed = true;
    this.#gather({ type: 'title', title: cleanTitle(title) });
    return undefined;
  }

  clear(by: Actor): TerminalRefusal | undefined {
    const refused = this.#check(by, 'also-ended');
    if (!refused) this.#gather({ type: 'cleared' });
    return refused;
  }

  /** Changes the owner immediately; followers get the event in order. */
  claim(owner: Owner, by: Actor): TerminalRefusal | undefined {
    if (!mayClaim(this.owner, by, owner)) return notYours;
    this.#state = { ...this.#state, owner };
    this.#gather({ type: 'claimed', owner });
    this.#world.changed();
    return undefined;
  }

  /** Ends the program and everything it started; `ended` resolves soon. */
  kill(by: Actor): TerminalRefusal | undefined {
    const refused = this.#check(by, 'also-ended');
    if (!refused && !this.#over) this.#pty.kill();
    return refused;
  }

  /** Called by the hub with output of the program. */
  read(text: string): void {
    for (const event of this.#shell.read(text)) this.#hear(event);
  }

  /** Called by the hub when the program has ended, after its last output. */
  exited(end: PtyEnd): void {
    for (const event of this.#shell.end()) this.#hear(event);
    this.#over = true;
    this.#hear({ type: 'commandFinished', exitCode: 'exitCode' in end ? end.exitCode : undefined });
    this.#gather({ type: 'exited', end });
  }

  #check(by: Actor, when: 'running' | 'also-ended' = 'running'): TerminalRefusal | undefined {
    if (!mayUse(this.owner, by)) return notYours;
    return this.#over && when === 'running'
      ? { refused: 'ended', message: 'The program in this terminal has ended.' }
      : undefined;
  }

  #hear(event: ShellEvent): void {
    switch (event.type) {
      case 'data':
      case 'detected':
        return this.#gather(event);
      case 'cwdChanged':
        return this.#gather({ type: 'cwd', cwd: event.cwd });
      case 'titleChanged':
        return void (this.#titleFixed || this.#gather({ type: 'title', title: cleanTitle(event.title) }));
      case 'commandStarted':
        return this.#begin(event.commandLine);
      case 'commandFinished':
        return this.#finish(event.exitCode);
      default:
        return event satisfies never;
    }
  }

  #begin(commandLine: string): void {
    this.#finish(undefined);
    this.#running = { id: this.#world.ids.next(), startedAt: this.#world.clock.now() };
    this.#gather({ type: 'commandStarted', commandLine, ...this.#running });
  }

  #finish(exitCode: number | undefined): void {
    if (!this.#running) return;
    const { id, startedAt } = this.#running;
    this.#running = undefined;
    this.#gather({
      type: 'commandFinished',
      id,
      exitCode,
      durationMs: Math.max(0, this.#world.clock.now() - startedAt),
    });
  }

  #gather(event: TerminalEvent): void {
    const last = this.#gathered.at(-1);
    if (event.type === 'data' && last?.type === 'data')
      this.#gathered[this.#gathered.length - 1] = { type: 'data', text: last.text + event.text };
    else this.#gathered.push(event);
    // Events also cost memory, and a program can cause any number of them.
    this.#size += event.type === 'data' ? event.text.length : 256;
    if (this.#size > largestBatch) this.#pause();
    if (this.#beating) return;
    this.#beating = true;
    this.#world.clock.defer(() => {
      if (!this.#audience.whenReady(() => this.#handOn())) this.#pause();
    });
  }

  #handOn(): void {
    const events = this.#gathered;
    this.#gathered = [];
    this.#size = 0;
    this.#beating = false;
    this.#audience.tell(events.filter((event) => this.#apply(event)));
    for (const event of events) if (event.type === 'exited') this.#resolve(event.end);
    if (!this.#paused) return;
    this.#paused = false;
    this.#pty.resume();
  }

  #pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#pty.pause();
  }

  /** Applies an event to the state and returns whether anything changed. */
  #apply(event: TerminalEvent): boolean {
    switch (event.type) {
      case 'data':
        return done(this.#content.append(event.text));
      case 'commandStarted':
        return done(this.#content.begin(event));
      case 'commandFinished':
        return done(this.#content.finish(event.id, event));
      case 'cleared':
        return done(this.#content.clear());
      case 'title':
        return event.title !== this.title && this.#set({ title: event.title });
      case 'cwd':
        return event.cwd !== this.cwd && this.#set({ cwd: event.cwd });
      case 'detected':
        return this.#set({ detected: true });
      case 'resized':
        return this.#set({ cols: event.cols, rows: event.rows });
      case 'exited':
        return this.#set({ lifecycle: { status: 'exited', end: event.end } });
      case 'claimed':
      case 'restarted':
        return true;
      default:
        return event satisfies never;
    }
  }

  #set(changes: Partial<TerminalState>): boolean {
    this.#state = { ...this.#state, ...changes };
    if (changes.title !== undefined || changes.lifecycle) this.#world.changed();
    return true;
  }
}

const notYours: TerminalRefusal = {
  refused: 'not-yours',
  message: 'This terminal belongs to another owner.',
};

function done(_: void): true {
  return true;
}

function cleanTitle(title: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what is taken out
  return title.replace(/[\u0000-\u001f\u007f-\u009f]/g, '').slice(0, longestTitle);
}
