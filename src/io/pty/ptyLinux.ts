// A terminal on Linux: the kernel's pair of devices with a session of processes on it that never outlives us, and every byte of output.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import type { Pty, PtyEnd, PtyProblem, PtyWish } from '../../host/terminals/pty.ts';
import { LastWord } from './endOfOutput.ts';
import type { NodePty, PtyPair } from './nodePty.ts';
import { PtyInput } from './ptyInput.ts';
import { endSession } from '../processes/processSession.ts';
import { keepFromChildren, sealed } from '../processes/sealedPipes.ts';
import type { Launch } from './shellSetup.ts';

export interface PtyStart {
  readonly wish: PtyWish;
  readonly launch: Launch;
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
    stdio: sealed(['ignore', 'ignore', 'ignore', 'pipe']),
  });
  const failure = await startFailure(child);
  if (!failure) return new LinuxPty({ ...start, pair, side, child, close });
  close();
  return { problem: 'failed', message: `The terminal could not be started in ${cwd}: ${failure.message}.` };
}

interface OpenPair {
  readonly pair: PtyPair;
  /** Our own descriptor of the program's side. */
  readonly side: number;
  readonly close: () => void;
}

function openPair(pair: PtyPair): OpenPair {
  // A stream without a listener would throw what goes wrong at everybody.
  for (const stream of [pair.master, pair.slave]) stream.on('error', () => {});
  pair.master.pause();
  try {
    // The program must never be the last to hold its side: below Node 24 whatever was not read by then would be lost.
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
    // The package reads from the program's side, too, and would take its input away.
    pair.slave.destroy();
  }
}

/**
 * A watcher in the same session waits on a pipe that only we hold. When we die, however we die, it reads the end of that pipe and kills
 * the session; while it lives, nobody else can be given the session's number. Opening the device makes it the terminal of the session.
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
stty iutf8 2>/dev/null
exec "$@"`;

/** Whether a child could be started is known at once, why not a moment later. */
function startFailure(child: ChildProcess): Promise<Error | undefined> {
  return new Promise((resolve) => {
    child.once('error', resolve);
    if (child.pid !== undefined) resolve(undefined);
  });
}

interface Parts extends PtyStart, OpenPair {
  readonly child: ChildProcess;
}

/** How long the last output may take to arrive when everybody who wrote has gone, in milliseconds. */
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

  /** Whether the descriptors are closed, so that their numbers may belong to something else. */
  get #gone(): boolean {
    return this.#parts.pair.master.destroyed;
  }

  /** The watcher stays when all others have gone. */
  #end(): Promise<void> {
    return endSession(this.#parts.child.pid ?? 0, { grace: this.#parts.grace, staying: 1 });
  }

  /** What is left of the session goes first, so that nothing is written any more; then all that was written is read. */
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
