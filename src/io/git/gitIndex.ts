// Reads an index as git does, without starting git. Anybody may have made the file, and git believes it.
import { setImmediate } from 'node:timers/promises';

/**
 * The names of the repositories that it names, as bytes. Undefined if it is no index, if one of its entries
 * is a whole folder, or if a name in it leads out of the work tree or into its git directory: git would write
 * there. Lets other work run meanwhile.
 */
export async function repositoriesInIndex(index: Buffer): Promise<readonly Buffer[] | undefined> {
  if (index.length < headerSize || index.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = index.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  const found: Buffer[] = [];
  const scratch = Buffer.alloc(version < 4 ? 0 : longestName);
  let last: Entry = { bytes: scratch, start: 0, end: 0, mode: 0, next: headerSize };
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    const entry: Entry | undefined = version < 4 ? readEntry(index, last) : readShortEntry(index, last);
    if (!entry || leavesTree(entry)) return undefined;
    last = entry;
    if (left % entriesAtOnce === 0) await setImmediate();
    const kind = entry.mode & kindOfFile;
    if (kind === wholeFolder) return undefined;
    if (kind !== repository) continue;
    // We do not look up the name in the other index.
    if (entry.start === entry.end) return undefined;
    found.push(Buffer.from(entry.bytes.subarray(entry.start, entry.end)));
  }
  return found;
}

/** There may be a million, so a name is not copied: it lies between two places. */
interface Entry {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly mode: number;
  /** Where the next one begins. */
  readonly next: number;
}

const headerSize = 12;
const longestName = 65_536;
/** Git looks at these bits alone. */
const kindOfFile = 0o170000;
const repository = 0o160000;
const wholeFolder = 0o040000;

/** A few milliseconds of work. */
const entriesAtOnce = 4_000;

/** Times, mode, owner, group and size come first, then an id of 20 bytes. */
const modeAt = 24;
const flagsAt = 60;
const isExtended = 0x4000;
const lengthOfName = 0xfff;

/** Versions 2 and 3: the name is followed by one to eight zeros. */
function readEntry(index: Buffer, { next: at }: Entry): Entry | undefined {
  if (at + flagsAt + 4 > index.length) return undefined;
  const flags = index.readUInt16BE(at + flagsAt);
  const start = at + flagsAt + (flags & isExtended ? 4 : 2);
  const said = flags & lengthOfName;
  const end = said < lengthOfName ? start + said : index.indexOf(0, start);
  const next = at + ((end - at + 8) & ~7);
  if (end < start || next > index.length) return undefined;
  return { bytes: index, start, end, mode: index.readUInt32BE(at + modeAt), next };
}

/** Version 4: only the end of a name that differs from the name before it, which is kept. */
function readShortEntry(index: Buffer, { bytes, end: before, next: at }: Entry): Entry | undefined {
  if (at + flagsAt + 4 > index.length) return undefined;
  const flags = index.readUInt16BE(at + flagsAt);
  const [removed, from] = readNumber(index, at + flagsAt + (flags & isExtended ? 4 : 2));
  const same = at === headerSize ? 0 : before - removed;
  const said = flags & lengthOfName;
  const to = said < lengthOfName ? from + said - same : index.indexOf(0, from);
  const end = same + to - from;
  if (same < 0 || to < from || to >= index.length || end > longestName) return undefined;
  index.copy(bytes, same, from, to);
  return { bytes, start: 0, end, mode: index.readUInt32BE(at + modeAt), next: to + 1 };
}

/** A number in groups of seven bits, and where it ends. */
function readNumber(index: Buffer, at: number): readonly [value: number, end: number] {
  let [value, end] = [0, at];
  for (let byte = 0x80; byte & 0x80; end += 1) {
    byte = index[end] ?? 0;
    value = (end === at ? 0 : (value + 1) * 128) + (byte & 0x7f);
  }
  return [value, end];
}

const slash = 0x2f;
const dot = 0x2e;

/** Git itself would not have added such a name. */
function leavesTree({ bytes, start, end }: Entry): boolean {
  // Its name stands in another index, which is read, too.
  if (start === end) return false;
  let from = start;
  for (let at = start; at <= end; at += 1) {
    const byte = at === end ? slash : bytes[at];
    if (byte === 0) return true;
    if (byte !== slash) continue;
    const length = at - from;
    const isDotted = bytes[from] === dot && length < 5;
    if (length === 0 || (isDotted && oddName.test(bytes.toString('latin1', from, at)))) return true;
    from = at + 1;
  }
  return false;
}

const oddName = /^\.(?:\.|git)?$/i;
