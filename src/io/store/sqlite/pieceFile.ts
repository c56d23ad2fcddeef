// The pieces of running answers that are not in the database yet, in a plain file beside it: a piece that
// comes alone would cost SQLite two pages. The file is read only after a crash.
import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Batch } from '../../../host/session/logStore.ts';
import { isRecord } from '../../../base/isRecord.ts';
import { memoPerObject } from '../../../base/memo.ts';
import type { Json, Origin, SessionId } from '../../../model/event.ts';
import { format as formatOfToday } from '../../../model/upgrade.ts';
import { privateDirectory, privateFile } from '../../files/privateFiles.ts';
import { isPackable } from './packedRow.ts';
import type { StoredEntry } from './packedRow.ts';
import { readFileIfAny } from '../../files/folderFile.ts';

/** Entries of one session and one origin, one after the other; none where the session was removed. */
export interface Pieces {
  readonly session: SessionId;
  readonly by: string;
  readonly format: number;
  readonly entries: readonly StoredEntry<unknown>[];
}

/** Pieces go to the database when there are so many, or so many characters of them. */
const mostEntries = 512;
const mostCharacters = 256 * 1024;
/** The file begins anew before it is longer than this and one line, in bytes. */
const mostBytes = 1024 * 1024;

const originTexts = memoPerObject<Origin, string>();

export class PieceFile {
  readonly path: string;
  #file: number | undefined;
  #end = 0;
  /** Tells lines from those that were there before the file began anew. */
  #run = Date.now();
  #waiting: Pieces[] = [];
  #entries = 0;
  #characters = 0;
  /** All bytes that were ever appended. */
  #appended = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** What is in the file and not in the database. */
  get waiting(): readonly Pieces[] {
    return this.#waiting;
  }

  get isDue(): boolean {
    return this.#entries >= mostEntries || this.#characters >= mostCharacters;
  }

  get isFull(): boolean {
    return this.#end >= mostBytes;
  }

  /** A name for the end of the file as it is now. */
  get mark(): number {
    return this.#appended;
  }

  /** True when the entries are in the kernel; false if they do not belong here. Throws if it fails. */
  append(entries: Batch['entries']): boolean {
    if (this.isFull) return false;
    const runs = runsIn(entries);
    const line = lineOf(this.#run, JSON.stringify(runs));
    if (line.length > mostCharacters) return false;
    this.#write(line);
    this.#entries += entries.length;
    this.#characters += line.length;
    this.#waiting.push(...runs);
    return true;
  }

  /**
   * Call it before a session is removed. Its pieces stay in the file as long as others need it; whoever reads
   * them then finds no log of the session, and by this mark knows why.
   */
  markRemoved(session: SessionId): void {
    if (this.#end === 0) return;
    const mark: Pieces = { session, by: '', format: formatOfToday, entries: [] };
    this.#write(lineOf(this.#run, JSON.stringify([mark])));
  }

  #write(line: string): void {
    this.#file ??= openFile(this.path);
    const size = Buffer.byteLength(line);
    const written = writeSync(this.#file, line, this.#end);
    if (written < size) throw new Error('The file with the pieces of running answers could not be written.');
    this.#end += size;
    this.#appended += size;
  }

  /** Call it when everything that waits was committed to the database. */
  taken(): void {
    this.#waiting = [];
    this.#entries = 0;
    this.#characters = 0;
  }

  /**
   * Call it when what was committed at a mark is on the disk: if nothing came since, the file begins anew.
   * `cleared` keeps what was in it from being found later.
   */
  synced(mark: number, cleared?: 'cleared'): void {
    if (mark !== this.#appended || this.#waiting.length > 0) return;
    this.beginAnew();
    if (cleared && this.#file !== undefined) ftruncateSync(this.#file);
  }

  /** Everything in the file is on the disk elsewhere. */
  beginAnew(): void {
    this.#end = 0;
    this.#run += 1;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** Closes the file for good. Everything in it is on the disk elsewhere. */
  remove(): void {
    this.close();
    rmSync(this.path, { force: true });
  }
}

/**
 * In a folder of its own: the file is written with each word, and would wake whoever watches the folder of
 * the log, such as for settings that lie there.
 */
export function piecesPath(log: string): string {
  return join(`${log}-running`, 'pieces');
}

/** Where a host has left its pieces: an earlier version had them beside the log. */
export function leftPieces(log: string): readonly string[] {
  return [`${log}-pieces`, piecesPath(log)];
}

/** In bytes; the length of the longest text. */
const longestFile = 500_000_000;

/** What a host has left in its file; whatever follows a damaged line is lost. */
export function readPieces(path: string): readonly Pieces[] {
  const text = readFileIfAny(path, longestFile) ?? '';
  const found: Pieces[] = [];
  let first: string | undefined;
  for (const line of text.split('\n')) {
    const [, crc, run, json] = /^(\d+) (\d+) (.*)$/.exec(line) ?? [];
    first ??= run;
    if (run === undefined || json === undefined || run !== first) break;
    if (Number(crc) !== crc32(`${run} ${json}`)) break;
    found.push(...piecesIn(json));
  }
  return found;
}

/** The entries by the rows that they can share: neighbours of one session and origin that can be packed. */
export function sharedRows(all: readonly Pieces[]): readonly Pieces[] {
  const rows: { session: SessionId; by: string; format: number; entries: StoredEntry<unknown>[] }[] = [];
  const open = new Map<SessionId, (typeof rows)[number]>();
  for (const { session, by, format, entries } of all)
    for (const entry of entries) {
      const row = open.get(session);
      const canShare = isPackable(entry.event);
      if (row && canShare && row.by === by && row.format === format) row.entries.push(entry);
      else {
        const fresh = { session, by, format, entries: [entry] };
        rows.push(fresh);
        if (canShare) open.set(session, fresh);
        else open.delete(session);
      }
    }
  return rows;
}

function lineOf(run: number, json: string): string {
  return `${crc32(`${run} ${json}`)} ${run} ${json}\n`;
}

function runsIn(entries: Batch['entries']): readonly Pieces[] {
  const runs: { session: SessionId; by: string; format: number; entries: StoredEntry<unknown>[] }[] = [];
  for (const { session, entry } of entries) {
    const by = originTexts(entry.by, JSON.stringify);
    const { seq, pos, at, event } = entry;
    const last = runs.at(-1);
    const stored = { seq, pos, at, event };
    if (last?.session === session && last.by === by) last.entries.push(stored);
    else runs.push({ session, by, format: formatOfToday, entries: [stored] });
  }
  return runs;
}

function openFile(path: string): number {
  privateDirectory(dirname(path));
  privateFile(path);
  return openSync(path, 'r+');
}

const parse: (text: string) => Json = JSON.parse;

/** The checksum has vouched for the text; this only keeps out what was never written here. */
function piecesIn(json: string): readonly Pieces[] {
  const value = parse(json);
  return Array.isArray(value) ? value.filter(isPieces) : [];
}

function isPieces(value: unknown): value is Pieces {
  return isRecord(value) && typeof value['session'] === 'string' && Array.isArray(value['entries']);
}
