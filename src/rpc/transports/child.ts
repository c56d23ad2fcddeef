// A transport over a child process that never outlives this process.

import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import type { Writable } from 'node:stream';
import type { Framing } from '../framing/framing.ts';
import { Lines } from '../processes/outputLines.ts';
import { adoptGroup, endGroup, releaseGroup, signalGroup } from '../processes/processGroup.ts';
import { callVariable, endStrays, newCallMark } from '../processes/strayProcesses.ts';
import { createStreamTransport } from './stream.ts';
import type { CloseReason, Limits, Transport, TransportListener } from './transport.ts';

export interface ChildOptions {
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** The whole environment of the child; default: ours. */
  readonly env?: NodeJS.ProcessEnv;
  readonly framing: Framing;
  readonly limits?: Partial<Limits>;
  /** One line of the child's standard error. */
  readonly stderr?: (line: string) => void;
  /** The file descriptors after the three pipes, to hide inherited descriptors from the child. */
  readonly descriptors?: readonly (number | 'ignore')[];
  /** How long the child may take to exit after the end of its input, and again after SIGTERM. */
  readonly graceMs?: number;
}

export interface ChildTransport extends Transport {
  /** Undefined if the program could not be started; the transport then closes as `failed`. */
  readonly pid: number | undefined;
  /**
   * Settles when the program itself has exited. Its pipes may stay open longer: for unread output, or
   * because of its own children.
   */
  readonly exited: Promise<NonNullable<CloseReason['exit']> | Error>;
  /**
   * Whether the program has exited or is about to: messages to a killed process are lost before its exit is
   * reported. Checks each time.
   */
  readonly dying: boolean;
  /**
   * Its output is not read until `resume`, so that it waits when the pipe is full. After its exit or a
   * close the rest is read at once.
   */
  pause(): void;
  resume(): void;
}

export function createChildTransport(options: ChildOptions): ChildTransport {
  return new ChildProcessTransport(options);
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;
type Exit = { readonly code: number | null; readonly signal: string | null };

class ChildProcessTransport implements ChildTransport {
  readonly pid: number | undefined;
  readonly #graceMs: number;
  readonly #output: Readable;
  readonly #inner: Transport;
  readonly exited: Promise<Exit | Error>;
  #exit: Exit | Error | undefined;
  #left: Promise<void> | undefined;

  get dying(): boolean {
    return this.#exit !== undefined || this.pid === undefined || isZombie(this.pid);
  }

  constructor(options: ChildOptions) {
    this.#graceMs = options.graceMs ?? 2000;
    const mark = newCallMark();
    const child = start(options, mark);
    const failed = child instanceof Error;
    this.pid = failed ? undefined : child.pid;
    this.#output = failed ? Readable.from([]) : child.stdout;
    this.#inner = createStreamTransport({
      input: this.#output,
      output: failed ? new PassThrough() : child.stdin,
      framing: options.framing,
      inputAfterClose: 'drain',
      ...(options.limits !== undefined && { limits: options.limits }),
    });
    this.exited = (failed ? Promise.resolve(child) : exitOf(child)).then((exit) => {
      this.#exit = exit;
      this.resume();
      return exit;
    });
    if (failed) return;
    readLines(child.stderr, options.stderr);
    if (child.pid !== undefined) void this.#cleanUp(child, { pid: child.pid, mark });
  }

  get buffered(): number {
    return this.#inner.buffered;
  }

  ready(): boolean {
    return this.#inner.ready();
  }

  onDrain(callback: () => void): Disposable {
    return this.#inner.onDrain(callback);
  }

  send(text: string): void {
    this.#inner.send(text);
  }

  close(reason?: CloseReason): void {
    this.#inner.close(reason);
    void this.#leave();
  }

  pause(): void {
    if (this.#exit === undefined && this.#left === undefined) this.#output.pause();
  }

  resume(): void {
    this.#output.resume();
  }

  listen(listener: TransportListener): void {
    this.#inner.listen({
      message: (text) => listener.message(text),
      problem: (problem) => listener.problem(problem),
      closed: (reason) => void this.#leave().then(() => listener.closed(withExit(reason, this.#exit))),
    });
  }

  #leave(): Promise<void> {
    this.#left ??= this.#seeOff();
    return this.#left;
  }

  /** After its input was closed, the child gets the grace period, then SIGTERM, then SIGKILL. */
  async #seeOff(): Promise<void> {
    await within(this.#graceMs, this.exited);
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (this.#exit !== undefined || this.pid === undefined) return;
      signalGroup(this.pid, signal);
      await within(this.#graceMs, this.exited);
    }
  }

  /** Ends the children of the child after it has exited. They may hold the pipes open until then. */
  async #cleanUp(
    child: Child,
    { pid, mark }: { readonly pid: number; readonly mark: string },
  ): Promise<void> {
    const closed = new Promise((resolve) => child.once('close', resolve));
    adoptGroup(pid, mark);
    await this.exited;
    await endGroup(pid, this.#graceMs);
    await endStrays(mark);
    releaseGroup(pid);
    await within(this.#graceMs, closed);
    this.#inner.close({ kind: 'ended' });
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/** Some start failures are thrown, some produce a child without pipes, most arrive as an event later. */
function start(options: ChildOptions, mark: string): Child | Error {
  const { command, args = [], cwd, env = process.env, descriptors = [] } = options;
  try {
    const child = spawn(command, [...args], {
      ...(cwd !== undefined && { cwd }),
      env: { ...env, [callVariable]: mark },
      stdio: pipesAnd(descriptors),
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    child.once('error', () => {});
    const pipes: unknown = child.stdout;
    return pipes instanceof Readable ? child : new Error('no pipes for the child');
  } catch (error) {
    return error instanceof Error ? error : new Error('not started');
  }
}

/** The three pipes come first; the others are not used. */
function pipesAnd(descriptors: readonly (number | 'ignore')[]): ['pipe', 'pipe', 'pipe'] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what follows is no pipe of ours
  return ['pipe', 'pipe', 'pipe', ...descriptors] as unknown as ['pipe', 'pipe', 'pipe'];
}

function exitOf(child: Child): Promise<Exit | Error> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', resolve);
  });
}

function readLines(stderr: Readable, line: ((text: string) => void) | undefined): void {
  const lines = new Lines((text) => line?.(text));
  stderr.on('data', (chunk: Buffer) => lines.push(chunk));
  stderr.on('end', () => lines.end());
  stderr.on('error', () => lines.end());
}

function withExit(reason: CloseReason, exit: Exit | Error | undefined): CloseReason {
  if (exit === undefined) return reason;
  if (exit instanceof Error) return { kind: 'failed', detail: exit.message };
  // The closed pipes of an exiting child are noticed before its exit.
  if (reason.kind !== 'ended' && reason.kind !== 'failed') return { ...reason, exit };
  return { kind: 'exited', detail: exit.signal ?? `code ${exit.code}`, exit };
}

/** Undefined if the time is up first. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Only on Linux: the state field after the name, which may contain any character. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}
