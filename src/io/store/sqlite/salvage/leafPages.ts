// Reads the rows of a damaged SQLite file page by page, without its tree: what is on a sound leaf page is
// found even if nothing points to the page. Knows no tables; the caller judges each row.
import type { Row } from '../database.ts';

/** A row of a table: its rowid and the values of its columns. */
export interface LeafRow {
  readonly rowid: number;
  readonly values: Row;
}

/** Every row on every leaf page of a table that has this many columns. Pages of deleted rows are left out. */
export function* leafRows(file: Buffer, pageSize: number, columns: number): Generator<LeafRow> {
  const pages = Math.floor(file.length / pageSize);
  const free = freePages(file, pageSize);
  for (let page = 1; page <= pages; page += 1) {
    const start = (page - 1) * pageSize;
    const header = page === 1 ? start + 100 : start;
    if (free.has(page) || file[header] !== tableLeaf) continue;
    const cells = file.readUInt16BE(header + 3);
    for (let cell = 0; cell < cells && header + 10 + 2 * cell <= start + pageSize; cell += 1) {
      const row = readCell(file, { start, pageSize, at: start + file.readUInt16BE(header + 8 + 2 * cell) });
      if (row?.values.length === columns) yield row;
    }
  }
}

const tableLeaf = 0x0d;

interface Place {
  readonly start: number;
  readonly pageSize: number;
  readonly at: number;
}

/** An invalid cell does not count as a row. */
function readCell(file: Buffer, { start, pageSize, at }: Place): LeafRow | undefined {
  try {
    const size = varint(file, at);
    const rowid = varint(file, size.end);
    if (at >= start + pageSize || size.value > file.length) return undefined;
    return {
      rowid: rowid.value,
      values: record(payload(file, pageSize, { at: rowid.end, size: size.value })),
    };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The bytes of a record; a long one goes on in a chain of other pages. */
function payload(file: Buffer, pageSize: number, { at, size }: { at: number; size: number }): Buffer {
  const most = pageSize - 35;
  if (size <= most) return file.subarray(at, at + size);
  const least = Math.floor(((pageSize - 12) * 32) / 255) - 23;
  const fitting = least + ((size - least) % (pageSize - 4));
  const local = fitting <= most ? fitting : least;
  const parts = [file.subarray(at, at + local)];
  let left = size - local;
  for (let page = file.readUInt32BE(at + local); left > 0;) {
    const start = (page - 1) * pageSize;
    const length = Math.min(left, pageSize - 4);
    parts.push(file.subarray(start + 4, start + 4 + length));
    left -= length;
    if (left > 0) page = file.readUInt32BE(start);
  }
  return Buffer.concat(parts);
}

function record(bytes: Buffer): Row {
  const header = varint(bytes, 0);
  const values: unknown[] = [];
  let body = header.value;
  for (let at = header.end; at < header.value;) {
    const type = varint(bytes, at);
    at = type.end;
    const { value, size } = valueOf(bytes, body, type.value);
    values.push(value);
    body += size;
  }
  return values;
}

const integerSizes = [0, 1, 2, 3, 4, 6, 8];

function valueOf(
  bytes: Buffer,
  at: number,
  type: number,
): { readonly value: unknown; readonly size: number } {
  if (type === 0) return { value: null, size: 0 };
  if (type === 8 || type === 9) return { value: type - 8, size: 0 };
  const integer = integerSizes[type];
  if (integer === 8) return { value: Number(bytes.readBigInt64BE(at)), size: 8 };
  if (integer !== undefined) return { value: bytes.readIntBE(at, integer), size: integer };
  if (type === 7) return { value: bytes.readDoubleBE(at), size: 8 };
  const size = Math.floor((type - 12) / 2);
  if (type < 12 || at + size > bytes.length) throw new RangeError('no value');
  const slice = bytes.subarray(at, at + size);
  return { value: type % 2 === 1 ? slice.toString('utf8') : slice, size };
}

/** Big-endian, seven bits a byte; the ninth byte has eight. */
function varint(bytes: Buffer, at: number): { readonly value: number; readonly end: number } {
  let value = 0n;
  for (let index = 0; index < 9; index += 1) {
    const byte = bytes.readUInt8(at + index);
    if (index === 8) return { value: Number((value << 8n) | BigInt(byte)), end: at + 9 };
    value = (value << 7n) | BigInt(byte & 0x7f);
    if (byte < 0x80) return { value: Number(value), end: at + index + 1 };
  }
  throw new RangeError('no number');
}

/** Pages that the file does not use: they may hold what was deleted. */
function freePages(file: Buffer, pageSize: number): ReadonlySet<number> {
  const free = new Set<number>();
  const pages = Math.floor(file.length / pageSize);
  if (file.length < 100) return free;
  for (let trunk = file.readUInt32BE(32); trunk > 0 && trunk <= pages && !free.has(trunk);) {
    free.add(trunk);
    const start = (trunk - 1) * pageSize;
    const leaves = Math.min(file.readUInt32BE(start + 4), pageSize / 4 - 2);
    for (let leaf = 0; leaf < leaves; leaf += 1) free.add(file.readUInt32BE(start + 8 + 4 * leaf));
    trunk = file.readUInt32BE(start);
  }
  return free;
}
