// Copies all sessions from one store to another, with their long outputs. A copy that was interrupted goes on
// where it ended; everything that was copied is read again and compared.
import { LogDamage, LogNewer } from '../../host/session/logStore.ts';
import { summarize } from '../../host/session/summary.ts';
import type { Entry, SessionId } from '../../model/event.ts';
import { reduce } from '../../model/reduce.ts';
import { emptyState } from '../../model/state.ts';
import { copyOutputs } from './copyOutputs.ts';
import type { OutputCopy } from './copyOutputs.ts';
import type { DurableStore } from './durableStore.ts';
import { StoreError } from './sqlite/storeError.ts';

export interface CopyResult {
  readonly sessions: number;
  /** How many sessions are in the target with everything that belongs to them. */
  readonly complete: number;
  /** How many entries were copied now; the others were there already. */
  readonly entries: number;
  /** How many long outputs were copied now. */
  readonly outputs: number;
  readonly problems: readonly string[];
}

export interface CopyOptions {
  readonly from: Pick<DurableStore, 'summaries' | 'read' | 'head'>;
  readonly to: DurableStore;
  readonly outputs: OutputCopy;
  /** Called after each session. */
  readonly onProgress?: (done: number, all: number) => void;
}

/** Entries of one commit. */
const atOnce = 200;

export async function copyStore({ from, to, outputs, onProgress }: CopyOptions): Promise<CopyResult> {
  const problems: string[] = [];
  const all = from.summaries();
  const count = { complete: 0, entries: 0, outputs: 0 };
  for (const [done, { id }] of all.entries()) {
    const owner = await to.shared?.claim(id);
    if (owner) {
      problems.push(`Session ${id} is in use on the host ${owner.host}; it was left alone.`);
      continue;
    }
    const copy = new SessionCopy({ from, to }, id);
    const problem = await copy.run().catch((error: unknown) => damageText(id, error));
    const texts = copy.isOther ? undefined : await copyOutputs(outputs, id);
    const found = [...(problem === undefined ? [] : [problem]), ...(texts?.problems ?? [])];
    problems.push(...found);
    count.complete += found.length === 0 ? 1 : 0;
    count.entries += copy.count;
    count.outputs += texts?.count ?? 0;
    onProgress?.(done + 1, all.length);
  }
  return { sessions: all.length, ...count, problems };
}

class SessionCopy {
  readonly #stores: Pick<CopyOptions, 'from' | 'to'>;
  readonly #id: SessionId;
  #batch: Entry[] = [];
  #state;
  /** Set once a position was found in use; the entries from there on get new ones. */
  #pos: number | undefined;
  count = 0;
  /** The target has another session of this id. */
  isOther = false;

  constructor(stores: Pick<CopyOptions, 'from' | 'to'>, id: SessionId) {
    this.#stores = stores;
    this.#id = id;
    this.#state = emptyState(id);
  }

  /** Says what is wrong, if anything is. */
  async run(): Promise<string | undefined> {
    const { from, to } = this.#stores;
    const present = iterate(to.read(this.#id));
    let isNew = false;
    try {
      for await (const entry of from.read(this.#id)) {
        const known: IteratorResult<Entry, unknown> | undefined = isNew ? undefined : await present.next();
        isNew ||= known?.done === true;
        if (isNew) await this.#add(entry);
        else if (known?.done === false && !isSame(known.value, entry)) return this.#differs(entry.seq);
        else this.#state = reduce(this.#state, entry);
      }
    } finally {
      await this.#store();
    }
    if (!isNew && !(await present.next()).done) return this.#differs(this.#state.seq + 1);
    return this.count > 0 ? this.#verify() : undefined;
  }

  async #add(entry: Entry): Promise<void> {
    this.#batch.push(entry);
    if (this.#batch.length >= atOnce) await this.#store();
  }

  async #store(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    if (batch.length === 0) return;
    for (const entry of batch) this.#state = reduce(this.#state, entry);
    const write = (entries: readonly Entry[]) =>
      this.#stores.to.write({
        entries: entries.map((entry) => ({ session: this.#id, entry })),
        summaries: [summarize(this.#state)],
        sync: 'disk',
      });
    try {
      await write(this.#pos === undefined ? batch : this.#renumbered(batch));
    } catch (error) {
      // Hosts that shared a store may have used a position twice, in different sessions.
      if (this.#pos !== undefined || !(error instanceof StoreError && error.code === 'conflict')) throw error;
      await write(this.#renumbered(batch));
    }
    this.count += batch.length;
  }

  #renumbered(batch: readonly Entry[]): readonly Entry[] {
    const { from, to } = this.#stores;
    let pos = this.#pos ?? Math.max(from.head(), to.head());
    const renumbered = batch.map((entry) => ({ ...entry, pos: (pos += 1) }));
    this.#pos = pos;
    return renumbered;
  }

  async #verify(): Promise<string | undefined> {
    const copied = iterate(this.#stores.to.read(this.#id));
    for await (const entry of this.#stores.from.read(this.#id)) {
      // A host that was started meanwhile writes on.
      if (entry.seq > this.#state.seq) break;
      const found = await copied.next();
      if (found.done || !isSame(found.value, entry)) return this.#differs(entry.seq);
    }
    return undefined;
  }

  #differs(seq: number): string {
    this.isOther = true;
    return `Session ${this.#id} is different in the target from entry ${seq} on; it was left alone.`;
  }
}

function damageText(id: SessionId, error: unknown): string {
  if (error instanceof LogNewer) return `Session ${id} was copied in part: ${error.message}`;
  if (error instanceof LogDamage) return `Session ${id} is damaged and was copied in part: ${error.message}`;
  throw error;
}

async function* iterate(entries: Iterable<Entry> | AsyncIterable<Entry>): AsyncGenerator<Entry> {
  yield* entries;
}

/** Positions may differ, everything else may not. */
function isSame(a: Entry, b: Entry): boolean {
  return JSON.stringify({ ...a, pos: 0 }) === JSON.stringify({ ...b, pos: 0 });
}
