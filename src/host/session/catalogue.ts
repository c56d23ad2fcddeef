// The catalogue of all sessions: their summaries, the session of each chat, and the followers of changes.
import type { ChatId, SessionId } from '../../model/event.ts';
import type { LogPorts } from './logStore.ts';
import { newerTitle } from './summary.ts';
import type { Summary } from './summary.ts';

/** Whether it is the log of a host itself, which is not listed. No session has such an id. */
export function isHostLog(id: SessionId): boolean {
  return id === hostLog || id.startsWith(`${hostLog}:`);
}

/** The log of the host itself: rules that users allowed always. */
export const hostLog = '$host';

export type CatalogueChange =
  | { readonly kind: 'added' | 'changed'; readonly summary: Summary; readonly old: Summary | undefined }
  | { readonly kind: 'removed'; readonly id: SessionId; readonly old: Summary | undefined }
  | { readonly kind: 'agents' };

type CataloguePorts = Pick<LogPorts, 'store' | 'report'>;

export class Catalogue {
  readonly #ports: CataloguePorts;
  readonly #sessions = new Map<SessionId, Summary>();
  readonly #chats = new Map<ChatId, SessionId>();
  readonly #followers = new Set<(change: CatalogueChange) => void>();
  /** Read on first use: a host that was started for one session does not load the others. */
  #isFilled = false;
  /** Sessions of which nothing is stored yet. */
  readonly #fresh = new Set<SessionId>();

  constructor(ports: CataloguePorts) {
    this.#ports = ports;
  }

  /** Newest first. */
  summaries(): readonly Summary[] {
    return [...this.#filled().values()].toSorted(
      (a, b) => b.modifiedAt - a.modifiedAt || (a.id < b.id ? -1 : 1),
    );
  }

  summary(id: SessionId): Summary | undefined {
    return this.#sessions.get(id) ?? (this.#fresh.has(id) ? undefined : this.#filled().get(id));
  }

  has(id: SessionId): boolean {
    return this.summary(id) !== undefined;
  }

  sessionOf(chat: ChatId): SessionId | undefined {
    if (!this.#chats.has(chat)) this.#filled();
    return this.#chats.get(chat);
  }

  /** A session is about to be created with an id that nobody has used; the list need not be read for it. */
  expect(id: SessionId): void {
    this.#fresh.add(id);
  }

  follow(follower: (change: CatalogueChange) => void): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  update(changed: Summary): void {
    const summary = marked(changed);
    const old = this.summary(summary.id);
    this.#file(summary);
    this.tell({ kind: old ? 'changed' : 'added', summary, old });
  }

  remove(id: SessionId): void {
    const old = this.summary(id);
    this.#fresh.delete(id);
    this.#sessions.delete(id);
    for (const chat of old?.chats ?? []) this.#chats.delete(chat.id);
    this.tell({ kind: 'removed', id, old });
  }

  tell(change: CatalogueChange): void {
    for (const follower of [...this.#followers]) {
      try {
        follower(change);
      } catch (error) {
        this.#ports.report(error, 'a follower of the catalogue');
      }
    }
  }

  #filled(): ReadonlyMap<SessionId, Summary> {
    if (!this.#isFilled) {
      for (const summary of this.#ports.store.summaries()) {
        if (!isHostLog(summary.id) && !this.#sessions.has(summary.id)) this.#file(marked(summary));
      }
      this.#isFilled = true;
    }
    return this.#sessions;
  }

  #file(summary: Summary): void {
    // A chat may have moved to another session, which has registered it already.
    for (const { id } of this.#sessions.get(summary.id)?.chats ?? [])
      if (this.#chats.get(id) === summary.id) this.#chats.delete(id);
    this.#fresh.delete(summary.id);
    this.#sessions.set(summary.id, summary);
    for (const chat of summary.chats) this.#chats.set(chat.id, summary.id);
  }
}

/** The title says it in the lists of all clients. */
function marked(summary: Summary): Summary {
  return summary.newer ? { ...summary, title: newerTitle(summary.title) } : summary;
}
