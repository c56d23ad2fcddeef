// The lasting answers that users gave on other hosts of the store. Each host writes them to a log of its own;
// this reads the logs of the others, so that an answer holds everywhere.
import type { Origin, Rule, SessionId } from '../../model/event.ts';
import { isHostLog } from '../session/catalogue.ts';
import { foldLog } from '../session/foldLog.ts';
import type { SessionOwner } from '../ownership/hostLinks.ts';
import type { Journal } from '../session/journal.ts';
import type { ForeignChange } from '../session/logStore.ts';
import { Session } from '../session/session.ts';
import type { World } from '../world.ts';

export interface OtherHostsOptions {
  readonly world: World;
  readonly journal: Journal;
  /** The log of this host. */
  readonly own: SessionId;
}

export class OtherHostsRules {
  readonly #options: OtherHostsOptions;
  readonly #logs = new Map<SessionId, readonly Rule[]>();
  /** Logs are read one after the other, so that an older reading never replaces a newer one. */
  #reading: Promise<void> = Promise.resolve();

  constructor(options: OtherHostsOptions) {
    this.#options = options;
  }

  get rules(): readonly Rule[] {
    return [...this.#logs.values()].flat();
  }

  /** Reads the logs of all hosts that have ever used the store. */
  async readAll(): Promise<void> {
    const { store } = this.#options.world;
    if (!store.shared) return;
    for (const { id } of store.summaries()) this.#noticeLog(id);
    await this.#reading;
  }

  /** Reads the log again if the change is about one of another host. */
  notice(change: ForeignChange): void {
    if (change.kind === 'changed') this.#noticeLog(change.summary.id);
    else if (change.kind === 'removed') this.#logs.delete(change.session);
  }

  /** Takes an answer back in the log of a host that is gone. A host that is alive is named instead. */
  async revoke(id: string, by: Origin): Promise<boolean | SessionOwner> {
    const { shared } = this.#options.world.store;
    const holding = [...this.#logs].filter(([, rules]) => rules.some((rule) => rule.id === id));
    for (const [log] of holding) {
      const owner = await shared?.claim(log);
      if (owner) return owner;
      await this.#remove(log, id, by);
      await shared?.release(log);
    }
    return holding.length > 0;
  }

  async #remove(log: SessionId, id: string, by: Origin): Promise<void> {
    const { world, journal } = this.#options;
    const { state } = await foldLog(world, log);
    const session = new Session({ state, unreadable: undefined, ports: world, journal });
    const rules = state.rules.filter((rule) => rule.id !== id);
    session.dispatch({ kind: 'changeSession', changes: { rules } }, by);
    await session.settled();
    this.#logs.set(log, rules);
  }

  #noticeLog(id: SessionId): void {
    if (!isHostLog(id) || id === this.#options.own) return;
    const { world } = this.#options;
    this.#reading = this.#reading
      .then(async () => void this.#logs.set(id, (await foldLog(world, id)).state.rules))
      .catch((error: unknown) => world.report(error, 'reading the answers that were given on another host'));
  }
}
