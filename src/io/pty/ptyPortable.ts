// A terminal on macOS and Windows, where the package starts the program. It ends the program's group, not its
// whole session, and a program that exits while it is paused may lose its last output.
import { errorText } from '../../base/errorText.ts';
import { closeSync, constants, openSync } from 'node:fs';
import { constants as system } from 'node:os';
import type { Pty, PtyEnd, PtyProblem } from '../../host/terminals/pty.ts';
import type { NodePty, PtyProcess } from './nodePty.ts';
import { PtyInput } from './ptyInput.ts';
import type { PtyStart } from './ptyLinux.ts';
import { keepFromChildren } from '../processes/sealedPipes.ts';

export function openPortablePty(node: NodePty, start: PtyStart): Pty | PtyProblem {
  const {
    wish: { cols, rows, cwd },
    launch,
    env,
  } = start;
  try {
    return new PortablePty(
      node.spawn(launch.file, [...launch.args], {
        name: env['TERM'] ?? 'xterm',
        cols,
        rows,
        cwd,
        env: { ...env },
      }),
      start,
    );
  } catch (error) {
    return {
      problem: 'failed',
      message: `The terminal could not be started in ${cwd}: ${errorText(error)}.`,
    };
  }
}

class PortablePty implements Pty {
  readonly name: string;
  readonly nonce: string | undefined;
  readonly #process: PtyProcess;
  readonly #start: PtyStart;
  readonly #input: Pick<PtyInput, 'write'>;
  readonly #release: readonly (() => void)[];
  #killer: NodeJS.Timeout | undefined;
  #done = false;

  constructor(process: PtyProcess, start: PtyStart) {
    this.#process = process;
    this.#start = start;
    this.name = start.launch.name;
    this.nonce = start.launch.nonce;
    this.#input =
      process.fd === undefined ? throughPackage(process) : new PtyInput(process.fd, () => closed(process));
    this.#release = [
      ...(process.fd === undefined ? [] : [keepFromChildren(process.fd)]),
      holdOutput(process.ptsName),
      () => start.launch.dispose(),
    ];
    process.onData((text) => start.wish.data(text));
    process.onExit((end) => this.#exited(end));
  }

  write(text: string): boolean {
    return !this.#done && this.#input.write(text);
  }

  resize(cols: number, rows: number): void {
    if (!this.#done && !closed(this.#process)) this.#process.resize(cols, rows);
  }

  pause(): void {
    if (!this.#done) this.#process.pause();
  }

  resume(): void {
    if (!this.#done) this.#process.resume();
  }

  kill(): void {
    if (this.#done || this.#killer) return;
    this.#process.resume();
    this.#signal('SIGHUP');
    this.#killer = setTimeout(() => this.#signal('SIGKILL'), this.#start.grace);
  }

  #exited({ exitCode, signal }: { readonly exitCode: number; readonly signal?: number }): void {
    this.#done = true;
    clearTimeout(this.#killer);
    // Background processes end with the program. The id is not reused while the group exists, so no
    // other process is hit.
    this.#signal('SIGKILL');
    for (const release of this.#release) release();
    this.#start.wish.exited(endOf(exitCode, signal));
  }

  #signal(name: 'SIGHUP' | 'SIGKILL'): void {
    if (process.platform === 'win32') {
      if (!this.#done) this.#process.kill();
      return;
    }
    try {
      process.kill(-this.#process.pid, name);
    } catch {
      // The group has already ended.
    }
  }
}

/** Whether the descriptor is closed. */
function closed(process: PtyProcess): boolean {
  // oxlint-disable-next-line no-underscore-dangle -- the package says it nowhere else
  return process._socket?.destroyed === true;
}

/** On Windows the package uses pipes, which do not block. */
function throughPackage(process: PtyProcess): Pick<PtyInput, 'write'> {
  return {
    write(text) {
      process.write(text);
      return true;
    },
  };
}

/** Keeps the slave side open: before Node 24, unread output is lost when its last holder closes it. */
function holdOutput(device: string | undefined): () => void {
  if (device === undefined) return () => {};
  const side = openSync(device, constants.O_RDWR | constants.O_NOCTTY);
  return () => closeSync(side);
}

function endOf(exitCode: number, signal: number | undefined): PtyEnd {
  const name = Object.entries(system.signals).find(([, number]) => number === signal)?.[0];
  return name === undefined ? { exitCode } : { signal: name };
}
