// Address and headers of a request: those of the wire format, overridden by the user's.
import type { ModelConnection } from '../wire.ts';

/** `usual` is the address of the wire format. */
export function endpointUrl(usual: string, { address: { url, path, query } }: ModelConnection): string {
  const address = new URL(path === undefined ? usual : `${url}/${path.replace(/^\/+/, '')}`);
  for (const [name, value] of new URLSearchParams(query)) address.searchParams.set(name, value);
  return address.href;
}

/** The headers of the wire format, including its key header; the user's headers win. */
export function headersOf(
  own: { readonly [name: string]: string },
  { headers, credentials: { key, keyHeader } }: ModelConnection,
): { readonly [name: string]: string } {
  const all = new Headers({ 'content-type': 'application/json', 'user-agent': 'parley', ...own });
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  if (keyHeader !== undefined && key !== undefined) {
    for (const name of ['authorization', 'x-api-key', 'x-goog-api-key']) all.delete(name);
    all.set(keyHeader, keyHeader === 'authorization' ? `Bearer ${key}` : key);
  }
  return Object.fromEntries(all);
}
