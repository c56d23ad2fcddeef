// What the programs of a turn change in the workspace. They do not say so: the host compares the files before
// and after each of them, and looks at the whole workspace once, before the first one.
import { FileObserver } from '../../../../host/workspace/fileObserver.ts';
import type { FileObserverOptions } from '../../../../host/workspace/fileObserver.ts';
import type { LateChanges } from '../../../../host/workspace/lateChanges.ts';
import type { Content } from '../../../../model/event.ts';

export interface CommandFilesOptions extends FileObserverOptions {
  /** Of the turn. */
  readonly signal: AbortSignal;
  /** Takes what a command has changed if its turn was stopped before that was recorded. */
  readonly late: Pick<LateChanges, 'keep'>;
  /** Receives what keeps the host from looking; never throws. */
  readonly report: (problem: unknown, about: string) => void;
}

export class CommandFiles {
  readonly #options: CommandFilesOptions;
  #observer: FileObserver | undefined;

  constructor(options: CommandFilesOptions) {
    this.#options = options;
  }

  /**
   * Runs a program. Returns the files that have changed meanwhile with what it returned. After a stop of the
   * turn it must start nothing: the host has not seen all files.
   */
  async watch<T>(
    work: () => Promise<T>,
  ): Promise<{ readonly result: T; readonly changes: readonly Content[] }> {
    const isSeen = await this.#look();
    const isStopped = this.#options.signal.aborted;
    const result = await work();
    if (isStopped) return { result, changes: [] };
    return { result, changes: (isSeen && (await this.#changes())) || this.#unseen() };
  }

  /** The call has ended without these changes, because its turn had ended. */
  keep(changes: readonly Content[]): void {
    this.#options.late.keep(changes);
  }

  async close(): Promise<void> {
    await this.#observer?.close();
  }

  /** What has changed until now is known, or somebody else's. False if that cannot be seen. */
  async #look(): Promise<boolean> {
    if (this.#observer) return (await this.#changes()) !== undefined;
    const observer = new FileObserver(this.#options);
    try {
      await observer.start(this.#options.signal);
      this.#observer = observer;
      return true;
    } catch (error) {
      this.#options.report(error, 'the files before a command');
      return false;
    }
  }

  async #changes(): Promise<readonly Content[] | undefined> {
    try {
      // A stopped command has changed files, too.
      return await this.#observer?.unreported(new AbortController().signal);
    } catch (error) {
      this.#options.report(error, 'the files after a command');
      return undefined;
    }
  }

  #unseen(): readonly Content[] {
    const why = 'a command ran there, and Parley could not see which files it has changed.';
    return this.#options.roots.map((path) => ({ type: 'untracked', path, why }));
  }
}
