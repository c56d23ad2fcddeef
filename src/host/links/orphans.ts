// Sessions whose owner has died with unfinished work in them. Those that this host follows come home
// together; others are claimed and read in small groups, so that hosts which follow them may be faster.
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
  /** The session if this host shows it and another one has it. */
  readonly followed: (session: SessionId) => FollowedSession | undefined;
  readonly open: (session: SessionId) => Promise<Session | Rejection>;
}

/** So many sessions are claimed and read at the same time. */
const groupSize = 8;

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
    const followed = new Map<SessionId, FollowedSession>();
    for (const id of sessions) {
      const known = this.#options.followed(id);
      if (known) followed.set(id, known);
    }
    for (const id of await this.#claim([...followed.keys()])) followed.get(id)?.comeHome();
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    try {
      for (let group = this.#nextGroup(); group.length > 0; group = this.#nextGroup())
        await Promise.all((await this.#claim(group)).map((id) => this.#tryToOpen(id)));
    } catch (error) {
      // Sessions that nobody has are told again when the database is back.
      this.#unread.clear();
      this.#report(error);
    } finally {
      this.#isReading = false;
    }
  }

  #nextGroup(): readonly SessionId[] {
    const group = [...this.#unread].slice(0, groupSize);
    for (const id of group) this.#unread.delete(id);
    return group;
  }

  async #claim(sessions: readonly SessionId[]): Promise<readonly SessionId[]> {
    const { shared } = this.#options.ports.store;
    return shared && sessions.length > 0 ? shared.claimFree(sessions) : sessions;
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
