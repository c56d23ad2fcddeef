// Loads the large files of the built program, as `require` does. What V8 has compiled of them is kept beside
// them, because a host spends most of its start on compiling.
import { mkdirSync, readFileSync, renameSync, rm, writeFileSync } from 'node:fs';
import { Module, createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';

interface Compiled {
  readonly script: Script;
  readonly source: Buffer;
  /** Where its compiled code belongs. */
  readonly place: string;
}

/** Late enough that the first session is ready and its code compiled, too; in milliseconds. */
const keepAfter = 5_000;

const loader = fileLoader(keepAfter);

/** The build makes every other file load large ones with this function. */
export const loadFile = loader.load;

/** For a program that may end before the time of keeping comes. */
export const keepLoaded = loader.keepLoaded;

export interface FileLoader {
  /** Loads each file once. Code that must be kept is written after a time. */
  readonly load: (path: string) => unknown;
  /** Writes it now. */
  readonly keepLoaded: () => void;
}

export function fileLoader(delay: number): FileLoader {
  const loaded = new Map<string, { readonly exports: unknown }>();
  const fresh: Compiled[] = [];
  let timer: NodeJS.Timeout | undefined;
  // One file at a time, so that clients do not wait for all of them.
  const keepNext = () => {
    const next = fresh.shift();
    if (next) keep(next);
    timer = next && setTimeout(keepNext, delay / 100).unref();
  };
  const load = (path: string) => {
    const known = loaded.get(path);
    if (known) return known.exports;
    const module = new Module(path);
    const require = createRequire(path);
    loaded.set(path, module);
    // Node lists the loaded modules there, for debuggers.
    require.cache[path] = module;
    const { isFresh, ...compiled } = compile(path);
    if (isFresh && !process.env['NODE_DISABLE_COMPILE_CACHE']) {
      fresh.push(compiled);
      timer ??= setTimeout(keepNext, delay).unref();
    }
    const run: unknown = compiled.script.runInThisContext();
    if (typeof run === 'function')
      Reflect.apply(run, undefined, [module, module.exports, require, path, dirname(path)]);
    module.loaded = true;
    const exported: unknown = module.exports;
    return exported;
  };
  return { load, keepLoaded: () => fresh.splice(0).forEach(keep) };
}

function compile(path: string): Compiled & { readonly isFresh: boolean } {
  const source = readFileSync(path);
  const place = join(dirname(path), '.compiled', `${basename(path)}-${process.versions.v8}-${process.arch}`);
  const cachedData = keptCode(place, source);
  // The build writes ASCII only, which needs no decoding.
  const code = `(function(module,exports,require,__filename,__dirname){${source.toString('latin1')}\n})`;
  const script = new Script(code, { filename: path, cachedData });
  return { script, source, place, isFresh: !cachedData || script.cachedDataRejected === true };
}

/** Nothing if the kept code is missing, damaged or of another source. */
function keptCode(place: string, source: Buffer): Buffer | undefined {
  try {
    const kept = readFileSync(place);
    const data = kept.subarray(0, -4);
    return kept.readUInt32LE(data.length) === checksum(data, source) ? data : undefined;
  } catch {
    return undefined;
  }
}

function keep({ script, source, place }: Compiled): void {
  const part = `${place}.${process.pid}`;
  try {
    const data = script.createCachedData();
    const end = Buffer.alloc(4);
    end.writeUInt32LE(checksum(data, source));
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(part, Buffer.concat([data, end]));
    renameSync(part, place);
  } catch {
    // The folder of the program may belong to somebody else.
    rm(part, { force: true }, () => {});
  }
}

/** V8 trusts code of any source with the same length, and does not notice all damage. */
function checksum(data: Buffer, source: Buffer): number {
  // Loaded here, because a pipe to a host loads no large file.
  const { crc32 } = process.getBuiltinModule('node:zlib');
  return crc32(data, crc32(source));
}
