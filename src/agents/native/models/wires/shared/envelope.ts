// Address and headers of a request: what the format says, and what the user has set in its place.
import type { Connection } from '../wire.ts';

/** `usual` is where the format sends its requests. */
export function addressOf(usual: string, { url, path, query }: Connection): string {
  const address = new URL(path === undefined ? usual : `${url}/${path.replace(/^\/+/, '')}`);
  for (const [name, value] of new URLSearchParams(query)) address.searchParams.set(name, value);
  return address.href;
}

/** The headers of the format itself, with its own header for the key; the user's headers win over them. */
export function headersOf(
  own: { readonly [name: string]: string },
  { headers, key, keyHeader }: Connection,
): { readonly [name: string]: string } {
  const all = new Headers({ 'content-type': 'application/json', 'user-agent': 'parley', ...own });
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  if (keyHeader !== undefined && key !== undefined) {
    for (const name of ['authorization', 'x-api-key', 'x-goog-api-key']) all.delete(name);
    all.set(keyHeader, keyHeader === 'authorization' ? `Bearer ${key}` : key);
  }
  return Object.fromEntries(all);
}
