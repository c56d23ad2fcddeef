// Gets the text of an agent registry: from a file, from an address, or as it was at the last time.
import { isJson } from '../../../base/isJson.ts';
import { dirname } from 'node:path';
import * as z from 'zod';
import { errorText } from '../../../base/errorText.ts';
import { readUserFile } from '../../files/folderFile.ts';
import { privateDirectory, writePrivately } from '../../files/privateFiles.ts';
import { downloadText } from './download.ts';

export interface RegistrySource {
  readonly fetch: typeof fetch;
  /** The file that keeps the last text. */
  readonly cache: string;
  readonly signal: AbortSignal;
  readonly now: number;
}

export interface RegistryText {
  readonly text: string;
  /** When it was fetched; undefined for a file. */
  readonly at?: number;
  /** Why it is not newer. */
  readonly problem?: string;
}

const stored = z.object({ url: z.string(), at: z.number(), text: z.string() });

const largest = 8_000_000;
const fresh = 3_600_000;

/** Reads a file. */
export function readRegistryFile(file: string): RegistryText {
  return { text: readUserFile(file, largest) };
}

/** What was fetched from an address before; undefined if nothing was. */
export function cachedRegistry(url: string, cache: string): RegistryText | undefined {
  try {
    const read = stored.safeParse(JSON.parse(readUserFile(cache)));
    return read.success && read.data.url === url ? { text: read.data.text, at: read.data.at } : undefined;
  } catch {
    return undefined;
  }
}

/** At most once an hour. If it fails the text is what was fetched before, if anything was. */
export async function fetchRegistry(
  url: string,
  { fetch: ask, cache, signal, now }: RegistrySource,
): Promise<RegistryText | { readonly problem: string }> {
  const known = cachedRegistry(url, cache);
  if (known?.at !== undefined && now - known.at < fresh && now >= known.at) return known;
  try {
    const text = await downloadText(url, { fetch: ask, limit: largest, signal });
    if (!isJson(text)) throw new Error(`${url} is not an agent registry.`);
    privateDirectory(dirname(cache));
    writePrivately(cache, JSON.stringify({ url, at: now, text }));
    return { text, at: now };
  } catch (error) {
    return { ...known, problem: errorText(error) };
  }
}
