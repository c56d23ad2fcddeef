// Keeps sandboxes ready, because the kernel takes long to make one. A spare one has everything but the
// program, which waits for its words. It is used only while a new one would be exactly the same.
import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import type { ShellCommand } from '../../host/ports.ts';
import { newCallMark } from '../../rpc/processes/strayProcesses.ts';
import { pairsOf, unfit } from '../sandbox/innerVariables.ts';
import type { Variables } from '../sandbox/innerVariables.ts';
import { sentWords, waitingWords } from '../sandbox/relay.ts';
import type { Confined, Sandbox } from '../sandbox/sandbox.ts';
import { endProcessTree } from './processTree.ts';

/** A sandbox whose program waits for its words. */
export interface SpareSandbox {
  readonly child: ChildProcess;
  /** The mark of the call that will use it. */
  readonly mark: string;
  readonly confined: Confined;
}

interface Kept extends SpareSandbox {
  readonly key: string;
  readonly timer: NodeJS.Timeout;
}

export interface SpareOptions {
  readonly sandbox: Pick<Sandbox, 'confine' | 'sees' | 'onClose' | 'onMakeRoom'>;
  /** Starts a program without variables, whose descriptor 4 is a pipe. */
  readonly start: (command: ShellCommand, words: readonly string[], mark: string) => ChildProcess;
}

/** In milliseconds. Longer than most models take between two commands. */
const life = 10_000;

/** Of all sessions together. */
const most = 4;

export class SpareSandboxes {
  readonly #options: SpareOptions;
  readonly #kept = new Set<Kept>();
  #isClosed = false;

  constructor(options: SpareOptions) {
    this.#options = options;
    options.sandbox.onClose(() => this.#close());
    options.sandbox.onMakeRoom(() => this.#endAll());
  }

  /** A sandbox in which the words have been started with the environment, if there is one for the command. */
  take(command: ShellCommand, words: readonly string[], env: Variables): SpareSandbox | undefined {
    const { confined, input } = command;
    if (this.#kept.size === 0 || !confined || input !== undefined || unfit(words, env) !== undefined)
      return undefined;
    const key = this.#keyOf(command);
    const found = [...this.#kept].find((kept) => kept.key === key && isRunning(kept.child));
    if (!found) return undefined;
    this.#kept.delete(found);
    clearTimeout(found.timer);
    setWaiting(found.child, true);
    found.confined.adopt?.(confined);
    const [, , , , pipe] = found.child.stdio;
    // Closed immediately, because other programs in the sandbox may hold the other end.
    const sent = sentWords(words, pairsOf(found.confined.variables(env)));
    if (pipe instanceof Socket) pipe.end(sent, () => pipe.destroy());
    return found;
  }

  /** Makes one ready for a command like this one. */
  prepare(command: ShellCommand): void {
    const { confined: policy, cwd, input } = command;
    const words = waitingWords();
    if (!policy || policy.isLasting || input !== undefined || !words || this.#isClosed) return;
    const key = this.#keyOf(command);
    if (key === undefined || [...this.#kept].some((kept) => kept.key === key)) return;
    const confined = this.#options.sandbox.confine(words, cwd, policy);
    if ('refused' in confined || confined.sees === undefined) return;
    const mark = newCallMark();
    const child = this.#options.start(command, confined.words, mark);
    const timer = setTimeout(() => this.#end(kept), life).unref();
    const kept: Kept = { child, mark, confined, key: confined.sees, timer };
    this.#kept.add(kept);
    setWaiting(child, false);
    child.on('error', () => this.#end(kept));
    const [oldest] = this.#kept;
    if (this.#kept.size > most && oldest) this.#end(oldest);
  }

  #keyOf({ confined, cwd }: ShellCommand): string | undefined {
    return confined && this.#options.sandbox.sees(cwd, confined);
  }

  #end(kept: Kept): void {
    if (!this.#kept.delete(kept)) return;
    clearTimeout(kept.timer);
    endProcessTree(kept.child);
    kept.confined.release();
  }

  #close(): void {
    this.#isClosed = true;
    this.#endAll();
  }

  #endAll(): void {
    for (const kept of this.#kept) this.#end(kept);
  }
}

function isRunning({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null;
}

/** Whether our process stays alive for it. */
function setWaiting(child: ChildProcess, waits: boolean): void {
  const sockets = child.stdio.filter((pipe) => pipe instanceof Socket);
  for (const each of [child, ...sockets])
    if (waits) each.ref();
    else each.unref();
}
