// A log store without a disk: the same promises while the process lives, and a switch to make writing fail.
import type { Entry, SessionId } from '../../src/model/event.ts';
import type { Batch, LogStore } from '../../src/host/session/logStore.ts';
import { isUnfinished } from '../../src/host/session/summary.ts';
import type { Summary } from '../../src/host/session/summary.ts';

export class MemoryStore implements LogStore {
  readonly #entries = new Map<SessionId, Entry[]>();
  readonly #summaries = new Map<SessionId, Summary>();
  #head = 0;
  /** Thrown by the next writes while set. */
  broken: Error | undefined;

  summaries(): readonly Summary[] {
    return [...this.#summaries.values()];
  }

  unfinished(): readonly SessionId[] {
    return this.summaries()
      .filter(isUnfinished)
      .map(({ id }) => id);
  }

  head(): number {
    return this.#head;
  }

  takePosition(): number {
    this.#head += 1;
    return this.#head;
  }

  *read(session: SessionId, after = 0): Iterable<Entry> {
    yield* (this.#entries.get(session) ?? []).filter(({ seq }) => seq > after);
  }

  write({ entries, summaries }: Batch): void {
    if (this.broken) throw this.broken;
    for (const { session, entry } of entries) {
      const log = this.#entries.get(session) ?? [];
      this.#entries.set(session, log);
      log.push(structuredClone(entry));
      this.#head = Math.max(this.#head, entry.pos);
    }
    for (const summary of summaries) this.#summaries.set(summary.id, structuredClone(summary));
  }

  remove(session: SessionId): void {
    this.#entries.delete(session);
    this.#summaries.delete(session);
  }

  close(): void {}
}
