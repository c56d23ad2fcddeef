// A terminal on Linux: a pair of pseudo-terminal devices and a process session that never outlives
// us. No output is lost.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import type { Pty, PtyEnd, PtyProblem, PtyWish } from '../../host/terminals/pty.ts';
import { LastWord } from './endOfOutput.ts';
import type { NodePty, PtyPair } from './nodePty.ts';
import { PtyInput } from './ptyInput.ts';
import { systemFolders } from '../processes/environment.ts';
import { endSession } from '../processes/processSession.ts';
import { keepFromChildren, sealedStdio } from '../processes/sealedPipes.ts';
import type { ShellLaunch } from './shellSetup.ts';

export interface PtyStart {
  readonly wish: PtyWish;
  readonly launch: ShellLaunch;
  readonly env: { readonly [name: string]: string };
  readonly grace: number;
}

export async function openLinuxPty(node: NodePty, start: PtyStart): Promise<Pty | PtyProblem> {
  const { cols, rows, cwd } = start.wish;
  const { pair, side, close } = openPair(node.open({ cols, rows, encoding: null }));
  const child = spawn('/bin/sh', ['-c', guarded, pair.ptsName, start.launch.file, ...start.launch.args], {
    cwd,
    env: start.env,
    detached: true,
    stdio: sealedStdio(['ignore', 'ignore', 'ignore', 'pipe']),
  });
  const failure = await startFailure(child);
  if (!failure) return new LinuxPty({ ...start, pair, side, child, close });
  close();
  return { problem: 'failed', message: `The terminal could not be started in ${cwd}: ${failure.message}.` };
}

interface OpenPair {
  readonly pair: PtyPair;
  /** Our own descriptor of the slave side. */
  readonly side: number;
  readonly close: () => void;
}

function openPair(pair: PtyPair): OpenPair {
  // Without a listener an error of the stream would end the process.
  for (const stream of [pair.master, pair.slave]) stream.on('error', () => {});
  pair.master.pause();
  try {
    // We keep the slave side open, too: before Node 24, unread output is lost when its last holder closes it.
    const side = openSync(pair.ptsName, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
    const unseal = keepFromChildren(pair.fd);
    const close = () => {
      unseal();
      pair.master.destroy();
      closeSync(side);
    };
    return { pair, side, close };
  } catch (error) {
    pair.master.destroy();
    throw error;
  } finally {
    // The package also reads from the slave side, and would steal the program's input.
    pair.slave.destroy();
  }
}

/**
 * A watcher in the same session waits on a pipe whose other end only we hold. When our process ends in any
 * way, the pipe closes and the watcher kills the session. While it lives, the session id is not reused.
 * Opening the device makes it the controlling terminal.
 */
const guarded = `
(trap '' HUP INT QUIT TERM TSTP TTIN TTOU
read -r _ <&3
read -r self _ </proc/self/stat
for round in 1 2 3; do
  for each in /proc/[0-9]*; do
    read -r line <$each/stat || continue
    set -- \${line##*) }
    [ "$4" = "$$" ] && [ "\${each#/proc/}" != "$self" ] && kill -KILL "\${each#/proc/}"
  done
done) </dev/null >/dev/null 2>&1 &
exec 3<&-
exec 0<>"$0" 1>&0 2>&0
PATH=${systemFolders} stty iutf8 2>/dev/null
exec "$@"`;

/** Whether a child has started is known immediately, the reason for a failure slightly later. */
function startFailure(child: ChildProcess): Promise<Error | undefined> {
  return new Promise((resolve) => {
    child.once('error', resolve);
    if (child.pid !== undefined) resolve(undefined);
  });
}

interface Parts extends PtyStart, OpenPair {
  readonly child: ChildProcess;
}

/** How long the last output may take to arrive after all writers have exited, in milliseconds. */
const patience = 2_000;

class LinuxPty implements Pty {
  readonly name: string;
  readonly nonce: string | undefined;
  readonly #parts: Parts;
  readonly #input: PtyInput;
  readonly #decoder = new StringDecoder('utf8');
  #ending: Promise<void> | undefined;
  #last: LastWord | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.name = parts.launch.name;
    this.nonce = parts.launch.nonce;
    this.#input = new PtyInput(parts.pair.fd, () => this.#gone);
    parts.pair.master.on('data', (bytes: Buffer) => this.#read(this.#decoder.write(bytes)));
    parts.pair.master.resume();
    parts.child.once(
      'exit',
      (code, signal) => void this.#exited(signal ? { signal } : { exitCode: code ?? 1 }),
    );
  }

  write(text: string): boolean {
    return this.#input.write(text);
  }

  resize(cols: number, rows: number): void {
    if (!this.#gone) this.#parts.pair.resize(cols, rows);
  }

  pause(): void {
    if (!this.#last) this.#parts.pair.master.pause();
  }

  resume(): void {
    this.#parts.pair.master.resume();
  }

  kill(): void {
    this.#ending ??= this.#end();
  }

  /** Whether the descriptors are closed, so that their numbers may belong to other files. */
  get #gone(): boolean {
    return this.#parts.pair.master.destroyed;
  }

  /** The watcher stays until all others have exited. */
  #end(): Promise<void> {
    return endSession(this.#parts.child.pid ?? 0, { grace: this.#parts.grace, staying: 1 });
  }

  /** Ends the rest of the session first, so that nothing more is written; then reads the remaining output. */
  async #exited(end: PtyEnd): Promise<void> {
    await (this.#ending ??= this.#end());
    const watch = this.#parts.child.stdio[3];
    if (watch instanceof Socket) watch.destroy();
    const { pair, side } = this.#parts;
    this.#last = new LastWord(side, pair.fd);
    pair.master.resume();
    await this.#last.heard(patience);
    this.#finish(end);
  }

  #read(text: string): void {
    const said = this.#last ? this.#last.listen(text) : text;
    if (said !== '') this.#parts.wish.data(said);
  }

  #finish(end: PtyEnd): void {
    const rest = (this.#last?.rest() ?? '') + this.#decoder.end();
    this.#parts.close();
    this.#parts.launch.dispose();
    if (rest !== '') this.#parts.wish.data(rest);
    this.#parts.wish.exited(end);
  }
}
