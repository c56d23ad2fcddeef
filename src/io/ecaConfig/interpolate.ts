// Puts the environment, files and the output of commands into the texts of an ECA configuration. What a folder brings along may name the environment only.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

export interface Place {
  readonly env: { readonly [name: string]: string | undefined };
  /** The file that the texts stand in; relative paths start beside it. */
  readonly file?: string;
  /** Whether commands may be run and files read: only where the user has written the texts. */
  readonly own: boolean;
}

const marks = /\$\{(env|file|cmd|netrc|classpath|plugin):([^}]*)\}/g;

export function interpolate(value: unknown, place: Place): unknown {
  if (typeof value === 'string') return value.replaceAll(marks, (whole: string, kind: string, rest: string) => fill(kind, rest, place) ?? whole);
  if (Array.isArray(value)) return value.map((inner) => interpolate(inner, place));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, interpolate(inner, place)]));
}

/** What stands for a mark; nothing where it is left as it is. */
function fill(kind: string, rest: string, { env, file, own }: Place): string | undefined {
  if (kind === 'env') {
    const [name = '', ...otherwise] = rest.split(':');
    return env[name] ?? otherwise.join(':');
  }
  if (!own) return undefined;
  try {
    if (kind === 'file') return readFileSync(pathOf(rest, file), 'utf8').trimEnd();
    if (kind === 'cmd') return outputOf(rest);
    return kind === 'netrc' ? passwordFor(rest) : undefined;
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
  const text = execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8', timeout: 10_000, stdio: ['ignore', 'pipe', 'ignore'] }).trimEnd();
  said.set(command, { text, until: Date.now() + fresh });
  return text;
}

function pathOf(path: string, file: string | undefined): string {
  if (path.startsWith('~/')) return join(homedir(), path.slice(2));
  return isAbsolute(path) ? path : join(file === undefined ? homedir() : dirname(file), path);
}

/** The password of a machine in the file that other programs keep them in. */
function passwordFor(machine: string): string {
  const words = readFileSync(join(homedir(), '.netrc'), 'utf8').split(/\s+/);
  const at = words.findIndex((word, index) => word === 'machine' && words[index + 1] === machine);
  const end = words.findIndex((word, index) => index > at && word === 'machine');
  const entry = at < 0 ? [] : words.slice(at, end < 0 ? undefined : end);
  return entry[entry.indexOf('password') + 1] ?? '';
}
