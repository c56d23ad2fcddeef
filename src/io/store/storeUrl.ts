// Resolves where the log is stored: the data directory, or a folder given as a file URL.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface StorePlace {
  readonly directory: string;
  /** Not the data directory, so another host may use it. */
  readonly apart: boolean;
}

export function storePlace(
  data: string,
  address: string | undefined,
): StorePlace | { readonly refused: string } {
  if (address === undefined) return { directory: data, apart: false };
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url) return { refused: `"${address}" is not a store URL. Example: file:///var/lib/parley` };
  if (url.protocol !== 'file:')
    return {
      refused: `A store at ${url.protocol}// is not supported; use a folder, for example file:///var/lib/parley`,
    };
  try {
    const directory = resolve(fileURLToPath(url));
    return { directory, apart: directory !== data };
  } catch {
    return { refused: `"${address}" is not a folder on this machine.` };
  }
}
