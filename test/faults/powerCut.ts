// What a loss of power leaves of the files of a program: strace records every write and sync of the real
// program, and an image of the disk at any moment keeps what was synced and a random part of the rest.
import { spawnSync } from 'node:child_process';
import { createReadStream, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';

/** A device writes this much or nothing. */
const sector = 512;

export function canTrace(): boolean {
  return process.platform === 'linux' && spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
}

/** The arguments of strace before a program: record what it does to files, and let some of its calls fail. */
export function tracing(out: string, inject: readonly string[] = []): readonly string[] {
  const calls =
    'openat,write,writev,pwrite64,pwritev,pwritev2,ftruncate,fsync,fdatasync,' +
    // Which of these a program calls is a matter of the processor.
    'rename,renameat,renameat2,unlink,unlinkat';
  const faults = inject.flatMap((fault) => ['-e', `inject=${fault}`]);
  return ['-f', '--seccomp-bpf', '-ttt', '-T', '-y', '-xx', '-s', '20000000', '-o', out]
    .concat('-e', `trace=${calls}`)
    .concat(faults);
}

/** When a call began and ended, in milliseconds since 1970. */
interface Span {
  readonly at: number;
  readonly until: number;
}

interface Change extends Span {
  readonly offset: number;
  /** Undefined cuts the file off there. */
  readonly bytes?: Buffer;
  /** A sync of it failed, so the system may have thrown it away. */
  isDoubtful: boolean;
}

interface TracedFile {
  readonly changes: Change[];
  readonly syncs: Span[];
}

interface Naming extends Span {
  readonly path: string;
  /** Undefined removes the name. */
  readonly file?: TracedFile;
}

interface Call extends Span {
  readonly name: string;
  readonly args: string;
  readonly result: string;
}

export class TracedDisk {
  readonly #directory: string;
  /** The directory, and the folder in it that is part of the log. */
  readonly #folders: readonly string[];
  readonly #names = new Map<string, TracedFile>();
  readonly #namings: Naming[] = [];
  readonly #folderSyncs = new Map<string, Span[]>();
  /** Where the next write without an offset goes, by descriptor. */
  readonly #positions = new Map<string, number>();
  /** How many syncs have failed. */
  failures = 0;

  private constructor(directory: string) {
    this.#directory = directory;
    this.#folders = [directory, join(directory, 'log.db-running')];
  }

  /** Reads what strace has written about the files of a directory. */
  static async read(trace: string, directory: string): Promise<TracedDisk> {
    const disk = new TracedDisk(directory);
    const begun = new Map<string, { readonly at: number; readonly text: string }>();
    for await (const line of createInterface({ input: createReadStream(trace, 'latin1') })) {
      const [, process = '', seconds, text = ''] = /^(\d+) +(\d+\.\d+) (.*)$/.exec(line) ?? [];
      const now = Number(seconds) * 1000;
      const unfinished = /^(.*) <unfinished \.\.\.>$/.exec(text)?.[1];
      if (unfinished !== undefined) {
        begun.set(process, { at: now, text: unfinished });
        continue;
      }
      const rest = /^<\.\.\. \w+ resumed>(.*)$/.exec(text)?.[1];
      const start = rest === undefined ? undefined : begun.get(process);
      const call = callOf(start ? `${start.text}${rest}` : text, start?.at ?? now, start ? now : undefined);
      if (call) disk.#take(call);
    }
    return disk;
  }

  /** The successful syncs of the files that had a name. */
  syncs(name: string): readonly Span[] {
    return this.#filesOf(name).flatMap(({ syncs }) => syncs);
  }

  /** How long each write to a file waited until a sync that began after it had ended, in rising order. */
  waits(name: string): readonly number[] {
    const syncs = this.syncs(name);
    let next = 0;
    return this.#filesOf(name)
      .flatMap(({ changes }) => changes)
      .flatMap(({ until }) => {
        while ((syncs[next]?.at ?? Number.POSITIVE_INFINITY) < until) next += 1;
        const sync = syncs[next];
        return sync ? [sync.until - until] : [];
      })
      .toSorted((a, b) => a - b);
  }

  /** Writes the files as they may be after a loss of power at a moment. */
  writeImage(moment: number, to: string, random: () => number): void {
    mkdirSync(to, { recursive: true });
    for (const folder of this.#folders) {
      const names = this.#namesAt(folder, moment, random);
      if (folder !== this.#directory && !this.#isKept(folder, moment, random)) continue;
      for (const [path, file] of names) {
        const target = join(to, relative(this.#directory, path));
        mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
        writeFileSync(target, contentAt(file, moment, random), { mode: 0o600 });
      }
    }
  }

  /** Names are kept in their order, up to some point after the last sync of their folder. */
  #namesAt(folder: string, moment: number, random: () => number): ReadonlyMap<string, TracedFile> {
    const sure = beginOfLast(this.#folderSyncs.get(folder) ?? [], moment);
    const past = this.#namings.filter(({ path, until }) => dirname(path) === folder && until <= moment);
    const loose = past.filter(({ until }) => until > sure).length;
    const names = new Map<string, TracedFile>();
    for (const { path, file } of past.slice(0, past.length - Math.floor(random() * (loose + 1)))) {
      if (file) names.set(path, file);
      else names.delete(path);
    }
    return names;
  }

  /** A folder is found for sure if the one around it was synced after it had come. */
  #isKept(folder: string, moment: number, random: () => number): boolean {
    const sure = beginOfLast(this.#folderSyncs.get(dirname(folder)) ?? [], moment);
    const [first] = this.#namings.filter(({ path }) => dirname(path) === folder);
    return (first?.at ?? 0) <= sure || random() < 0.5;
  }

  #filesOf(name: string): readonly TracedFile[] {
    const path = join(this.#directory, name);
    return this.#namings.flatMap((naming) => (naming.path === path && naming.file ? [naming.file] : []));
  }

  #take(call: Call): void {
    const { name, args, result } = call;
    if (name === 'openat') return this.#open(call);
    if (name.startsWith('rename') || name.startsWith('unlink')) return this.#name(call);
    const path = decoded(/^\d+<([^>]*)>/.exec(args)?.[1] ?? '').toString();
    if (this.#folders.includes(path) && result === '0')
      this.#folderSyncs.set(path, [...(this.#folderSyncs.get(path) ?? []), call]);
    const file = this.#folders.includes(dirname(path)) ? this.#names.get(path) : undefined;
    if (!file) return;
    if (name === 'fsync' || name === 'fdatasync') this.#sync(file, call);
    else if (result.startsWith('-1')) return;
    else if (name === 'ftruncate') change(file, call, { offset: Number(args.split(', ')[1]) });
    else if (name === 'write' || name === 'pwrite64') {
      const [, descriptor = '', data = '', at] = /^(\d+)\S+ "([^"]*)", \d+(?:, (\d+))?$/.exec(args) ?? [];
      const bytes = decoded(data).subarray(0, Number(result));
      const offset = Number(at ?? this.#positions.get(descriptor) ?? 0);
      if (at === undefined) this.#positions.set(descriptor, offset + bytes.length);
      change(file, call, { offset, bytes });
    } else throw new Error(`The trace has a call that nobody expected: ${name}(${args.slice(0, 80)}`);
  }

  /** After a failed sync the system may count data as written that is not, and later syncs leave it out. */
  #sync(file: TracedFile, { result, at, until }: Call): void {
    if (result === '0') return void file.syncs.push({ at, until });
    this.failures += 1;
    const sure = beginOfLast(file.syncs, at);
    for (const each of file.changes) if (each.until > sure) each.isDoubtful = true;
  }

  #open({ args, result, at, until }: Call): void {
    const path = decoded(/, "([^"]*)"/.exec(args)?.[1] ?? '').toString();
    if (!this.#folders.includes(dirname(path)) || result.startsWith('-1')) return;
    this.#positions.delete(/^\d+/.exec(result)?.[0] ?? '');
    const known = this.#names.get(path);
    if (known && args.includes('O_TRUNC')) change(known, { at, until }, { offset: 0 });
    if (known || !args.includes('O_CREAT')) return;
    const file: TracedFile = { changes: [], syncs: [] };
    this.#names.set(path, file);
    this.#namings.push({ at, until, path, file });
  }

  #name({ name, args, result, at, until }: Call): void {
    if (result !== '0') return;
    const [from = '', to = ''] = [...args.matchAll(/"([^"]*)"/g)].map(([, path = '']) =>
      decoded(path).toString(),
    );
    const file = this.#names.get(from);
    if (!file) return;
    this.#names.delete(from);
    this.#namings.push({ at, until, path: from });
    if (name.startsWith('unlink')) return;
    this.#names.set(to, file);
    this.#namings.push({ at, until, path: to, file });
  }
}

function callOf(text: string, at: number, ended: number | undefined): Call | undefined {
  const [, name = '', args = '', result = '', taken = '0'] =
    /^(\w+)\((.*?)\) += (\S+)(?: .*?)?(?: <([\d.]+)>)?$/.exec(text) ?? [];
  if (name === '') return undefined;
  return { name, args, result, at, until: ended ?? at + Number(taken) * 1000 };
}

function change(
  file: TracedFile,
  { at, until }: Span,
  { offset, bytes }: Pick<Change, 'offset' | 'bytes'>,
): void {
  file.changes.push({ at, until, offset, ...(bytes ? { bytes } : {}), isDoubtful: false });
}

/** What was done before this is on the disk. */
function beginOfLast(syncs: readonly Span[], moment: number): number {
  return Math.max(0, ...syncs.filter(({ until }) => until <= moment).map(({ at }) => at));
}

function contentAt(file: TracedFile, moment: number, random: () => number): Buffer {
  const sure = beginOfLast(file.syncs, moment);
  const content = Buffer.alloc(
    Math.max(0, ...file.changes.map((each) => each.offset + (each.bytes?.length ?? 0))),
  );
  let size = 0;
  const write = (offset: number, bytes: Buffer) => {
    bytes.copy(content, offset);
    size = Math.max(size, offset + bytes.length);
  };
  const share = [0, 0.5, 0.9, 1][Math.floor(random() * 4)] ?? 1;
  for (const { at, until, offset, bytes, isDoubtful } of file.changes) {
    if (at > moment) break;
    const isSure = until <= sure && !isDoubtful;
    if (!bytes) {
      if (!isSure && random() >= share) continue;
      if (offset < size) content.fill(0, offset, size);
      size = offset;
    } else if (isSure) write(offset, bytes);
    else
      for (let from = 0; from < bytes.length; from += sector)
        if (random() < share) write(offset + from, bytes.subarray(from, from + sector));
  }
  return content.subarray(0, size);
}

/** The bytes of a string in which every byte is `\xNN`. */
function decoded(text: string): Buffer {
  return Buffer.from(text.replaceAll('\\x', ''), 'hex');
}
