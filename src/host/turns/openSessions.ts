// The open sessions, each with the runner of its turns. A session is read from its log on first use; idle
// sessions without clients leave memory.
import { reject } from '../../model/command.ts';
import type { Rejection } from '../../model/command.ts';
import type { SessionId } from '../../model/event.ts';
import { emptyState } from '../../model/state.ts';
import type { State } from '../../model/state.ts';
import type { Catalogue } from '../session/catalogue.ts';
import { changedLines } from '../session/changedLines.ts';
import { foldLog } from '../session/foldLog.ts';
import type { Journal } from '../session/journal.ts';
import type { LogDamage, SessionOwner } from '../session/logStore.ts';
import { checkAutonomy } from './checkAutonomy.ts';
import { Session } from '../session/session.ts';
import type { Step } from '../session/session.ts';
import type { World } from '../world.ts';
import type { Runner } from './runner.ts';

export interface OpenSessionsOptions {
  readonly world: World;
  readonly journal: Journal;
  readonly catalogue: Catalogue;
  /** Makes the runner of a session. */
  readonly runnerOf: (session: Session) => Runner;
}

/** If more sessions are open, idle ones without clients leave memory. */
const openLimit = 64;

export class OpenSessions {
  readonly #options: OpenSessionsOptions;
  readonly #open = new Map<SessionId, { session: Session; runner: Runner }>();
  readonly #opening = new Map<SessionId, Promise<Session | Rejection>>();
  readonly #releasing = new Map<SessionId, Promise<void>>();

  constructor(options: OpenSessionsOptions) {
    this.#options = options;
  }

  has(id: SessionId): boolean {
    return this.#open.has(id);
  }

  get(id: SessionId): Session | undefined {
    return this.#open.get(id)?.session;
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
    const known = this.#open.get(id);
    const leaving = this.#releasing.get(id);
    if (known && leaving) return leaving.then(() => this.open(id));
    if (known) return Promise.resolve(known.session);
    if (!this.#options.catalogue.has(id)) return Promise.resolve(unknownSession(id));
    const opening = this.#opening.get(id) ?? this.#read(id).finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  /** Lets the turns of the session run, and its summary follow its state. */
  attach(session: Session): Session {
    this.#open.set(session.id, { session, runner: this.#run(session) });
    return session;
  }

  #run(session: Session): Runner {
    session.follow((steps) => {
      if (steps.some(changesSummary)) this.#options.catalogue.update(session.summary());
    }, 'host');
    return this.#options.runnerOf(session);
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

  /** Makes this host the owner of a session; says why not if another host has it. */
  async claim(id: SessionId): Promise<Rejection | undefined> {
    const owner = await this.#options.world.store.shared?.claim(id);
    return owner && ownedElsewhere(id, owner);
  }

  async releaseAll(): Promise<void> {
    await Promise.allSettled(this.#opening.values());
    await Promise.all([...this.#open.keys()].map((id) => this.release(id)));
  }

  async #release(id: SessionId, how: 'release' | 'forget'): Promise<void> {
    const { world } = this.#options;
    const known = this.#open.get(id);
    await known?.runner.close(how);
    await known?.session.settled().catch(() => {});
    if (known && how === 'release')
      await world.store.shared
        ?.release(id)
        .catch((error: unknown) => world.report(error, `giving up session ${id}`));
    this.#open.delete(id);
  }

  async #read(id: SessionId): Promise<Session | Rejection> {
    const { world, catalogue } = this.#options;
    const refused = await this.claim(id);
    if (refused) return refused;
    const { state, unreadable } = await foldLog(world, id);
    if (state.seq === 0 && !unreadable) return unknownSession(id);
    this.#evict();
    const session = this.#newSession(state, unreadable);
    const runner = this.#run(session);
    // The list learns of damage that only reading finds.
    if (unreadable && catalogue.summary(id)?.damage === undefined) catalogue.update(session.summary());
    runner.recover();
    await session.settled().catch((error: unknown) => world.report(error, `recovering session ${id}`));
    // Nobody sees the session before the turns of a crashed host have ended in it.
    this.#open.set(id, { session, runner });
    return session;
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

  #evict(): void {
    if (this.#open.size < openLimit) return;
    for (const [id, { session, runner }] of this.#open) {
      if (!session.isWatched && !runner.busy && session.settledNow) void this.release(id);
    }
  }
}

function ownedElsewhere(id: SessionId, { host }: SessionOwner): Rejection {
  return reject(
    'elsewhere',
    `Session ${id} is open on the host ${host}. Close it there, or connect to that host.`,
  );
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
