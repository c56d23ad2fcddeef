// Resolves where the log is stored: the data directory, a folder given as a file URL, or PostgreSQL.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export type StorePlace = StoreFolder | StoreDatabase;

export interface StoreFolder {
  readonly directory: string;
  /** Not the data directory, so another host may use it. */
  readonly apart: boolean;
}

export interface StoreDatabase {
  readonly url: string;
  /** The address without password and options, for messages. */
  readonly shown: string;
}

export function storePlace(
  data: string,
  address: string | undefined,
): StorePlace | { readonly refused: string } {
  if (address === undefined) return { directory: data, apart: false };
  const url = URL.canParse(address) ? new URL(address) : undefined;
  // Words about an address never repeat it where it could have a password.
  if (!url)
    return /^postgres(?:ql)?:/i.test(address)
      ? { refused: `The store URL is not valid. Example: ${databaseExample}` }
      : { refused: `"${address}" is not a store URL. Example: file:///var/lib/parley` };
  if (url.protocol === 'postgres:' || url.protocol === 'postgresql:') return databaseAt(url);
  if (url.protocol !== 'file:')
    return {
      refused:
        `A store at ${url.protocol}// is not supported; use a folder, for example file:///var/lib/parley, or ` +
        `PostgreSQL, for example ${databaseExample}`,
    };
  try {
    const directory = resolve(fileURLToPath(url));
    return { directory, apart: directory !== data };
  } catch {
    return { refused: `"${address}" is not a folder on this machine.` };
  }
}

const databaseExample = 'postgres://parley@db.example/parley';

function databaseAt(url: URL): StoreDatabase {
  const socket = url.searchParams.get('host');
  const user = url.username || url.searchParams.get('user');
  const place = url.host || (socket ?? 'localhost');
  return { url: url.href, shown: `postgres://${user ? `${user}@` : ''}${place}${url.pathname}` };
}
