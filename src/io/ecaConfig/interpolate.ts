// Replaces references in an ECA configuration by variables, file contents and command output. Untrusted files
// may use variables only.
import { execFileSync } from 'node:child_process';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { readUserFile } from '../files/folderFile.ts';
import { passwordFor } from './netrc.ts';

export interface InterpolationContext {
  readonly env: { readonly [name: string]: string | undefined };
  /** The configuration file; relative paths start in its folder. */
  readonly file?: string;
  /** Whether commands may run and files be read: only for the user's own configuration. */
  readonly own: boolean;
  /** The folder of the plugin that the texts belong to. */
  readonly plugin?: string;
  /** The path of the password file, if it is not the default. */
  readonly netrc?: string;
}

const marks = /\$\{(env|file|cmd|netrc|classpath|plugin):([^}]*)\}/g;

export function interpolate(value: unknown, place: InterpolationContext): unknown {
  if (typeof value === 'string')
    return value.replaceAll(
      marks,
      (whole: string, kind: string, rest: string) => fill(kind, rest, place) ?? whole,
    );
  if (Array.isArray(value)) return value.map((inner) => interpolate(inner, place));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, interpolate(inner, place)]));
}

/** The replacement of a reference; `undefined` leaves it unchanged. */
function fill(
  kind: string,
  rest: string,
  { env, file, own, plugin, netrc }: InterpolationContext,
): string | undefined {
  if (kind === 'env') {
    const [name = '', ...otherwise] = rest.split(':');
    return env[name] ?? otherwise.join(':');
  }
  // The files of the other program are not here: what would be one of its own texts is as if it were not
  // written, so that ours hold.
  if (kind === 'classpath') return '';
  if (kind === 'plugin') return rest === 'root' ? plugin : undefined;
  if (!own) return undefined;
  try {
    if (kind === 'file') return readUserFile(pathOf(rest, file)).trimEnd();
    return kind === 'cmd' ? outputOf(rest) : passwordFor(rest, netrc);
  } catch {
    return '';
  }
}

/** Caches command output, so that a changed file does not run all commands again. */
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
