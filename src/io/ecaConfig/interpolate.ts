// Puts the environment, files and the output of commands into the texts of an ECA configuration. What a folder brings along may name the environment only.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { passwordFor } from './netrc.ts';

export interface Place {
  readonly env: { readonly [name: string]: string | undefined };
  /** The file that the texts stand in; relative paths start beside it. */
  readonly file?: string;
  /** Whether commands may be run and files read: only where the user has written the texts. */
  readonly own: boolean;
  /** The folder of the plugin that the texts belong to. */
  readonly plugin?: string;
  /** Where passwords are kept, where it is not the usual place. */
  readonly netrc?: string;
}

const marks = /\$\{(env|file|cmd|netrc|classpath|plugin):([^}]*)\}/g;

export function interpolate(value: unknown, place: Place): unknown {
  if (typeof value === 'string')
    return value.replaceAll(
      marks,
      (whole: string, kind: string, rest: string) => fill(kind, rest, place) ?? whole,
    );
  if (Array.isArray(value)) return value.map((inner) => interpolate(inner, place));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, interpolate(inner, place)]));
}

/** What stands for a mark; nothing where it is left as it is. */
function fill(kind: string, rest: string, { env, file, own, plugin, netrc }: Place): string | undefined {
  if (kind === 'env') {
    const [name = '', ...otherwise] = rest.split(':');
    return env[name] ?? otherwise.join(':');
  }
  // The files of the other program are not here: what would be one of its own texts is as if it were not written, so that ours hold.
  if (kind === 'classpath') return '';
  if (kind === 'plugin') return rest === 'root' ? plugin : undefined;
  if (!own) return undefined;
  try {
    if (kind === 'file') return readFileSync(pathOf(rest, file), 'utf8').trimEnd();
    return kind === 'cmd' ? outputOf(rest) : passwordFor(rest, netrc);
  } catch {
    return '';
  }
}

/** What commands said, so that a change of a file does not run them all again while everybody waits. */
const said = new Map<string, { readonly text: string; readonly until: number }>();
const fresh = 60_000;

function outputOf(command: string): string {
  const known = said.get(command);
  if (known && known.until > Date.now()) return known.text;
  const text = execFileSync('/bin/sh', ['-c', command], {
    encoding: 'utf8',
    timeout: 10_000,
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trimEnd();
  said.set(command, { text, until: Date.now() + fresh });
  return text;
}

function pathOf(path: string, file: string | undefined): string {
  if (path.startsWith('~/')) return join(homedir(), path.slice(2));
  return isAbsolute(path) ? path : join(file === undefined ? homedir() : dirname(file), path);
}
