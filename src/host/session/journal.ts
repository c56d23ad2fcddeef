// Batches the entries that all sessions append and stores each batch in one commit. Knows about events only
// how durable they must be.
import type { Entry, EventKind, SessionId } from '../../model/event.ts';
import type { LogPorts } from './logStore.ts';
import type { Summary } from './summary.ts';

/** What the journal needs of a session. */
export interface JournalSession {
  readonly id: SessionId;
  /** The catalogue row after everything appended so far. */
  summary(): Summary;
  /** The next `count` appended entries are durable. */
  stored(count: number): void;
  /** Everything appended since the last stored entry was lost. */
  lost(cause: unknown): void;
}

export interface StoredCounts {
  readonly commits: number;
  readonly failures: number;
  readonly entries: number;
  /** How long all commits took together. */
  readonly milliseconds: number;
}

export class Journal {
  readonly #ports: LogPorts;
  #pos: number;
  #shown: number;
  #waiting: { writer: JournalSession; entry: Entry }[] = [];
  /** Cancels the scheduled flush. */
  #recall: (() => void) | undefined;
  #coming: 'soon' | 'later' | undefined;
  #flushedAt = 0;
  #writing: Promise<void> | undefined;
  #stored: StoredCounts = { commits: 0, failures: 0, entries: 0, milliseconds: 0 };

  constructor(ports: LogPorts) {
    this.#ports = ports;
    this.#pos = ports.store.head();
    this.#shown = this.#pos;
  }

  /** The newest position that is stored and published, like all before it. */
  get shown(): number {
    // Nothing of ours is on its way, so everything up to what other hosts have used is published.
    if (this.#waiting.length === 0 && !this.#writing)
      this.#shown = Math.max(this.#shown, this.#ports.store.head());
    return this.#shown;
  }

  /** What was stored since the start of the process. */
  get stored(): StoredCounts {
    return this.#stored;
  }

  /** The newest position in use. */
  get pos(): number {
    return this.#pos;
  }

  nextPos(): number {
    // Another host may have used later positions in a session that is ours now.
    this.#pos = Math.max(this.#pos, this.#ports.store.head()) + 1;
    return this.#pos;
  }

  append(writer: JournalSession, entry: Entry): void {
    this.#waiting.push({ writer, entry });
    this.#schedule(streamed.has(entry.event.kind) && this.#waiting.length < fullBatch ? 'later' : 'soon');
  }

  /** Resolves when everything appended before the call is stored or lost. */
  async drain(): Promise<void> {
    while (this.#waiting.length > 0 || this.#writing) {
      if (this.#writing) await this.#writing;
      else this.#flush();
    }
  }

  /**
   * A single piece of a stream is stored immediately; pieces in quick succession share a commit
   * every few milliseconds.
   */
  #schedule(when: 'soon' | 'later'): void {
    if (this.#writing || this.#coming === 'soon' || this.#coming === when) return;
    const { clock } = this.#ports;
    const later = when === 'later' && clock.elapsed() - this.#flushedAt < interval;
    this.#recall?.();
    this.#recall = undefined;
    this.#coming = later ? 'later' : 'soon';
    if (later) this.#recall = clock.after(interval, () => this.#flush());
    else clock.defer(() => this.#flush());
  }

  #flush(): void {
    this.#recall?.();
    this.#recall = undefined;
    this.#coming = undefined;
    const batch = this.#waiting;
    if (batch.length === 0 || this.#writing) return;
    this.#flushedAt = this.#ports.clock.elapsed();
    this.#waiting = [];
    const counts = new Map<JournalSession, number>();
    for (const { writer } of batch) counts.set(writer, (counts.get(writer) ?? 0) + 1);
    const entries = batch.map(({ writer, entry }) => ({ session: writer.id, entry }));
    const last = batch.at(-1)?.entry.pos ?? this.#shown;
    const sync = entries.some(({ entry }) => !streamed.has(entry.event.kind)) ? 'disk' : 'kernel';
    try {
      const summaries = sync === 'disk' ? [...counts.keys()].map((writer) => writer.summary()) : [];
      const pending = this.#ports.store.write({ entries, summaries, sync });
      if (!pending) return this.#settle(counts, last);
      this.#writing = pending
        .then(
          () => this.#settle(counts, last),
          (error: unknown) => this.#fail(counts, error),
        )
        .finally(() => {
          this.#writing = undefined;
          if (this.#waiting.length > 0) this.#schedule('soon');
        });
    } catch (error) {
      this.#fail(counts, error);
    }
  }

  #settle(counts: ReadonlyMap<JournalSession, number>, last: number): void {
    for (const [writer, count] of counts) writer.stored(count);
    this.#shown = last;
    const { commits, failures, entries, milliseconds } = this.#stored;
    this.#stored = {
      commits: commits + 1,
      failures,
      entries: entries + [...counts.values()].reduce((sum, count) => sum + count, 0),
      milliseconds: milliseconds + this.#ports.clock.elapsed() - this.#flushedAt,
    };
  }

  /** Later entries were decided on the lost ones, so they are dropped too. */
  #fail(counts: ReadonlyMap<JournalSession, number>, cause: unknown): void {
    this.#ports.report(cause, 'storing entries');
    this.#stored = { ...this.#stored, failures: this.#stored.failures + 1 };
    this.#waiting = this.#waiting.filter(({ writer }) => !counts.has(writer));
    for (const writer of counts.keys()) writer.lost(cause);
  }
}

/** How long pieces of a stream wait for each other, in milliseconds. */
const interval = 2;

/** This many entries are flushed without waiting. */
const fullBatch = 512;

/**
 * Pieces of a stream: in the kernel's hands before they are shown, on disk soon after.
 * They change no summary.
 */
const streamed: ReadonlySet<EventKind> = new Set<EventKind>([
  'text.added',
  'tool.input',
  'tool.output',
  'usage.reported',
]);
