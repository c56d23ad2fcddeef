// Which folder holds the log: the data directory, or another one that is named by its address.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface StorePlace {
  readonly directory: string;
  /** It is not the data directory, so another host may have it. */
  readonly apart: boolean;
}

export function storePlace(
  data: string,
  address: string | undefined,
): StorePlace | { readonly refused: string } {
  if (address === undefined) return { directory: data, apart: false };
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url)
    return { refused: `"${address}" is no address of a store; write one such as file:///var/lib/parley.` };
  if (url.protocol !== 'file:')
    return {
      refused: `A store at ${url.protocol}// is not supported; sessions are kept in SQLite, in a folder such as file:///var/lib/parley.`,
    };
  try {
    const directory = resolve(fileURLToPath(url));
    return { directory, apart: directory !== data };
  } catch {
    return { refused: `"${address}" names no folder on this machine.` };
  }
}
