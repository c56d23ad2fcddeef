// Loads the native package for pseudo-terminals on first use, and types the parts that
// its own types leave out.
import type { ReadStream } from 'node:tty';
import { errorCode, errorText } from '../../base/errorText.ts';
import type { PtyProblem } from '../../host/terminals/pty.ts';

export interface NodePty {
  /** Both ends of a new terminal without a program. We use it on Linux only. */
  open(options: { readonly cols: number; readonly rows: number; readonly encoding: null }): PtyPair;
  spawn(file: string, args: string[], options: PtyOptions): PtyProcess;
}

export interface PtyPair {
  readonly master: ReadStream;
  readonly slave: ReadStream;
  /** The descriptor of the master. */
  readonly fd: number;
  /** The device of the slave. */
  readonly ptsName: string;
  resize(cols: number, rows: number): void;
}

interface PtyOptions {
  readonly name: string;
  readonly cols: number;
  readonly rows: number;
  readonly cwd: string;
  readonly env: { [name: string]: string };
}

export interface PtyProcess {
  readonly pid: number;
  /** Not on Windows. */
  readonly fd?: number;
  readonly ptsName?: string;
  readonly _socket?: { readonly destroyed: boolean };
  onData(listener: (text: string) => void): void;
  onExit(listener: (end: { readonly exitCode: number; readonly signal?: number }) => void): void;
  write(text: string): void;
  resize(cols: number, rows: number): void;
  pause(): void;
  resume(): void;
  kill(signal?: string): void;
}

export type LoadNodePty = () => Promise<unknown>;

export async function loadNodePty(
  load: LoadNodePty = () => import('@lydell/node-pty'),
): Promise<NodePty | PtyProblem> {
  try {
    const loaded = await load();
    if (isNodePty(loaded)) return loaded;
    return unavailable('the package @lydell/node-pty has another shape than we know');
  } catch (error) {
    return unavailable(
      `the package @lydell/node-pty cannot be loaded on ${process.platform}-${process.arch} ` +
        `(${codeOf(error)})`,
    );
  }
}

function isNodePty(value: unknown): value is NodePty {
  return (
    typeof value === 'object' &&
    value !== null &&
    'open' in value &&
    'spawn' in value &&
    typeof value.open === 'function' &&
    typeof value.spawn === 'function'
  );
}

function unavailable(why: string): PtyProblem {
  return { problem: 'unavailable', message: `Terminals are not available here: ${why}.` };
}

function codeOf(error: unknown): string {
  return errorCode(error) ?? errorText(error).split('\n')[0] ?? '';
}
