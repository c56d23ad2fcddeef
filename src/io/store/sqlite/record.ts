// Converts entries to rows with checksums and back. A row that does not match its checksum is reported.
import { crc32 } from 'node:zlib';
import { memoPerObject } from '../../../base/memo.ts';
import { LogDamage, LogNewer } from '../../../host/session/logStore.ts';
import type { Entry, Json, Origin, SessionId } from '../../../model/event.ts';
import { format, isNewer, upgrade } from '../../../model/upgrade.ts';
import type { Row } from './database.ts';
import { isPacked, pack, unpack, unpackMerged } from './packedRow.ts';
import type { StoredEntry } from './packedRow.ts';
import type { Pieces } from './pieceFile.ts';

/**
 * Entries of one session and one origin: what they share is bound once, for every value
 * costs a call into SQLite.
 */
export function insertEntries(rows: number): string {
  const own = (row: number): string => [4, 5, 6, 7, 8].map((at) => `?${at + row * 5}`).join(', ');
  return (
    'INSERT INTO entries (session, by, format, pos, seq, at, event, crc) VALUES ' +
    Array.from({ length: rows }, (_, row) => `(?1, ?2, ?3, ${own(row)})`).join(', ')
  );
}

/** The columns that decode() expects, in its order. */
export const entryColumns = 'seq, pos, at, by, event, format, crc';

/** Streams come from one origin object, so its text is made once. */
const originTexts = memoPerObject<Origin, string>();

/** What insertEntries() binds for entries of one session and one origin. */
export function encode(
  session: SessionId,
  by: Origin,
  entries: readonly Pick<Entry, 'pos' | 'seq' | 'at' | 'event'>[],
): readonly (number | string)[] {
  const origin = originTexts(by, () => JSON.stringify(by));
  const values: (number | string)[] = [session, origin, format];
  for (const { pos, seq, at, event } of entries) {
    const text = JSON.stringify(event);
    values.push(pos, seq, at, text, checksum(session, `${seq} ${pos} ${at} ${format}`, `${origin}\n${text}`));
  }
  return values;
}

/** What insertEntries(1) binds for each row of some pieces; those of one run share a row if they can. */
export function encodePieces({ session, by, format: written, entries }: Pieces): readonly SqlValues[] {
  const last = entries.at(-1);
  const packed = pack(entries);
  const row = ({ seq, pos, at }: Pieces['entries'][number], text: string): SqlValues => {
    const crc = checksum(session, `${seq} ${pos} ${at} ${written}`, `${by}\n${text}`);
    return [session, by, written, pos, seq, at, text, crc];
  };
  if (last && packed !== undefined) return [row(last, packed)];
  return entries.map((entry) => row(entry, JSON.stringify(entry.event)));
}

type SqlValues = readonly (number | string)[];

/** The entries of pieces of one session that follow a sequence number without a gap. */
export function unpackedEntriesAfter(all: readonly Pieces[], after: number): readonly Entry[] {
  const found: Entry[] = [];
  for (const pieces of all)
    for (const each of pieces.entries) {
      if (each.seq !== after + found.length + 1) continue;
      const [values] = encodePieces({ ...pieces, entries: [each] });
      if (!values) continue;
      const [session, by, written, pos, seq, at, text, crc] = values;
      const entry = decode(String(session), each.seq, [seq, pos, at, by, text, written, crc]);
      if (!(entry instanceof LogDamage)) found.push(entry);
    }
  return found;
}

/** The entry a row holds, or why it cannot be read. */
export function decode(session: SessionId, seq: number, row: Row): Entry | LogDamage {
  const entries = decodeRow(session, { after: seq - 1 }, row);
  if (entries instanceof LogDamage) return entries;
  return entries[0] ?? new LogDamage(session, seq, `Entry ${seq} is missing.`);
}

/**
 * The entries of a row after a sequence number, or why they cannot be read. A row that begins there may give
 * its pieces merged.
 */
export function decodeRow(
  session: SessionId,
  { after, merged }: { readonly after: number; readonly merged?: 'merged' | undefined },
  row: Row,
): readonly Entry[] | LogDamage {
  const damaged = (problem: string) => new LogDamage(session, after + 1, problem);
  const stored = storedEntries(session, row, merged && after);
  if (!stored) {
    const isNext = row[0] === after + 1;
    return damaged(
      `Entry ${after + 1} is ${isNext ? 'damaged: its checksum is wrong' : 'missing or damaged'}.`,
    );
  }
  const { by, format: written } = stored;
  // A row of several entries may begin before what the reader wants; nothing may be missing between.
  const entries = stored.entries.filter(({ seq }) => seq > after);
  if (!stored.isMerged && entries[0]?.seq !== after + 1) return damaged(`Entry ${after + 1} is missing.`);
  if (isNewer(written)) return new LogNewer(session, after + 1, written);
  const origin = parse(by);
  const decoded: Entry[] = [];
  for (const { seq, pos, at, event } of entries) {
    const today = upgrade(event, written);
    if (!today || !isOrigin(origin))
      return damaged(`Entry ${seq} has a format (${written}) that this version cannot read.`);
    decoded.push({ seq, pos, at, by: origin, event: today });
  }
  return decoded;
}

export interface StoredRow {
  readonly by: string;
  readonly format: number;
  readonly entries: readonly StoredEntry[];
  readonly isMerged: boolean;
}

/**
 * What is in a row of one or several entries; undefined if it does not match its checksum. A row that begins
 * behind `mergedAfter` gives its pieces merged.
 */
export function storedEntries(session: SessionId, row: Row, mergedAfter?: number): StoredRow | undefined {
  if (!isIntact(session, row)) return undefined;
  const [seq, pos, at, by, text, written] = row;
  const event = parse(text) ?? null;
  if (!isPacked(event)) return { by, format: written, entries: [{ seq, pos, at, event }], isMerged: false };
  const isMerged = mergedAfter !== undefined && event.first[0] === mergedAfter + 1;
  return {
    by,
    format: written,
    entries: isMerged ? unpackMerged(event, { seq, pos }) : unpack(event),
    isMerged,
  };
}

type IntactRow = readonly [
  seq: number,
  pos: number,
  at: number,
  by: string,
  event: string,
  format: number,
  crc: number,
];

/** Whether the row matches its checksum, in any format. */
export function isIntact(session: SessionId, row: Row): row is IntactRow {
  const [seq, pos, at, by, event, written, crc] = row;
  const numbers = [seq, pos, at, written].every((value) => typeof value === 'number');
  return (
    numbers &&
    checksum(
      session,
      `${String(seq)} ${String(pos)} ${String(at)} ${String(written)}`,
      `${String(by)}\n${String(event)}`,
    ) === crc
  );
}

/** Line breaks cannot occur inside the parts, so no two different entries give the same text. */
export function checksum(session: SessionId, numbers: string, json: string): number {
  return crc32(`${session}\n${numbers}\n${json}`);
}

const parseJson: (text: string) => Json = JSON.parse;

function parse(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function isOrigin(value: unknown): value is Origin {
  return typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string';
}
