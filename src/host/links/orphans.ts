// Sessions whose owner has died with unfinished work in them. Those that this host follows come home
// together; others are claimed and read a moment later and in small groups, so that hosts which follow them
// are faster: these need not read a whole log.
import { isRejection } from '../../model/command.ts';
import type { Rejection } from '../../model/command.ts';
import type { SessionId } from '../../model/event.ts';
import type { FollowedSession } from './followedSession.ts';
import { isAway } from '../session/logStore.ts';
import type { LogPorts } from '../session/logStore.ts';
import type { Session } from '../session/session.ts';

export interface OrphansOptions {
  readonly ports: LogPorts;
  readonly isOpen: (session: SessionId) => boolean;
  /** The session if this host shows it, and another one has or had it. */
  readonly followed: (session: SessionId) => FollowedSession | undefined;
  readonly open: (session: SessionId) => Promise<Session | Rejection>;
}

/** So many sessions are claimed with one statement, and then read at the same time. */
const groupSize = 8;

/** So many groups are under way at the same time: the database answers some while others are folded. */
const groupCount = 3;

/** How long hosts that follow a session may claim it first, in milliseconds. */
const followersFirst = 300;

/** The pause before a store that is away is asked again, in milliseconds. */
const retryPause = 500;

export class Orphans {
  readonly #options: OrphansOptions;
  /** Not open, and not claimed yet. */
  readonly #unread = new Set<SessionId>();
  #isReading = false;

  constructor(options: OrphansOptions) {
    this.#options = options;
  }

  /** Ends the turns of these sessions, unless another host is faster. */
  takeOver(sessions: readonly SessionId[]): void {
    const { isOpen } = this.#options;
    void this.#bringHome(sessions).catch((error: unknown) => this.#report(error));
    for (const id of sessions) if (!isOpen(id)) this.#unread.add(id);
    if (!this.#isReading) void this.#readAll();
  }

  async #bringHome(sessions: readonly SessionId[]): Promise<void> {
    const { followed } = this.#options;
    const mine = await this.#claim(sessions.filter((id) => followed(id) !== undefined));
    // One that has left memory meanwhile is read again.
    for (const id of mine) followed(id)?.comeHome();
    await Promise.all(mine.filter((id) => !followed(id)).map((id) => this.#tryToOpen(id)));
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    try {
      if (this.#options.ports.store.shared) await this.#pause(followersFirst);
      await Promise.all(Array.from({ length: groupCount }, () => this.#readGroups()));
    } catch (error) {
      this.#unread.clear();
      this.#report(error);
    } finally {
      this.#isReading = false;
    }
  }

  async #readGroups(): Promise<void> {
    for (let group = this.#nextGroup(); group.length > 0; group = this.#nextGroup())
      await Promise.all((await this.#claim(group)).map((id) => this.#tryToOpen(id)));
  }

  #nextGroup(): readonly SessionId[] {
    const group = [...this.#unread].slice(0, groupSize);
    for (const id of group) this.#unread.delete(id);
    return group;
  }

  /**
   * A claim whose answer is lost with the connection may have been carried out. Then nobody is told of the
   * sessions again, so it is repeated until there is an answer.
   */
  async #claim(sessions: readonly SessionId[]): Promise<readonly SessionId[]> {
    const { store } = this.#options.ports;
    for (;;) {
      try {
        return store.shared && sessions.length > 0 ? await store.shared.claimFree(sessions) : sessions;
      } catch (error) {
        if (!isAway(error)) throw error;
      }
      await this.#pause(retryPause);
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => void this.#options.ports.clock.after(milliseconds, resolve));
  }

  /** One that cannot be opened keeps no other from it. */
  #tryToOpen(id: SessionId): Promise<void> {
    return this.#open(id).catch((error: unknown) => this.#report(error));
  }

  /** It belongs to this host by now, so nobody else ends its turns. */
  async #open(id: SessionId): Promise<void> {
    for (;;) {
      const opened = await this.#options.open(id);
      if (!isRejection(opened) || opened.rejected !== 'unavailable') break;
    }
    // Somebody may have begun to open it while it was another host's.
    await this.#bringHome([id]);
  }

  #report(error: unknown): void {
    if (!isAway(error)) this.#options.ports.report(error, 'taking over sessions');
  }
}
