// Pictures in answers on a terminal, which cannot show them: a line that says what is
// there, or where it was put.
import { errorText } from '../../base/errorText.ts';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pictureBytes } from '../../host/turns/answerImage.ts';

/** A picture in words. */
export function pictureLine(mediaType: string | undefined, bytes: number | undefined): string {
  const size = bytes === undefined ? [] : [`${Math.max(1, Math.round(bytes / 1_000))} kB`];
  return `[A picture: ${[mediaType ?? 'of an unknown format', ...size].join(', ')}.]`;
}

/** Puts pictures into a folder of the user's own among the temporary ones, and says where each is. */
export function pictureFolder(): (picture: { readonly mediaType: string; readonly data: string }) => string {
  let folder: string | undefined;
  let count = 0;
  return ({ mediaType, data }) => {
    try {
      folder ??= mkdtempSync(join(tmpdir(), 'parley-pictures-'));
      count += 1;
      const path = join(folder, `${count}.${mediaType.replace(/^image\//, '').replaceAll(/[^a-z]/g, '')}`);
      writeFileSync(path, Buffer.from(data, 'base64'), { mode: 0o600 });
      return `[A picture: ${path}]`;
    } catch (error) {
      return (
        `${pictureLine(mediaType, pictureBytes(data))} It could not be saved: ` +
        errorText(error, String(error))
      );
    }
  };
}
