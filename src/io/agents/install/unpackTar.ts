// Unpacks a tar archive: plain, GNU and PAX headers. Devices and pipes are refused.
import type { SafeTree } from './safeTree.ts';

const block = 512;

/** Headers that hold a long name are small; larger ones are an attack. */
const largestName = 64_000;

/** How many of them one entry may have: a compressed archive could bring them without an end. */
const mostNames = 8;

export async function unpackTar(bytes: AsyncIterable<Uint8Array>, tree: SafeTree): Promise<void> {
  const reader = new ByteReader(bytes);
  let next: LongNames = {};
  let names = 0;
  for (;;) {
    const header = await reader.read(block);
    // Two empty blocks end an archive; some writers leave them out.
    if (!header || header.every((byte) => byte === 0)) return;
    const entry = readHeader(header);
    if ('LKxg'.includes(entry.type)) {
      names += 1;
      if (entry.size > largestName || names > mostNames)
        throw new Error('The archive has a name that is too long.');
      const data = await reader.read(entry.size);
      await reader.skip(padding(entry.size));
      if (!data) throw broken();
      next = { ...next, ...longNames(entry.type, data) };
      continue;
    }
    const { path: name = entry.name, linkpath: target = entry.target } = next;
    const size = next.size ?? entry.size;
    next = {};
    names = 0;
    await unpackEntry({ ...entry, name, target, size }, reader, tree);
    await reader.skip(padding(size));
  }
}

interface TarEntry {
  readonly name: string;
  readonly type: string;
  readonly mode: number;
  readonly size: number;
  readonly target: string;
}

interface LongNames {
  readonly path?: string;
  readonly linkpath?: string;
  readonly size?: number;
}

async function unpackEntry(entry: TarEntry, reader: ByteReader, tree: SafeTree): Promise<void> {
  const { name, type, mode, size, target } = entry;
  switch (type) {
    case '0':
    case '\0':
    case '7':
      return name.endsWith('/') ? tree.directory(name) : tree.file(name, mode, reader.chunks(size));
    case '5':
      return tree.directory(name);
    case '1':
      return tree.hardLink(name, target);
    case '2':
      return tree.symlink(name, target);
    default:
      throw new Error(`The archive has something that is no file: ${name}.`);
  }
}

function readHeader(header: Buffer): TarEntry {
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (octal(header, 148, 8) !== sum) throw broken();
  const prefix = text(header, 257, 5) === 'ustar' ? text(header, 345, 155) : '';
  const name = text(header, 0, 100);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    mode: octal(header, 100, 8),
    size: octal(header, 124, 12),
    type: String.fromCharCode(header[156] ?? 0),
    target: text(header, 157, 100),
  };
}

function longNames(type: string, data: Buffer): LongNames {
  const whole = data.toString('utf8').replace(/\0+$/, '');
  if (type === 'L') return { path: whole };
  if (type === 'K') return { linkpath: whole };
  // Global PAX headers have comments and defaults that no agent needs.
  return type === 'x' ? paxNames(data) : {};
}

/** Records of the form "LENGTH KEY=VALUE\n"; the length counts the whole record. */
function paxNames(data: Buffer): LongNames {
  const found: Record<string, string> = {};
  for (let at = 0; at < data.length;) {
    const space = data.indexOf(0x20, at);
    const length = Number(data.toString('latin1', at, space));
    if (space < 0 || !Number.isInteger(length) || length <= 0) throw broken();
    const record = data.toString('utf8', space + 1, at + length - 1);
    const equals = record.indexOf('=');
    found[record.slice(0, equals)] = record.slice(equals + 1);
    at += length;
  }
  const { path, linkpath, size } = found;
  if (size !== undefined && !/^\d{1,15}$/.test(size)) throw broken();
  return {
    ...(path === undefined ? {} : { path }),
    ...(linkpath === undefined ? {} : { linkpath }),
    ...(size === undefined ? {} : { size: Number(size) }),
  };
}

function text(header: Buffer, at: number, length: number): string {
  const field = header.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? length : end);
}

function octal(header: Buffer, at: number, length: number): number {
  const digits = text(header, at, length).trim();
  const value = digits === '' ? 0 : Number.parseInt(digits, 8);
  if (!Number.isSafeInteger(value) || value < 0) throw broken();
  return value;
}

function padding(size: number): number {
  return (block - (size % block)) % block;
}

function broken(): Error {
  return new Error('The archive is damaged.');
}

/** Reads a stream in pieces of given sizes. */
class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Undefined at the end of the stream. */
  async read(size: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    for await (const chunk of this.#upTo(size)) parts.push(chunk);
    const all = Buffer.concat(parts);
    if (all.length === 0 && size > 0) return undefined;
    if (all.length < size) throw broken();
    return all;
  }

  async *chunks(size: number): AsyncGenerator<Buffer> {
    let count = 0;
    for await (const chunk of this.#upTo(size)) {
      count += chunk.length;
      yield chunk;
    }
    if (count < size) throw broken();
  }

  async skip(size: number): Promise<void> {
    for await (const _ of this.#upTo(size));
  }

  async *#upTo(size: number): AsyncGenerator<Buffer> {
    let missing = size;
    while (missing > 0) {
      if (this.#rest.length === 0) {
        const next = await this.#source.next();
        if (next.done === true) return;
        this.#rest = Buffer.from(next.value);
      }
      const chunk = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(chunk.length);
      missing -= chunk.length;
      yield chunk;
    }
  }
}
