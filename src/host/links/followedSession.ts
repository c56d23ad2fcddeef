// A session that another host owns, shown by this one: entries are read from the store after the owner has
// stored them, and commands are carried to the owner. It becomes ours when its owner is gone or lets it go.
import { errorText } from '../../base/errorText.ts';
import { isRejection, reject } from '../../model/command.ts';
import type { Command, Rejection } from '../../model/command.ts';
import type { Entry, Origin } from '../../model/event.ts';
import type { State } from '../../model/state.ts';
import type { Clock, Ids } from '../ports.ts';
import { isTaken } from '../ownership/forwardable.ts';
import type { Carried } from '../ownership/forwardedCommands.ts';
import { LinkBroken, isGone } from '../ownership/hostLinks.ts';
import type { HostLink, LinkAnswer, SessionOwner } from '../ownership/hostLinks.ts';
import { OwnerPatience } from './ownerPatience.ts';
import { onceStoreAnswers } from './storePatience.ts';
import { LogDamage } from '../session/logStore.ts';
import type { LogPorts, SharedStore } from '../session/logStore.ts';
import type { Session } from '../session/session.ts';

export interface FollowedSessionOptions {
  readonly session: Session;
  /** The name of the owner, as far as it is known now. */
  readonly owner: string;
  readonly ports: FollowPorts;
  readonly shared: SharedStore;
  /** Keeps positions for entries that are published. */
  readonly makeRoom: (count: number) => Promise<void> | undefined;
  /** The store has made this host the owner: lets the session come home and its turns run. */
  readonly own: () => Promise<void>;
  /** Whether this host could work on the session, so that an idle one moves here when it is prompted. */
  readonly canWork: (state: State) => boolean;
  /** Whether the editor behind a command lends what only this host can use. */
  readonly lends: (command: Command) => boolean;
}

interface FollowPorts extends LogPorts {
  readonly clock: Clock;
  readonly ids: Ids;
}

interface QueuedCommand {
  readonly id: string;
  readonly command: Command;
  readonly by: Origin;
  readonly answer: (carried: Carried) => void;
}

/** The result of one attempt: the answer, or why there is none yet. */
type Tried = Carried | 'moved' | { readonly problem: string; readonly isGone: boolean };

/** How often the store is asked for news, in milliseconds: without a link, and with one. */
const pollWithout = 500;
const pollWith = 5_000;

/** How long a command waits for a host that lives and does not answer, or for the database. */
const patience = 15_000;

/** How often to check whether a host that does not answer still has its lease, in milliseconds. */
const leaseLook = 1_000;

/** The pause before a command is tried again, in milliseconds. */
const retryPause = 250;

/** How many entries are published at a time. */
const portion = 512;

export class FollowedSession {
  readonly #options: FollowedSessionOptions;
  #queue: QueuedCommand[] = [];
  #isWorking = false;
  /** Whether the store has made this host the owner. */
  #isOurs = false;
  #reading: Promise<void> | undefined;
  #readAgain = false;
  #recall: (() => void) | undefined;
  /** Ends the pause between two tries of a command. */
  #wake: (() => void) | undefined;
  /** The link over which news come, and whose lease it is for. */
  #link: { readonly lease: string; readonly link: HostLink; readonly leave: () => void } | undefined;
  #owner: string;
  #started = false;
  #ended = false;

  constructor(options: FollowedSessionOptions) {
    this.#options = options;
    this.#owner = options.owner;
    options.session.leaveTo(
      () => this.#owner,
      (command, by) => this.#carry(command, by),
    );
  }

  /** Follows the owner. Commands that came before wait until now. */
  start(): void {
    this.#started = true;
    this.#tick();
    this.#work();
  }

  stop(): void {
    this.#ended = true;
    this.#recall?.();
    this.#link?.leave();
    for (const { answer } of this.#queue.splice(0)) answer(reject('elsewhere', 'The host was stopped.'));
  }

  #carry(command: Command, by: Origin): Promise<Carried> {
    return new Promise((answer) => {
      this.#queue.push({ id: this.#options.ports.ids.next(), command, by, answer });
      this.#work();
    });
  }

  /** Whether the store has made this host the owner, so that the session works here as soon as it is read. */
  get isOurs(): boolean {
    return this.#isOurs;
  }

  /** The store has made this host the owner. */
  comeHome(): void {
    this.#isOurs = true;
    this.#wake?.();
    this.#work();
  }

  /** Publishes everything that is stored at the time of the call. */
  catchUp(): Promise<void> {
    this.#readAgain = true;
    this.#reading ??= this.#read();
    return this.#reading;
  }

  /**
   * The same, and waits for a database that is away: what was read last may be less than a client has seen
   * on another host. Resolves with a refusal if it stays away.
   */
  catchUpSurely(): Promise<Rejection | undefined> {
    return onceStoreAnswers(this.#options.ports.clock, async () => {
      try {
        await this.catchUp();
      } catch (error) {
        if (!(error instanceof LogDamage)) throw error;
      }
      return undefined;
    });
  }

  async #read(): Promise<void> {
    await Promise.resolve();
    try {
      while (this.#readAgain && !this.#ended) {
        this.#readAgain = false;
        await this.#readNews();
      }
    } finally {
      // In the same moment as the last look for a wish to read again, so that none is missed.
      this.#reading = undefined;
    }
  }

  async #readNews(): Promise<void> {
    const { session, ports } = this.#options;
    let piece: Entry[] = [];
    for await (const entry of ports.store.read(session.id, session.known, 'news')) {
      if (piece.push(entry) < portion) continue;
      await this.#publish(piece);
      piece = [];
    }
    await this.#publish(piece);
  }

  async #publish(entries: readonly Entry[]): Promise<void> {
    if (entries.length === 0) return;
    const { session, makeRoom } = this.#options;
    // Others may have used the room meanwhile.
    for (let made = makeRoom(entries.length); made; made = makeRoom(entries.length)) await made;
    if (!this.#ended) session.relay(entries);
  }

  #tick(): void {
    void this.#look().finally(() => {
      if (this.#ended) return;
      const wait = this.#link?.link.isUp ? pollWith : pollWithout;
      this.#recall?.();
      this.#recall = this.#options.ports.clock.after(wait, () => this.#tick());
    });
  }

  async #look(): Promise<void> {
    try {
      await this.#listen();
      await this.catchUp();
    } catch (error) {
      this.#tellDamage(error);
    }
  }

  /** A database that is away comes back; damage stays. */
  #tellDamage(error: unknown): void {
    const { ports, session } = this.#options;
    if (error instanceof LogDamage) ports.report(error, `following session ${session.id}`);
  }

  /** Lets the owner tell when it has stored something. */
  async #listen(): Promise<void> {
    const { shared, session } = this.#options;
    if (!shared.links || this.#link?.link.isUp) return;
    const owner = await shared.ownerOf(session.id);
    if (this.#ended || owner?.lease === this.#link?.lease) return;
    this.#link?.leave();
    this.#link = undefined;
    if (!owner?.address) return;
    this.#owner = owner.host;
    const link = shared.links.to(owner);
    const stored = () => void this.catchUp().catch(() => {});
    const gone = () => this.#lostOwner(owner.lease);
    const broke = () => this.#lookSoon();
    this.#link = { lease: owner.lease, link, leave: link.follow(session.id, { stored, gone, broke }) };
  }

  /** Nobody tells what is stored now. */
  #lookSoon(): void {
    if (this.#ended) return;
    this.#recall?.();
    this.#recall = this.#options.ports.clock.after(retryPause, () => this.#tick());
  }

  /** Looks for the next owner soon. */
  #lostOwner(lease: string): void {
    if (this.#ended || this.#link?.lease !== lease) return;
    this.#link.leave();
    this.#link = undefined;
    this.#lookSoon();
  }

  #work(): void {
    if (!this.#started || this.#isWorking) return;
    this.#isWorking = true;
    void this.#workAll().finally(() => {
      this.#isWorking = false;
    });
  }

  async #workAll(): Promise<void> {
    for (;;) {
      const first = this.#queue[0];
      if (this.#ended || (!first && !this.#isOurs)) return;
      const answer = first && !this.#isOurs ? await this.#deliver(first) : 'ours';
      if (answer === 'ours') {
        this.#isOurs = true;
        if (await this.#startHere()) return;
      } else if (first && this.#queue[0] === first) {
        this.#queue.shift();
        first.answer(answer);
      }
    }
  }

  /** Lets the session work here. Waiting commands run before any that come later. */
  async #startHere(): Promise<boolean> {
    const { session, own, ports } = this.#options;
    try {
      await own();
    } catch (error) {
      ports.report(error, `taking over session ${session.id}`);
      await this.#pause(1_000);
      return false;
    }
    this.#ended = true;
    this.#recall?.();
    this.#link?.leave();
    for (const { command, by, answer } of this.#queue.splice(0)) {
      const refused = isTaken(session.head, command) ? undefined : session.dispatch(command, by);
      answer(refused ?? { seq: session.head.seq });
    }
    return true;
  }

  /** The truth about the owner is in the store, so it is asked before each try. */
  async #deliver(queued: QueuedCommand): Promise<Carried | 'ours'> {
    const { ports, shared, session } = this.#options;
    const waiting = new OwnerPatience(ports.clock, patience);
    let mayMove = isPrompt(queued.command);
    while (!this.#isOurs) {
      const owner = await shared.claim(session.id).catch((error: unknown) => waiting.without(error));
      if (!owner) return 'ours';
      if ('rejected' in owner) return owner;
      if ('lease' in owner) {
        this.#owner = owner.host;
        const answer = await this.#try(owner, queued, mayMove);
        if (answer === 'moved') continue;
        if (!('problem' in answer)) return answer;
        mayMove &&= !answer.isGone;
        if (this.#ended || waiting.isOver(owner)) return unreachable(owner.host, answer.problem);
      }
      await this.#pause(retryPause);
    }
    return 'ours';
  }

  /** Asks the owner once. */
  async #try(owner: SessionOwner, queued: QueuedCommand, mayMove: boolean): Promise<Tried> {
    try {
      if (mayMove && (await this.#moves(owner))) return 'moved';
      const answer = await this.#ask(owner, queued);
      if (isRejection(answer) || !isGone(answer)) return answer;
      return { problem: 'It has just given the session up.', isGone: true };
    } catch (error) {
      const problem = errorText(error, String(error));
      return error instanceof LinkBroken ? { problem, isGone: false } : unreachable(owner.host, problem);
    }
  }

  /** An idle session moves to the host whose client prompts it. */
  async #moves(owner: SessionOwner): Promise<boolean> {
    const { session, shared, canWork } = this.#options;
    if (!owner.address || !shared.links || !isIdle(session.state) || !canWork(session.state)) return false;
    const letGo = shared.links.to(owner).letGo(session.id);
    return (await this.#whileOwned(owner, letGo)).value;
  }

  /** An answer counts as long as the owner has its lease: without it, it can store nothing. */
  async #whileOwned<T>(owner: SessionOwner, asked: Promise<T>): Promise<{ readonly value: T }> {
    const { shared, session } = this.#options;
    const answered = asked.then((value) => ({ value }));
    for (;;) {
      const answer = await Promise.race([answered, this.#pause(leaseLook)]);
      if (answer) return answer;
      if (this.#isOurs) throw new LinkBroken('It has lost the session.');
      const now = await shared.ownerOf(session.id).catch(() => owner);
      if (now?.lease !== owner.lease) throw new LinkBroken('It has lost the session.');
    }
  }

  async #ask(owner: SessionOwner, { id, command, by }: QueuedCommand): Promise<LinkAnswer> {
    const { shared, session, lends } = this.#options;
    if (!owner.address || !shared.links)
      return reject(
        'elsewhere',
        `Session ${session.id} is open on the host ${owner.host}, which takes no commands from other hosts. ` +
          'Close it there, or connect to that host.',
      );
    const link = shared.links.to(owner);
    const asked = link.command({
      id,
      session: session.id,
      command,
      by,
      ...(lends(command) ? { lends: true as const } : {}),
    });
    const { value: answer } = await this.#whileOwned(owner, asked);
    if ('seq' in answer) void this.catchUp().catch(() => {});
    return answer;
  }

  /** Ends early when the session is ours. */
  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const recall = this.#options.ports.clock.after(milliseconds, resolve);
      this.#wake = () => {
        recall();
        resolve();
      };
    });
  }
}

function unreachable(host: string, problem: string): Carried {
  return reject(
    'elsewhere',
    `The host ${host}, which has this session, did not answer: ${problem} Look at the session before you ` +
      'repeat this; it is shown as far as it is stored.',
  );
}

function isPrompt({ kind }: Command): boolean {
  return kind === 'startTurn' || kind === 'queueMessage' || kind === 'resumeTurn';
}

/** Whether nothing runs, has still to stop, or waits for an answer. */
export function isIdle({ chats }: State): boolean {
  return Object.values(chats).every(
    ({ active, stopping, asks, queue, steering }) =>
      !active && !stopping && Object.keys(asks).length === 0 && queue.length === 0 && steering.length === 0,
  );
}
