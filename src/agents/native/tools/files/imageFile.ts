// Image files: which formats models accept, and how a file is read for them.
import type { FileProblem, Files } from '../../../../host/ports.ts';
import type { Picture } from '../../model.ts';

/** The largest image that providers accept, in bytes. */
const limit = 5_000_000;

const types: { readonly [ending: string]: string } = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

/** Undefined if the file name is not that of an image. */
export function pictureType(path: string): string | undefined {
  return types[/\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''];
}

export async function readImageFile(
  path: string,
  mediaType: string,
  files: Pick<Files, 'readBytes'>,
): Promise<(Picture & { readonly size: number }) | FileProblem> {
  const bytes = await files.readBytes(path, limit);
  return 'problem' in bytes
    ? bytes
    : { type: 'image', mediaType, data: Buffer.from(bytes).toString('base64'), size: bytes.length };
}
