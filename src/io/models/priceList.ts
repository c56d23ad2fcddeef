// The newest price list of models, fetched at most once a day and stored in the data directory. Offline, the
// bundled list is used.
import { statSync } from 'node:fs';
import { writeConfig } from '../settings/editConfigFile.ts';
import { readUserFile } from '../files/folderFile.ts';

export interface PriceListOptions {
  readonly file: string;
  /** The URL of the list; `off` disables the request. */
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly now: number;
}

const aDay = 86_400_000;
const patience = 10_000;
const largest = 20_000_000;

/** Undefined if there is none; never throws. The reader checks the content. */
export async function latestPriceList({ file, url, fetch, now }: PriceListOptions): Promise<unknown> {
  if (url === 'off') return undefined;
  const kept = statSync(file, { throwIfNoEntry: false });
  if (kept && now - kept.mtimeMs < aDay) return read(file);
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(patience), redirect: 'error' });
    const text = await response.text();
    if (!response.ok || text.length > largest) return read(file);
    const list: unknown = JSON.parse(text);
    if (!Array.isArray(list) || list.length === 0) return read(file);
    writeConfig(file, text, 'nothing');
    return list;
  } catch {
    return read(file);
  }
}

function read(file: string): unknown {
  try {
    return JSON.parse(readUserFile(file));
  } catch {
    return undefined;
  }
}
