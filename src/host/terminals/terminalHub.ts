// The terminals of the host: opens them, finds them by id, limits their number, and ends them.
import { isRejection } from '../../model/command.ts';
import type { Rejection } from '../../model/command.ts';
import type { SessionId } from '../../model/event.ts';
import type { CatalogueChange } from '../session/catalogue.ts';
import { LiveTerminal } from './liveTerminal.ts';
import type { TerminalWorld } from './liveTerminal.ts';
import type { Sink } from '../session/live.ts';
import type { Clock, Confinement, Ids } from '../ports.ts';
import type { Program, Terminals } from './pty.ts';
import type { Session } from '../session/session.ts';
import type { Actor, Owner, TerminalEvent, TerminalRefusal } from './terminal.ts';

export interface NewTerminal {
  /** The caller may choose it. */
  readonly id?: string;
  /** A fixed title; programs cannot change it. */
  readonly title?: string;
  /** The user's shell if absent. */
  readonly program?: Program;
  /** An absolute path. */
  readonly cwd: string;
  readonly env?: { readonly [name: string]: string };
  /** Set if the program runs in the sandbox. */
  readonly confined?: Confinement | undefined;
  readonly cols?: number;
  readonly rows?: number;
  readonly owner: Owner;
  /** Gets every event from the first one on. */
  readonly follower?: Sink<TerminalEvent>;
}

/** A change for lists of terminals. */
export interface TerminalChange {
  readonly kind: 'opened' | 'changed' | 'removed';
  readonly id: string;
}

/** What terminals need of the host. */
export interface TerminalHost {
  readonly clock: Clock;
  readonly ids: Ids;
  open(session: SessionId): Promise<Session | Rejection>;
  follow(follower: (change: CatalogueChange) => void): () => void;
  report(problem: unknown, about: string): void;
}

export interface TerminalLimits {
  /** How many may run at the same time, in total and for one owner. */
  readonly running: number;
  readonly each: number;
  /** How many are stored, including ended ones. */
  readonly remembered: number;
}

const usualLimits: TerminalLimits = { running: 64, each: 24, remembered: 128 };

/** How long closing waits for programs that cannot be killed, in milliseconds. */
const longestEnd = 15_000;

export class TerminalHub {
  readonly #host: TerminalHost;
  readonly #port: Terminals;
  readonly #limits: TerminalLimits;
  readonly #terminals = new Map<string, LiveTerminal>();
  /** Terminals that are being opened, by id. */
  readonly #opening = new Map<string, { readonly owner: Owner; readonly done: Promise<unknown> }>();
  readonly #followers = new Set<(change: TerminalChange) => void>();
  readonly #unfollow: () => void;
  #closed = false;

  constructor(host: TerminalHost, port: Terminals, limits: Partial<TerminalLimits> = {}) {
    this.#host = host;
    this.#port = port;
    this.#limits = { ...usualLimits, ...limits };
    this.#unfollow = host.follow((change) => {
      if (change.kind === 'removed') this.#forgetSession(change.id);
    });
  }

  /** All terminals in the order they were opened. */
  list(): readonly LiveTerminal[] {
    return [...this.#terminals.values()];
  }

  get(id: string): LiveTerminal | undefined {
    return this.#terminals.get(id);
  }

  /** Whether a terminal of a session is running. */
  runsIn(session: SessionId): boolean {
    return this.list().some(
      ({ owner, state }) =>
        owner.kind === 'session' && owner.session === session && state.lifecycle.status === 'running',
    );
  }

  /** Calls back when a terminal was opened or removed, or its title, owner or end has changed. */
  follow(follower: (change: TerminalChange) => void): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  async open(wish: NewTerminal): Promise<LiveTerminal | TerminalRefusal> {
    const id = wish.id ?? this.#host.ids.next();
    const refused = this.#check(id, wish);
    if (refused) return refused;
    const done = this.#start(id, wish).finally(() => this.#opening.delete(id));
    this.#opening.set(id, { owner: wish.owner, done });
    return done;
  }

  /** Ends and removes a terminal; resolves when it has ended. */
  async remove(id: string, by: Actor): Promise<TerminalRefusal | undefined> {
    const terminal = this.#terminals.get(id);
    if (!terminal) return { refused: 'not-found', message: 'There is no such terminal.' };
    const refused = terminal.kill(by);
    if (refused) return refused;
    await terminal.ended;
    this.#forget(id);
    return undefined;
  }

  /**
   * Ends all terminals and refuses new ones; resolves when all have ended. Call it before closing the host.
   */
  async close(): Promise<void> {
    this.#closed = true;
    this.#unfollow();
    const gone = Promise.allSettled([...this.#opening.values()].map(({ done }) => done)).then(() =>
      Promise.all(this.list().map((terminal) => this.remove(terminal.id, { kind: 'host' }))),
    );
    let giveUp = () => {};
    const late = new Promise<void>((resolve) => {
      giveUp = this.#host.clock.after(longestEnd, resolve);
    });
    await Promise.race([gone, late]);
    giveUp();
  }

  #check(id: string, { owner, cwd }: NewTerminal): TerminalRefusal | undefined {
    if (this.#closed) return closing;
    if (!validId.test(id))
      return {
        refused: 'invalid',
        message: 'A terminal id is 1 to 256 characters without blanks or control characters.',
      };
    if (this.#terminals.has(id) || this.#opening.has(id))
      return { refused: 'already-exists', message: `Terminal ${id} already exists.` };
    if (cwd.includes('\0')) return { refused: 'invalid', message: 'A path cannot hold a null character.' };
    const owners = [
      ...this.list().flatMap((terminal) => (terminal.lifecycle.status === 'running' ? [terminal.owner] : [])),
      ...[...this.#opening.values()].map(({ owner: other }) => other),
    ];
    const same = owners.filter((other) => ownerName(other) === ownerName(owner));
    if (owners.length < this.#limits.running && same.length < this.#limits.each) return undefined;
    return {
      refused: 'too-many',
      message:
        `Too many terminals are open: ${owners.length}, ${same.length} of them by this owner. ` +
        'Close one first.',
    };
  }

  async #start(id: string, wish: NewTerminal): Promise<LiveTerminal | TerminalRefusal> {
    const refused = await this.#checkOwner(wish.owner);
    if (refused) return refused;
    const { program = { kind: 'shell' }, cwd, env = {}, cols = 80, rows = 24, owner, title, confined } = wish;
    const early: ((terminal: LiveTerminal) => void)[] = [];
    let hear = (word: (terminal: LiveTerminal) => void): void => void early.push(word);
    const pty = await this.#port.open({
      program,
      cwd,
      env,
      confined,
      cols,
      rows,
      data: (text) => hear((terminal) => terminal.read(text)),
      exited: (end) => hear((terminal) => terminal.exited(end)),
    });
    if ('problem' in pty) return { refused: pty.problem, message: pty.message };
    const commandLine = program.kind === 'command' ? program.line : undefined;
    const terminal = new LiveTerminal(
      { id, pty, owner, cwd, cols, rows, title, commandLine },
      this.#worldOf(id),
    );
    this.#makeRoom();
    this.#terminals.set(id, terminal);
    if (wish.follower) terminal.attach(wish.follower);
    hear = (word) => word(terminal);
    early.forEach(hear);
    this.#tell({ kind: 'opened', id });
    if (!this.#closed) return terminal;
    await this.remove(id, { kind: 'host' });
    return closing;
  }

  #worldOf(id: string): TerminalWorld {
    return {
      clock: this.#host.clock,
      ids: this.#host.ids,
      report: (problem) => this.#host.report(problem, `terminal ${id}`),
      changed: () => {
        if (this.#terminals.has(id)) this.#tell({ kind: 'changed', id });
      },
    };
  }

  async #checkOwner(owner: Owner): Promise<TerminalRefusal | undefined> {
    if (owner.kind === 'client') return undefined;
    const session = await this.#host.open(owner.session);
    if (isRejection(session)) return { refused: 'not-found', message: session.message };
    return Object.hasOwn(session.head.chats, owner.chat)
      ? undefined
      : { refused: 'not-found', message: `There is no chat ${owner.chat} in this session.` };
  }

  /** Removes the terminals that ended first. */
  #makeRoom(): void {
    const over = this.#terminals.size + 1 - this.#limits.remembered;
    const ended = this.list().filter(({ lifecycle }) => lifecycle.status === 'exited');
    for (const { id } of ended.slice(0, Math.max(0, over))) this.#forget(id);
  }

  #forget(id: string): void {
    if (this.#terminals.delete(id)) this.#tell({ kind: 'removed', id });
  }

  #forgetSession(session: SessionId): void {
    for (const { id, owner } of this.list())
      if (owner.kind === 'session' && owner.session === session) void this.remove(id, { kind: 'host' });
  }

  #tell(change: TerminalChange): void {
    for (const follower of [...this.#followers]) {
      try {
        follower(change);
      } catch (error) {
        this.#host.report(error, 'a follower of the terminals');
      }
    }
  }
}

const closing: TerminalRefusal = { refused: 'unavailable', message: 'The host is closing.' };

function ownerName(owner: Owner): string {
  return owner.kind === 'client' ? `client ${owner.client}` : `session ${owner.session}`;
}

// oxlint-disable-next-line no-control-regex -- control characters are exactly what is refused
const validId = /^[^\s\u0000-\u001f\u007f]{1,256}$/u;
