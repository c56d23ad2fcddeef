// Unpacks a downloaded archive into a folder, by its content and not by its name. A file that is no archive
// is the program itself.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { errorCode } from '../../../base/errorText.ts';
import { findProgram } from '../../processes/findProgram.ts';
import { SafeTree } from './safeTree.ts';
import type { TreeLimits } from './safeTree.ts';
import { unpackTar } from './unpackTar.ts';
import { unpackZip } from './unpackZip.ts';

export interface UnpackOptions {
  /** An empty folder. */
  readonly into: string;
  readonly limits: TreeLimits;
  /** The name of the program if the file is no archive. */
  readonly program: string;
  readonly env: { readonly [name: string]: string | undefined };
}

export async function unpackArchive(file: string, options: UnpackOptions): Promise<void> {
  try {
    await unpack(file, options);
  } catch (error) {
    if (!errorCode(error)?.startsWith('Z_')) throw error;
    throw new Error('The archive is damaged.', { cause: error });
  }
}

async function unpack(file: string, { into, limits, program, env }: UnpackOptions): Promise<void> {
  const tree = new SafeTree(into, limits);
  switch (await kindOf(file)) {
    case 'zip':
      return unpackZip(file, tree);
    case 'gzip':
      return unpackTar(
        pipeline(createReadStream(file), createGunzip(), () => {}),
        tree,
      );
    case 'bzip2':
      return unpackTar(outputOf('bzip2', file, env), tree);
    case 'xz':
      return unpackTar(outputOf('xz', file, env), tree);
    case 'tar':
      return unpackTar(createReadStream(file), tree);
    case 'program':
      return tree.file(program, 0o755, createReadStream(file));
  }
}

type Kind = 'zip' | 'gzip' | 'bzip2' | 'xz' | 'tar' | 'program';

const marks: readonly (readonly [kind: Kind, mark: string, at: number])[] = [
  ['zip', '504b0304', 0],
  ['gzip', '1f8b', 0],
  ['bzip2', '425a68', 0],
  ['xz', 'fd377a585a00', 0],
  ['tar', '7573746172', 257],
];

async function kindOf(file: string): Promise<Kind> {
  const handle = await open(file, 'r');
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(512), 0, 512, 0);
  await handle.close();
  const start = buffer.subarray(0, bytesRead).toString('hex');
  return marks.find(([, mark, at]) => start.startsWith(mark, at * 2))?.[0] ?? 'program';
}

/** Node cannot decompress these; the programs that can are part of most systems. */
async function* outputOf(name: string, file: string, env: UnpackOptions['env']): AsyncGenerator<Uint8Array> {
  const path = findProgram(name, env);
  if (path === undefined) throw new Error(`The archive needs the program ${name}, which was not found.`);
  const child = spawn(path, ['-dc', file], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'close');
  try {
    for await (const chunk of child.stdout) if (chunk instanceof Uint8Array) yield chunk;
  } finally {
    child.kill();
  }
  const [code] = (await ended) as readonly unknown[];
  if (code !== 0) throw new Error('The archive is damaged.');
}
