// The sockets in the file system that programs of this machine listen on: docker, agents for keys, message
// buses, our own host. A read-only view does not keep a program from connecting to one.
import {
  lstatSync,
  opendirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import type { Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * A folder in which nothing but sockets lies stands for them, and for those that are opened there later.
 * Shared folders stand for nothing.
 */
export function socketPlaces(shared: readonly string[]): readonly string[] {
  const folders = new Map<string, boolean>();
  const isTheirs = (folder: string) => {
    const known = folders.get(folder) ?? (!shared.includes(folder) && hasOnlySockets(folder));
    folders.set(folder, known);
    return known;
  };
  return unixSockets().map((path) => (isTheirs(dirname(path)) ? dirname(path) : path));
}

/** Each command asks, and such a folder may be large: the first entry that is no socket ends the look. */
function hasOnlySockets(folder: string): boolean {
  try {
    const entries = opendirSync(folder);
    try {
      for (let entry = entries.readSync(); entry; entry = entries.readSync())
        if (!entry.isSocket()) return false;
      return true;
    } finally {
      entries.closeSync();
    }
  } catch {
    return false;
  }
}

function unixSockets(): readonly string[] {
  try {
    const found = socketsIn(readFileSync('/proc/net/unix', 'utf8'));
    const whole = found.filter(({ path }) => path.startsWith('/')).map(({ path }) => path);
    const parts = found.filter(({ path }) => !path.startsWith('/'));
    const made = new Set([...whole, ...(parts.length === 0 ? [] : besideTheirPrograms(parts))]);
    return [...new Set([...made].flatMap(whereItIs))].filter(isReachable);
  } catch {
    return [];
  }
}

interface BoundSocket {
  readonly inode: string;
  /** As the program wrote it: it may be relative to the folder that the program was in. */
  readonly path: string;
}

/** Flag of a socket that accepts connections. */
const accepting = 0x10000;

/** Lines are: address, references, protocol, flags, type, state, inode, path. */
export function socketsIn(table: string): readonly BoundSocket[] {
  return table.split('\n').flatMap((line) => {
    // Most have no path, or one outside the file system.
    const [, flags = '', inode = '', path = ''] =
      /^\S+: \S+ \S+ (\S+) \S+ \S+\s+(\S+) ([^@].*)$/.exec(line) ?? [];
    // Datagram sockets accept messages without being in that state; they are hidden, too.
    const isStream = / 0001 /.test(line);
    return path !== '' && (!isStream || (Number.parseInt(flags, 16) & accepting) !== 0)
      ? [{ inode, path }]
      : [];
  });
}

/** Relative paths lead from the folders of the programs that have the sockets open. */
function besideTheirPrograms(sockets: readonly BoundSocket[]): readonly string[] {
  const wanted = new Map(sockets.map(({ inode, path }) => [`socket:[${inode}]`, path]));
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const open = readdirSync(`/proc/${pid}/fd`).map((name) => linkOf(`/proc/${pid}/fd/${name}`));
      const paths = open.flatMap((target) => wanted.get(target) ?? []);
      const folder = paths.length === 0 ? '' : readlinkSync(`/proc/${pid}/cwd`);
      return paths.map((path) => resolve(folder, path));
    } catch {
      // It has ended, or belongs to somebody else.
      return [];
    }
  });
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/**
 * The kernel knows the first name of a socket only, and programs give it another one once it is ready, as ssh
 * does: then it is one of those in the same folder.
 */
function whereItIs(path: string): readonly string[] {
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSocket()) return [path];
    const beside = readdirSync(dirname(path), { withFileTypes: true });
    return beside.filter((entry) => entry.isSocket()).map(({ name }) => join(dirname(path), name));
  } catch {
    // A process that may not read the directory cannot connect to the socket either.
    return [];
  }
}

/** Not in a private folder of somebody else: inside a sandbox root has no rights there either. */
function isReachable(path: string): boolean {
  try {
    return foldersAbove(realpathSync(path)).every((folder) => mayPass(statSync(folder)));
  } catch {
    // It is gone, or in a folder that this process may not look into.
    return false;
  }
}

function foldersAbove(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersAbove(folder)];
}

function mayPass({ uid, gid, mode }: Stats): boolean {
  if (uid === process.geteuid?.()) return true;
  const isOfGroup = gid === process.getegid?.() || process.getgroups?.().includes(gid);
  return (mode & (isOfGroup ? 0o010 : 0o001)) !== 0;
}
