// Empty folders in a workspace, over which a sandbox lays what must not be created there. They exist only
// while a program needs them; a list on disk lets the next host remove those of a crashed one.
import { mkdirSync, readFileSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { setImmediate as immediately } from 'node:timers/promises';
import { isRecord } from '../../base/isRecord.ts';
import type { Guard } from './guards.ts';

export type Placeholder = Extract<Guard, { readonly kind: 'absent' | 'absent-link' }>;

/** The content that leads git to the repository in which the file lies. */
export const linkToItself = '.\n';

/** In milliseconds. */
const linger = 1_000;

export class Placeholders {
  /** The file with the list. */
  readonly #list: string;
  /** How many programs need each of them. */
  readonly #users = new Map<string, { readonly kind: Placeholder['kind']; count: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(list: string) {
    this.#list = list;
  }

  /** Whether it lies there for programs alone. */
  has(path: string): boolean {
    return this.#users.has(path);
  }

  /** Creates what is missing, and returns those that are ours. The caller releases them. */
  take(wanted: readonly Placeholder[]): readonly Placeholder[] {
    const fresh = wanted.filter((each) => !this.#users.has(each.path) && create(each));
    for (const { path, kind } of fresh) this.#users.set(path, { kind, count: 0 });
    const ours = wanted.filter(({ path }) => this.#users.has(path));
    for (const { path } of ours) this.#count(path, 1);
    if (fresh.length > 0) this.#save();
    return ours;
  }

  /**
   * They are removed a little later: the next program may need them, and while the last one is still being
   * taken apart each removal waits for the kernel.
   */
  release(taken: readonly Placeholder[]): void {
    for (const { path } of taken) this.#count(path, -1);
    if (taken.length === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#removeAll(), linger).unref();
  }

  /** Removes all that no program needs, before it returns. */
  close(): void {
    clearTimeout(this.#timer);
    for (const path of this.#users.keys()) this.#removeUnused(path);
    this.#save();
  }

  #count(path: string, change: number): void {
    const known = this.#users.get(path);
    if (known) known.count = Math.max(0, known.count + change);
  }

  /** One after the other, so that nobody waits for all of them. */
  async #removeAll(): Promise<void> {
    for (const path of [...this.#users.keys()]) {
      this.#removeUnused(path);
      await immediately();
    }
    this.#save();
  }

  #removeUnused(path: string): void {
    const known = this.#users.get(path);
    if (known?.count !== 0) return;
    this.#users.delete(path);
    remove(path, known.kind);
  }

  /** Removes what a crashed host left behind. */
  clean(): void {
    for (const { path, kind } of readList(this.#list)) if (!this.#users.has(path)) remove(path, kind);
    this.#save();
  }

  #save(): void {
    const all = [...this.#users].map(([path, { kind }]) => ({ path, kind }));
    try {
      if (all.length > 0) writeFileSync(this.#list, JSON.stringify(all), { mode: 0o600 });
      else unlinkSync(this.#list);
    } catch {
      // There is none yet, or it cannot be written; the folders are empty and do no harm.
    }
  }
}

/** False if something is there already, or the folder above is missing. */
function create({ path, kind }: Placeholder): boolean {
  try {
    if (kind === 'absent') mkdirSync(path);
    else writeFileSync(path, linkToItself, { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

/** Only if it is as we made it. */
function remove(path: string, kind: Placeholder['kind']): void {
  try {
    // The system removes no folder that holds something.
    if (kind === 'absent') return rmdirSync(path);
    if (readFileSync(path, 'utf8') === linkToItself) unlinkSync(path);
  } catch {
    // It is gone, or not ours any more.
  }
}

function readList(file: string): readonly Placeholder[] {
  try {
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(read) ? read.filter(isPlaceholder) : [];
  } catch {
    return [];
  }
}

function isPlaceholder(value: unknown): value is Placeholder {
  return (
    isRecord(value) &&
    typeof value['path'] === 'string' &&
    (value['kind'] === 'absent' || value['kind'] === 'absent-link')
  );
}
