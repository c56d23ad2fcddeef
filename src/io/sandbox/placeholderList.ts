// The list on disk of the placeholders in workspaces, with the processes that need each of them. The host and
// `parley sandbox` share it, so that none removes what another one still needs. A process that was killed no
// longer counts.
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { errorCode } from '../../base/errorText.ts';
import { isRecord } from '../../base/isRecord.ts';
import { once } from '../../base/memo.ts';
import { writePrivately } from '../files/privateFiles.ts';
import { readUserFile } from '../files/folderFile.ts';

/** The content that leads git to the repository in which the file lies. */
export const linkToItself = '.\n';

/** The kinds, each with the content of its file; two are folders. */
export const placeholderContents = {
  absent: undefined,
  'absent-closed': undefined,
  'absent-link': linkToItself,
  'absent-empty': '',
} as const;

export type PlaceholderKind = keyof typeof placeholderContents;

export function isPlaceholderKind(kind: unknown): kind is PlaceholderKind {
  return typeof kind === 'string' && Object.hasOwn(placeholderContents, kind);
}

export interface ListedPlaceholder {
  readonly kind: PlaceholderKind;
  /** The processes that need it. */
  readonly owners: readonly string[];
}

export type PlaceholderEntries = Map<string, ListedPlaceholder>;

export class PlaceholderList {
  readonly #file: string;
  #known: { readonly mark: string; readonly entries: PlaceholderEntries } | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** As it is now; do not change it. */
  read(): PlaceholderEntries {
    const found = statSync(this.#file, { throwIfNoEntry: false, bigint: true });
    const mark = found ? `${found.ino} ${found.mtimeNs} ${found.size}` : '';
    if (this.#known?.mark !== mark)
      this.#known = { mark, entries: found ? entriesIn(this.#file) : new Map() };
    return this.#known.entries;
  }

  /** Changes the list while no other process does. False if it cannot be written; nothing was done then. */
  change(edit: (entries: PlaceholderEntries) => void): boolean {
    const unlock = lock(`${this.#file}.lock`);
    if (!unlock) return false;
    try {
      const entries = new Map(this.read());
      edit(entries);
      write(this.#file, entries);
      return true;
    } catch {
      return false;
    } finally {
      unlock();
    }
  }
}

/** A name in the list for a part of this process. Another process of the same number has other names. */
export function newOwner(): string {
  return `${processName(process.pid) ?? ''} ${randomUUID()}`;
}

/** Whether an owner may still need its placeholders. */
export function isOwnerAlive(owner: string): boolean {
  const [machine = '', space = '', pid = ''] = owner.split(' ');
  if (machine !== boot()) return false;
  // The numbers of another container say nothing here.
  if (space !== processSpace()) return true;
  const name = processName(Number(pid));
  return name !== undefined && owner.startsWith(`${name} `);
}

function processName(pid: number): string | undefined {
  try {
    // The name of the program, in brackets, may hold anything; the 20th field after it is the start.
    const start = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[19];
    return start === undefined ? undefined : `${boot()} ${processSpace()} ${pid} ${start}`;
  } catch {
    return undefined;
  }
}

const boot = once(() => firstLine('/proc/sys/kernel/random/boot_id'));

const processSpace = once(() => {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
});

function firstLine(path: string): string {
  try {
    return readFileSync(path, 'latin1').trim();
  } catch {
    return '';
  }
}

/** How long to wait for another process, and between two looks, in milliseconds. */
const patience = 500;
const step = 2;

function lock(file: string): (() => void) | undefined {
  for (let waited = 0; waited < patience; waited += step) {
    const taken = tryLock(file);
    if (taken !== 'busy') return taken;
    if (!isOwnerAlive(firstLine(file))) forget(file, waited);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, step);
  }
  return undefined;
}

/** Somebody else may be about to write its name into the file, so the first looks do not count. */
function forget(file: string, waited: number): void {
  if (waited < patience / 2) return;
  try {
    unlinkSync(file);
  } catch {
    // It is gone.
  }
}

function tryLock(file: string): (() => void) | 'busy' | undefined {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const opened = openSync(file, 'wx', 0o600);
    writeFileSync(opened, newOwner());
    closeSync(opened);
    return () => unlinkSync(file);
  } catch (error) {
    return errorCode(error) === 'EEXIST' ? 'busy' : undefined;
  }
}

function write(file: string, entries: PlaceholderEntries): void {
  const all = [...entries].map(([path, { kind, owners }]) => ({ path, kind, owners }));
  if (all.length === 0) {
    if (statSync(file, { throwIfNoEntry: false })) unlinkSync(file);
    return;
  }
  writePrivately(file, JSON.stringify(all));
}

function entriesIn(file: string): PlaceholderEntries {
  try {
    const read: unknown = JSON.parse(readUserFile(file));
    return new Map((Array.isArray(read) ? read : []).flatMap(entryOf));
  } catch {
    return new Map();
  }
}

function entryOf(value: unknown): readonly (readonly [string, ListedPlaceholder])[] {
  if (!isRecord(value)) return [];
  const { path, kind, owners = [] } = value;
  if (typeof path !== 'string' || !isPlaceholderKind(kind)) return [];
  const names = Array.isArray(owners) ? owners.filter((owner) => typeof owner === 'string') : [];
  return [[path, { kind, owners: names }]];
}
