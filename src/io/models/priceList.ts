// The newest price list of models, fetched once a day at most and kept in the data directory. Whoever cannot reach it goes on with the one that came along.
import { readFileSync, statSync } from 'node:fs';
import { writeConfig } from '../settings/editConfigFile.ts';

export interface PriceListOptions {
  readonly file: string;
  /** Where it is published; `off` where nobody is to be asked. */
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly now: number;
}

const aDay = 86_400_000;
const patience = 10_000;
const largest = 20_000_000;

/** Undefined where there is none; never throws. What it holds is for whoever reads it to check. */
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
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
