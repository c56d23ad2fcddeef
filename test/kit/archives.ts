// Writes tar and zip archives for tests, also such that no honest program would write.
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

export interface ArchiveEntry {
  readonly name: string;
  readonly text?: string;
  readonly mode?: number;
  /** Of tar: '0' is a file, '5' a folder, '2' a link, '1' a hard link. */
  readonly type?: string;
  readonly target?: string;
}

export function tarOf(...entries: readonly ArchiveEntry[]): Buffer {
  return Buffer.concat([...entries.map(tarEntry), Buffer.alloc(1024)]);
}

export function tarGzOf(...entries: readonly ArchiveEntry[]): Buffer {
  return gzipSync(tarOf(...entries));
}

function tarEntry({ name, text = '', mode = 0o644, type = '0', target = '' }: ArchiveEntry): Buffer {
  const header = Buffer.alloc(512);
  const data = Buffer.from(text);
  header.write(name, 0, 100);
  header.write(`${mode.toString(8).padStart(7, '0')}\0`, 100);
  header.write(`${data.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write(type, 156);
  header.write(target, 157, 100);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, data, Buffer.alloc((512 - (data.length % 512)) % 512)]);
}

export function zipOf(...entries: readonly ArchiveEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, text = '', mode = 0o100_644, target } of entries) {
    const data = Buffer.from(target ?? text);
    const packed = deflateRawSync(data);
    const sizes = Buffer.alloc(12);
    sizes.writeUInt32LE(crc32(data), 0);
    sizes.writeUInt32LE(packed.length, 4);
    sizes.writeUInt32LE(data.length, 8);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04_03_4b_50, 0);
    local.writeUInt16LE(8, 8);
    sizes.copy(local, 14);
    local.writeUInt16LE(Buffer.byteLength(name), 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02_01_4b_50, 0);
    central.writeUInt16LE(8, 10);
    sizes.copy(central, 16);
    central.writeUInt16LE(Buffer.byteLength(name), 28);
    central.writeUInt16LE(target === undefined ? mode : 0o120_777, 40);
    central.writeUInt32LE(offset, 42);
    const file = Buffer.concat([local, Buffer.from(name), packed]);
    files.push(file);
    directory.push(Buffer.concat([central, Buffer.from(name)]));
    offset += file.length;
  }
  const all = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06_05_4b_50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(all.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, all, end]);
}
