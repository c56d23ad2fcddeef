// Unpacks a zip archive by its central directory. Encrypted archives and those over 4 GB are refused.
import { open as openFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import type { SafeTree } from './safeTree.ts';

const endSize = 22;
const longestComment = 65_535;
const largestDirectory = 64_000_000;

export async function unpackZip(file: string, tree: SafeTree): Promise<void> {
  const handle = await openFile(file, 'r');
  try {
    for (const entry of await readDirectory(handle)) await unpackEntry(handle, entry, tree);
  } finally {
    await handle.close();
  }
}

interface ZipEntry {
  readonly name: string;
  /** 0 is stored, 8 is deflated. */
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly mode: number;
  readonly offset: number;
}

async function readDirectory(handle: FileHandle): Promise<readonly ZipEntry[]> {
  const { size } = await handle.stat();
  const tail = await readAt(handle, Math.max(0, size - endSize - longestComment), size);
  const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0 || tail.length < end + endSize) throw broken();
  const count = tail.readUInt16LE(end + 10);
  const length = tail.readUInt32LE(end + 12);
  const start = tail.readUInt32LE(end + 16);
  if (count === 0xff_ff || start === 0xff_ff_ff_ff || length > largestDirectory)
    throw new Error('The archive is too large.');
  const directory = await readAt(handle, start, start + length);
  const entries: ZipEntry[] = [];
  for (let at = 0; entries.length < count;) {
    const { entry, next } = readEntry(directory, at);
    entries.push(entry);
    at = next;
  }
  return entries;
}

function readEntry(directory: Buffer, at: number): { readonly entry: ZipEntry; readonly next: number } {
  if (directory.length < at + 46 || directory.readUInt32LE(at) !== 0x02_01_4b_50) throw broken();
  if ((directory.readUInt16LE(at + 8) & 1) !== 0) throw new Error('The archive is encrypted.');
  const nameEnd = at + 46 + directory.readUInt16LE(at + 28);
  const next = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  if (next > directory.length) throw broken();
  return {
    next,
    entry: {
      name: directory.toString('utf8', at + 46, nameEnd),
      method: directory.readUInt16LE(at + 10),
      crc: directory.readUInt32LE(at + 16),
      packed: directory.readUInt32LE(at + 20),
      size: directory.readUInt32LE(at + 24),
      mode: directory.readUInt16LE(at + 40),
      offset: directory.readUInt32LE(at + 42),
    },
  };
}

async function unpackEntry(handle: FileHandle, entry: ZipEntry, tree: SafeTree): Promise<void> {
  const { name, mode, size } = entry;
  if (name.endsWith('/')) return tree.directory(name);
  const content = await contentOf(handle, entry);
  const type = mode & 0o170_000;
  if (type === 0o120_000) {
    if (size > 4_096) throw broken();
    const chunks: Uint8Array[] = [];
    for await (const chunk of content) chunks.push(chunk);
    return tree.symlink(name, Buffer.concat(chunks).toString('utf8'));
  }
  if (type !== 0 && type !== 0o100_000)
    throw new Error(`The archive has something that is no file: ${name}.`);
  return tree.file(name, mode, content);
}

async function contentOf(handle: FileHandle, entry: ZipEntry): Promise<AsyncIterable<Uint8Array>> {
  const { method, offset, packed } = entry;
  const local = await readAt(handle, offset, offset + 30);
  if (local.length < 30 || local.readUInt32LE(0) !== 0x04_03_4b_50) throw broken();
  const start = offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
  if (method !== 0 && method !== 8) throw new Error('The archive is packed in a way that is not supported.');
  const raw = () => Readable.from(pieces(handle, start, start + packed));
  return checked(
    // A pipeline ends both streams when either fails or the reader stops.
    () => (method === 0 ? raw() : pipeline(raw(), createInflateRaw(), () => {})),
    entry,
  );
}

/** Opens the content when it is read first, so that nothing is left open if it never is. */
async function* checked(
  open: () => AsyncIterable<Uint8Array>,
  { crc, size }: ZipEntry,
): AsyncGenerator<Uint8Array> {
  let sum = 0;
  let count = 0;
  for await (const chunk of open()) {
    sum = crc32(chunk, sum);
    count += chunk.byteLength;
    if (count > size) throw broken();
    yield chunk;
  }
  if (count !== size || sum !== crc) throw broken();
}

async function* pieces(handle: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end;) {
    const piece = await readAt(handle, at, Math.min(end, at + 65_536));
    if (piece.length === 0) throw broken();
    at += piece.length;
    yield piece;
  }
}

async function readAt(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(end - start), 0, end - start, start);
  return buffer.subarray(0, bytesRead);
}

function broken(): Error {
  return new Error('The archive is damaged.');
}
