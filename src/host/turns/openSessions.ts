// The open sessions: those of this host with the runner of their turns, and those that other hosts own. A
// session is read from its log on first use; of the idle ones without clients the last used stay in memory.
import { isRejection, reject } from '../../model/command.ts';
import type { Command, Rejection } from '../../model/command.ts';
import type { SessionId } from '../../model/event.ts';
import { emptyState } from '../../model/state.ts';
import type { State } from '../../model/state.ts';
import type { Catalogue } from '../session/catalogue.ts';
import { changedLines } from '../session/changedLines.ts';
import { onlyAtOwner } from '../ownership/forwardable.ts';
import { foldLog } from '../session/foldLog.ts';
import type { StoredPart } from '../session/foldLog.ts';
import type { Journal } from '../session/journal.ts';
import type { SessionOwner } from '../ownership/hostLinks.ts';
import { LogNewer } from '../session/logStore.ts';
import type { LogDamage, SharedStore } from '../session/logStore.ts';
import { checkAutonomy } from './checkAutonomy.ts';
import { Session } from '../session/session.ts';
import type { Step } from '../session/session.ts';
import { FollowedSession, isIdle } from '../links/followedSession.ts';
import { keepStates } from '../links/stateKeeper.ts';
import { onceStoreAnswers } from '../links/storePatience.ts';
import type { World } from '../world.ts';
import { Orphans } from '../links/orphans.ts';
import type { Runner } from './runner.ts';

export interface OpenSessionsOptions {
  readonly world: World;
  readonly journal: Journal;
  readonly catalogue: Catalogue;
  /** Makes the runner of a session. */
  readonly runnerOf: (session: Session) => Runner;
  readonly locality: Locality;
}

/** What ties a session to a host. */
export interface Locality {
  /** Whether something of a session lives on this host that cannot move, such as a background job. */
  keeps(session: SessionId): boolean;
  /** Whether this host has the folders and the agent of a session. */
  canWork(state: State): boolean;
  /** Whether the editor behind a command lends what only this host can use. */
  lends(session: SessionId, command: Command): boolean;
  /** This host has given a session up. */
  gaveUp(session: SessionId): void;
}

/** Belongs to this host if it has a runner, and to another one if it is followed. */
interface OpenSession {
  readonly session: Session;
  runner?: Runner | undefined;
  followed?: FollowedSession | undefined;
  /** When somebody last asked for it, by the clock that only goes forward. */
  usedAt: number;
}

/** So many idle sessions without clients stay in memory. */
const idleLimit = 64;

/** How long a session stays open after a request, since its client may use it soon. In milliseconds. */
const useTime = 60_000;

export class OpenSessions {
  readonly #options: OpenSessionsOptions;
  /** The one that was used last comes last. */
  readonly #open = new Map<SessionId, OpenSession>();
  readonly #opening = new Map<SessionId, Promise<Session | Rejection>>();
  readonly #releasing = new Map<SessionId, Promise<void>>();
  readonly #orphans: Orphans;

  constructor(options: OpenSessionsOptions) {
    this.#options = options;
    this.#orphans = new Orphans({
      ports: options.world,
      isOpen: (id) => this.has(id),
      followed: (id) => (this.#releasing.has(id) ? undefined : this.#open.get(id)?.followed),
      open: (id) => this.open(id),
    });
  }

  has(id: SessionId): boolean {
    return this.#open.has(id);
  }

  get(id: SessionId): Session | undefined {
    return this.#use(id)?.session;
  }

  /** The session if it is open and belongs to this host. */
  owned(id: SessionId): Session | undefined {
    const known = this.#open.get(id);
    return known?.runner && !this.#releasing.has(id) ? known.session : undefined;
  }

  /** The owners of these sessions are gone and have left work in them. */
  takeOver(sessions: readonly SessionId[]): void {
    this.#orphans.takeOver(sessions);
  }

  /** Another host has removed a session. */
  drop(id: SessionId): void {
    this.#open.get(id)?.followed?.stop();
    if (!this.#open.get(id)?.runner) this.#open.delete(id);
  }

  all(): readonly Session[] {
    return [...this.#open.values()].map(({ session }) => session);
  }

  /** A session without entries, which is neither open nor listed yet. */
  create(id: SessionId): Session {
    return this.#newSession(emptyState(id));
  }

  /** The session, read from its log if it is not open. */
  open(id: SessionId): Promise<Session | Rejection> {
    const known = this.#use(id);
    const leaving = this.#releasing.get(id);
    if (leaving) return leaving.then(() => this.open(id));
    if (known?.followed) return upToDate(known.session, known.followed);
    if (known) return Promise.resolve(known.session);
    if (!this.#options.catalogue.has(id)) return Promise.resolve(unknownSession(id));
    const opening = this.#opening.get(id) ?? this.#read(id).finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  /** Lets the turns of the session run, and its summary follow its state. */
  attach(session: Session): Session {
    this.#list(session);
    this.#open.set(session.id, { session, runner: this.#options.runnerOf(session), usedAt: this.#now });
    return session;
  }

  #list(session: Session, stored?: StoredPart): void {
    const { world, catalogue } = this.#options;
    session.follow((steps) => {
      if (steps.some(changesSummary)) catalogue.update(session.summary());
    }, 'host');
    const { store } = world;
    keepStates(session, { stored, store, isOurs: () => this.owned(session.id) === session });
  }

  /** Lists a session that was created from events, when they are stored. */
  async adopt(session: Session): Promise<Session> {
    await session.settled();
    this.attach(session);
    this.#options.catalogue.update(session.summary());
    return session;
  }

  release(id: SessionId, how: 'release' | 'forget' = 'release'): Promise<void> {
    const leaving =
      this.#releasing.get(id) ?? this.#release(id, how).finally(() => this.#releasing.delete(id));
    this.#releasing.set(id, leaving);
    return leaving;
  }

  /** Makes this host the owner of a session that is free or idle; says why not if another host has it. */
  async claim(id: SessionId): Promise<Rejection | undefined> {
    const { shared } = this.#options.world.store;
    let owner = await shared?.claim(id);
    if (owner && (await this.#asks(owner, id))) owner = await shared?.claim(id);
    return owner && ownedElsewhere(id, owner);
  }

  /**
   * Lets another host have a session on which nothing works. Clients of this host follow it from then on, or
   * may soon do so. False if it stays here.
   */
  async letGo(id: SessionId, to: string): Promise<boolean> {
    const known = this.#open.get(id);
    const { world, locality } = this.#options;
    const { shared } = world.store;
    if (!shared || !known?.runner || this.#releasing.has(id) || known.runner.busy) return false;
    const { session, runner } = known;
    if (!session.settledNow || !isIdle(session.head) || session.unreadable || locality.keeps(id))
      return false;
    if (!session.isWatched && this.#isUnasked(known)) await this.release(id);
    else {
      known.runner = undefined;
      known.followed = this.#followed(known, { shared, owner: to });
      await runner.close();
      // As long as the database is away, nobody can have it.
      for (let isFree = false; !isFree;)
        isFree = !isRejection(await onceStoreAnswers(world.clock, () => shared.release(id)));
      locality.gaveUp(id);
      known.followed.start();
    }
    return true;
  }

  /** Ends the turns of all sessions, and tells their clients. */
  async endTurns(): Promise<void> {
    await Promise.all([...this.#open.values()].map(async ({ runner }) => runner?.endTurns()));
  }

  async releaseAll(): Promise<void> {
    await Promise.allSettled(this.#opening.values());
    await Promise.all([...this.#open.keys(), ...this.#releasing.keys()].map((id) => this.release(id)));
  }

  async #asks({ address, ...owner }: SessionOwner, id: SessionId): Promise<boolean> {
    const links = this.#options.world.store.shared?.links;
    return address && links
      ? links
          .to({ ...owner, address })
          .letGo(id)
          .catch(() => false)
      : false;
  }

  async #release(id: SessionId, how: 'release' | 'forget'): Promise<void> {
    const { world, locality } = this.#options;
    const known = this.#open.get(id);
    known?.followed?.stop();
    await known?.runner?.close(how);
    await known?.session.settled().catch(() => {});
    if (known?.runner && how === 'release')
      await world.store.shared
        ?.release(id)
        .catch((error: unknown) => world.report(error, `giving up session ${id}`));
    if (known?.runner) locality.gaveUp(id);
    known?.session.close();
    this.#open.delete(id);
  }

  async #read(id: SessionId): Promise<Session | Rejection> {
    const { world } = this.#options;
    const { shared } = world.store;
    const read = async () => ({ owner: await shared?.claim(id), ...(await foldLog(world, id)) });
    const found = await onceStoreAnswers(world.clock, read);
    if (isRejection(found)) return found;
    const { owner, state, unreadable, stored } = found;
    if (state.seq === 0 && !unreadable) return unknownSession(id);
    this.#evict();
    const session = this.#newSession(state, unreadable);
    this.#list(session, stored);
    const refused = unreadable && (await this.#tellUnreadable(session, unreadable, !owner));
    if (refused) return refused;
    const open: OpenSession = { session, usedAt: this.#now };
    if (shared && owner) {
      open.followed = this.#followed(open, { shared, owner: owner.host });
      open.followed.start();
    } else await this.#startWork(open);
    // The session is shown only after the turns of a crashed host have ended in it.
    this.#open.set(id, open);
    return session;
  }

  /** The list learns of damage that only reading finds. Refuses a session of which nothing can be read. */
  async #tellUnreadable(session: Session, why: LogDamage, isOurs: boolean): Promise<Rejection | undefined> {
    const { world, catalogue } = this.#options;
    const row = catalogue.summary(session.id);
    const isNewer = why instanceof LogNewer;
    if (row?.damage === undefined)
      catalogue.update(isNewer && row ? { ...row, newer: true } : session.summary());
    const refused = session.state.seq === 0 ? session.readOnly : undefined;
    // A host that can write to it may have it.
    if (isOurs && (isNewer || refused)) await world.store.shared?.release(session.id);
    return refused;
  }

  async #startWork(open: OpenSession): Promise<void> {
    const { session } = open;
    open.runner = this.#options.runnerOf(session);
    open.runner.recover();
    await session
      .settled()
      .catch((error: unknown) => this.#options.world.report(error, `recovering session ${session.id}`));
  }

  #followed(
    open: OpenSession,
    { shared, owner }: { readonly shared: SharedStore; readonly owner: string },
  ): FollowedSession {
    const { world, journal, locality } = this.#options;
    const { session } = open;
    const followed: FollowedSession = new FollowedSession({
      session,
      owner,
      shared,
      ports: world,
      makeRoom: (count) => journal.makeRoom(count),
      canWork: (state) => locality.canWork(state),
      lends: (command) => locality.lends(session.id, command),
      own: async () => {
        await followed.catchUp();
        await session.published();
        session.comeHome();
        open.followed = undefined;
        await this.#startWork(open);
      },
    });
    return followed;
  }

  #newSession(state: State, unreadable?: LogDamage): Session {
    const { world, journal } = this.#options;
    return new Session({
      state,
      ports: world,
      journal,
      unreadable,
      check: (command, { roots }, by) =>
        command.kind === 'changeSession'
          ? checkAutonomy(command.changes.autonomy, roots, { ...world, by })
          : undefined,
    });
  }

  /** A session that is about to be closed can no longer be found or used. */
  #evict(): void {
    const idle = [...this.#open].filter(([, open]) => isUnused(open));
    for (const [id, open] of idle.slice(0, Math.max(0, idle.length - idleLimit + 1))) {
      if (!this.#isUnasked(open)) return;
      void this.release(id);
      open.session.close();
      this.#open.delete(id);
    }
  }

  /** Whether nobody has asked for it lately, who might follow it now. */
  #isUnasked({ usedAt }: OpenSession): boolean {
    return this.#now - usedAt >= useTime;
  }

  get #now(): number {
    return this.#options.world.clock.elapsed();
  }

  #use(id: SessionId): OpenSession | undefined {
    const known = this.#open.get(id);
    if (known) {
      known.usedAt = this.#now;
      this.#open.delete(id);
      this.#open.set(id, known);
    }
    return known;
  }
}

/** No client follows it, and nothing works on it or waits to be stored: not even the end of a turn. */
function isUnused({ session, runner, followed }: OpenSession): boolean {
  const works = runner && (runner.busy || Object.values(session.head.chats).some(({ active }) => active));
  return !works && !followed?.isOurs && !session.isWatched && session.settledNow;
}

function ownedElsewhere(id: SessionId, { host }: SessionOwner): Rejection {
  return reject(
    'elsewhere',
    `Session ${id} is open on the host ${host}. Close it there, or connect to that host.`,
  );
}

/** Why something can be done only on the host that owns a session; undefined if this host owns it. */
export function refuseFollowed({ owner }: Session, why: string): Rejection | undefined {
  return owner === undefined ? undefined : onlyAtOwner(owner, why);
}

/** What is stored comes first. */
async function upToDate(session: Session, followed: FollowedSession): Promise<Session | Rejection> {
  const refused = await followed.catchUpSurely();
  if (refused) return refused;
  await session.published();
  return session;
}

export function unknownSession(id: SessionId): Rejection {
  return reject('not-found', `There is no session ${id}.`);
}

function changesSummary({ before, after }: Step): boolean {
  return (
    before.modifiedAt !== after.modifiedAt ||
    before.read !== after.read ||
    before.archived !== after.archived ||
    before.title !== after.title ||
    (before.revertedEdits !== after.revertedEdits && changedLines(before) !== changedLines(after))
  );
}
