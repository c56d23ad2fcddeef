// One entry as one row with its checksum, and back; a row that is not what was written is told, never guessed at.
import { crc32 } from 'node:zlib';
import type { Entry, Json, Origin, SessionId } from '../../model/event.ts';
import { format, upgrade } from '../../model/upgrade.ts';
import type { Row } from './database.ts';

export function insertEntries(rows: number): string {
  return `INSERT INTO entries (pos, session, seq, at, by, event, format, crc) VALUES ${Array.from({ length: rows }, () => '(?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`;
}

/** The columns that decode() expects, in its order. */
export const entryColumns = 'seq, pos, at, by, event, format, crc';

/** Streams come from one origin object, so its text is made once. */
let lastOrigin: { readonly by: Origin; readonly text: string } | undefined;

/** What a row of an entry holds, in the order of the columns. */
export function encode(session: SessionId, { pos, seq, at, by, event }: Entry): readonly (number | string)[] {
  if (lastOrigin?.by !== by) lastOrigin = { by, text: JSON.stringify(by) };
  const origin = lastOrigin.text;
  const text = JSON.stringify(event);
  return [pos, session, seq, at, origin, text, format, checksum(session, `${seq} ${pos} ${at} ${format}`, `${origin}\n${text}`)];
}

/** The entry a row holds, or what is wrong with it. */
export function decode(session: SessionId, seq: number, row: Row): Entry | string {
  if (row[0] !== seq) return `Entry ${seq} is missing.`;
  if (!isIntact(session, row)) return `Entry ${seq} is not what was written: its checksum is wrong.`;
  const [, pos, at, by, event, written] = row;
  const origin = parse(by);
  const today = upgrade(parse(event) ?? null, written);
  if (!today || !isOrigin(origin)) return `Entry ${seq} was written in a form (${written}) that this version cannot read.`;
  return { seq, pos, at, by: origin, event: today };
}

type IntactRow = readonly [seq: number, pos: number, at: number, by: string, event: string, format: number, crc: number];

/** Whether a row holds exactly what was written, in whatever format. */
export function isIntact(session: SessionId, row: Row): row is IntactRow {
  const [seq, pos, at, by, event, written, crc] = row;
  const numbers = [seq, pos, at, written].every((value) => typeof value === 'number');
  return numbers && checksum(session, `${String(seq)} ${String(pos)} ${String(at)} ${String(written)}`, `${String(by)}\n${String(event)}`) === crc;
}

/** Line breaks cannot occur inside the parts, so no two different entries give the same text. */
function checksum(session: SessionId, numbers: string, json: string): number {
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
