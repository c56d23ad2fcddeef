// States of long sessions, a file each, so that opening one does not read its whole log. All of it is derived
// from the log: what is missing, damaged or of another version is passed over, and made again.
import { createHash } from 'node:crypto';
import { close, mkdirSync, open as openWithCallback, readdirSync } from 'node:fs';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { StoredState, StoredStates } from '../../host/session/logStore.ts';
import type { SessionId } from '../../model/event.ts';
import { emptyState } from '../../model/state.ts';
import type { State } from '../../model/state.ts';
import { fileSource, memorySource, StateFile, writeState } from './stateFile.ts';
import type { StoredTurns } from './stateFile.ts';

export interface StateFilesOptions {
  readonly directory: string;
  /** False for a session that is removed or damaged. */
  readonly isWanted: (session: SessionId) => boolean;
  readonly report: (problem: unknown, about: string) => void;
  /**
   * Folds the log up to an entry without letting other work run. Without it a file comes into memory whole
   * when it is opened, and is checked.
   */
  readonly foldNow?: ((session: SessionId, last: number) => State) | undefined;
}

/** What all files together may have, in bytes. The ones that were written first go first. */
const mostBytes = 512 * 1024 * 1024;

const draftEnd = '.new';

export class StateFiles implements StoredStates {
  readonly #options: StateFilesOptions;
  /** The names of the files; undefined until they are needed. */
  #names: Set<string> | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;
  readonly #turns: StoredTurns = new WeakMap();
  /** Closes files of which nobody has a turn any more. Until then they can be read, also when removed. */
  readonly #unused = new FinalizationRegistry<number>((fd) => close(fd, () => {}));

  constructor(options: StateFilesOptions) {
    this.#options = options;
  }

  async read(session: SessionId): Promise<StoredState | undefined> {
    const name = nameOf(session);
    if (!this.#known().has(name) || !this.#options.isWanted(session)) return undefined;
    const stored = await this.#read(session).catch(() => undefined);
    if (!stored) void this.remove(session);
    return stored;
  }

  /** A state from the bytes of another host, which stay in memory while somebody may want a turn of them. */
  async readBytes(session: SessionId, bytes: Buffer): Promise<StoredState | undefined> {
    if (!this.#options.isWanted(session)) return undefined;
    const file = new StateFile(memorySource(bytes), { known: this.#turns });
    return file.read(session).catch(() => undefined);
  }

  /** Without the file the log is read. */
  write(stored: StoredState): Promise<void> {
    return this.#next(`storing the state of session ${stored.state.id}`, async () => {
      await this.#write(stored);
    });
  }

  /** Stores it, and gives its bytes for other hosts; undefined if it was not stored. */
  async writeForOthers(stored: StoredState): Promise<Buffer | undefined> {
    const { id } = stored.state;
    const written: Buffer[] = [];
    await this.#next(`storing the state of session ${id}`, async () => {
      if (await this.#write(stored)) written.push(await readFile(this.#path(nameOf(id))));
    });
    return written[0];
  }

  /** Nothing is left also of a state that is being written. */
  remove(session: SessionId): Promise<void> {
    return this.#next(`removing the state of session ${session}`, async () => {
      const name = nameOf(session);
      if (this.#known().delete(name)) await rm(this.#path(name), { force: true });
    });
  }

  /** Removes the states of all other sessions. */
  keepOnly(sessions: readonly SessionId[]): Promise<void> {
    return this.#next('removing the states of sessions that are gone', async () => {
      if (this.#known().size === 0) return;
      const wanted = new Set(sessions.map(nameOf));
      for (const name of this.#known())
        if (!wanted.has(name)) {
          this.#known().delete(name);
          await rm(this.#path(name), { force: true });
        }
    });
  }

  /** Ends an unfinished write, too. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
  }

  /** Changes the files one after the other. Never rejects. */
  #next(about: string, change: () => Promise<void>): Promise<void> {
    this.#writing = this.#writing.then(change).catch((error: unknown) => this.#options.report(error, about));
    return this.#writing;
  }

  async #read(session: SessionId): Promise<StoredState | undefined> {
    const { foldNow } = this.#options;
    if (!foldNow) {
      return this.readBytes(session, await readFile(this.#path(nameOf(session))));
    }
    const fd = await openFile(this.#path(nameOf(session)), 'r');
    const file: StateFile = new StateFile(fileSource(fd), {
      known: this.#turns,
      refold: () => {
        void this.remove(session);
        return stored ? foldNow(session, stored.state.seq) : emptyState(session);
      },
    });
    this.#unused.register(file, fd);
    const stored = await file.read(session);
    return stored;
  }

  /** False if it is not wanted any more. */
  async #write(stored: StoredState): Promise<boolean> {
    const isWanted = () => !this.#isClosed && this.#options.isWanted(stored.state.id);
    if (!isWanted()) return false;
    const name = nameOf(stored.state.id);
    const draft = this.#path(`${name}${draftEnd}`);
    mkdirSync(this.#options.directory, { recursive: true, mode: 0o700 });
    const known = this.#known();
    try {
      const file = await open(draft, 'w', 0o600);
      try {
        if (!(await writeState(file, stored, { known: this.#turns, isWanted }))) return false;
      } finally {
        await file.close();
      }
      await rename(draft, this.#path(name));
      known.add(name);
      await this.#limit();
      return true;
    } finally {
      await rm(draft, { force: true });
    }
  }

  async #limit(): Promise<void> {
    const files = await Promise.all(
      [...this.#known()].map(async (name) => {
        const found = await stat(this.#path(name)).catch(() => undefined);
        return { name, size: found?.size ?? 0, at: found?.mtimeMs ?? 0 };
      }),
    );
    let bytes = 0;
    for (const { name, size } of files.toSorted((a, b) => b.at - a.at)) {
      bytes += size;
      if (bytes <= mostBytes) continue;
      this.#known().delete(name);
      await rm(this.#path(name), { force: true });
    }
  }

  #known(): Set<string> {
    this.#names ??= this.#found();
    return this.#names;
  }

  /** What a killed host has begun to write goes. */
  #found(): Set<string> {
    const names = namesIn(this.#options.directory);
    const drafts = names.filter((name) => name.endsWith(draftEnd));
    for (const draft of drafts)
      void this.#next('removing an unfinished state', () => rm(this.#path(draft), { force: true }));
    return new Set(names.filter((name) => !drafts.includes(name)));
  }

  #path(name: string): string {
    return join(this.#options.directory, name);
  }
}

/** A folder that cannot be read has none: the logs are read. */
function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** An id may have any characters. */
function nameOf(session: SessionId): string {
  return createHash('sha256').update(session).digest('hex').slice(0, 32);
}

const openFile = promisify(openWithCallback);
