// Empty folders in a workspace, over which a sandbox lays what must not be created there. They exist only
// while a program needs them. A list on disk says which processes need each of them; one that was killed
// leaves them to the next process that looks.
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { setImmediate as immediately } from 'node:timers/promises';
import type { Guard } from './guards.ts';
import { PlaceholderList, isOwnerAlive, newOwner, placeholderContents } from './placeholderList.ts';
import type { PlaceholderEntries, PlaceholderKind } from './placeholderList.ts';
import { readOnly } from '../files/readOnly.ts';

export type Placeholder = Extract<Guard, { readonly kind: PlaceholderKind }>;

/** In milliseconds. */
const linger = 1_000;

export class Placeholders {
  readonly #list: PlaceholderList;
  readonly #owner = newOwner();
  /** How many programs of this process need each of them. */
  readonly #users = new Map<string, { readonly kind: Placeholder['kind']; count: number }>();
  #timer: NodeJS.Timeout | undefined;

  /** The file may be shared by several processes. */
  constructor(file: string) {
    this.#list = new PlaceholderList(file);
  }

  /** Says of a path whether it lies there for programs alone, also for those of other processes. */
  look(): (path: string) => boolean {
    // What killed processes left would else be taken for the user's, and lost when somebody removes it.
    this.clean();
    const listed = this.#list.read();
    return (path) => this.#users.has(path) || listed.has(path);
  }

  /** Whether a program of this process needs it. */
  has(path: string): boolean {
    return this.#users.has(path);
  }

  /** Creates what is missing, and returns those that are ours. The caller releases them. */
  take(wanted: readonly Placeholder[]): readonly Placeholder[] {
    const fresh = wanted.filter(({ path }) => !this.#users.has(path));
    if (fresh.length > 0 && !this.#list.change((entries) => this.#takeFrom(entries, fresh)))
      this.#takeFrom(new Map(), fresh);
    const ours = wanted.filter(({ path }) => this.#users.has(path));
    for (const { path } of ours) this.#count(path, 1);
    return ours;
  }

  #takeFrom(entries: PlaceholderEntries, fresh: readonly Placeholder[]): void {
    for (const placeholder of fresh) {
      const { path, kind } = placeholder;
      const owners = (entries.get(path)?.owners ?? []).filter(isOwnerAlive);
      // What a killed process left is made anew: somebody may have put something into it.
      if (owners.length === 0 && entries.has(path)) remove(path, kind);
      const isThere = create(placeholder) || (owners.length > 0 && existsSync(path));
      if (isThere) entries.set(path, { kind, owners: [...new Set([...owners, this.#owner])] });
      else if (owners.length === 0) entries.delete(path);
      if (isThere) this.#users.set(path, { kind, count: 0 });
    }
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

  /** Removes one before its time. False if a program still needs it, also one of another process. */
  remove(path: string): boolean {
    this.#removeUnused([path]);
    return !this.look()(path);
  }

  /** Removes all that no program needs, before it returns. */
  close(): void {
    clearTimeout(this.#timer);
    this.#removeUnused([...this.#users.keys()]);
  }

  #count(path: string, change: number): void {
    const known = this.#users.get(path);
    if (known) known.count = Math.max(0, known.count + change);
  }

  /** One after the other, so that nobody waits for all of them. */
  async #removeAll(): Promise<void> {
    for (const path of [...this.#users.keys()]) {
      this.#removeUnused([path]);
      await immediately();
    }
    this.clean();
  }

  #removeUnused(paths: readonly string[]): void {
    const unused = paths.filter((path) => this.#users.get(path)?.count === 0);
    if (unused.length === 0) return;
    const leave = (entries: PlaceholderEntries) => {
      for (const path of unused) this.#leave(path, entries);
    };
    // Without the list nobody knows whether another process needs them: they stay until it can be written.
    if (!this.#list.change(leave) && this.#list.read().size === 0) leave(new Map());
  }

  #leave(path: string, entries: PlaceholderEntries): void {
    const kind = this.#users.get(path)?.kind ?? 'absent';
    const others = (entries.get(path)?.owners ?? []).filter(
      (owner) => owner !== this.#owner && isOwnerAlive(owner),
    );
    this.#users.delete(path);
    if (others.length > 0) return void entries.set(path, { kind, owners: others });
    entries.delete(path);
    remove(path, kind);
  }

  /** Removes what killed processes left behind. */
  clean(): void {
    const isLeft = ([path, { owners }]: [string, { readonly owners: readonly string[] }]) =>
      !this.#users.has(path) && !owners.some(isOwnerAlive);
    if (![...this.#list.read()].some(isLeft)) return;
    this.#list.change((entries) => {
      for (const entry of [...entries].filter(isLeft)) {
        const [path, { kind }] = entry;
        entries.delete(path);
        remove(path, kind);
      }
    });
  }
}

/** False if something is there already, or the folder above is missing. */
function create({ path, kind }: Placeholder): boolean {
  try {
    const content = placeholderContents[kind];
    if (content === undefined) mkdirSync(path, { mode: kind === 'absent-closed' ? 0o600 : 0o777 });
    else writeFileSync(path, content, { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

/** Only if it is as we made it. */
function remove(path: string, kind: Placeholder['kind']): void {
  try {
    // The system removes no folder that holds something.
    const content = placeholderContents[kind];
    if (content === undefined) return rmdirSync(path);
    if (textAt(path) === content) unlinkSync(path);
  } catch {
    // It is gone, or not ours any more.
  }
}

/** A pipe in its place is not waited for. */
function textAt(path: string): string {
  const file = openSync(path, readOnly);
  try {
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}
