// Content that the state only refers to: fetched when it is shown, and cached.
import { errorText } from '../../src/base/errorText.ts';
import { useEffect, useState } from 'preact/hooks';
import type { ContentRef } from '../../src/protocols/ahp/v1_0/content.ts';
import type { Client } from '../../client/connection/client.ts';
import { useClient } from './app.ts';

export type Resource =
  | { readonly kind: 'loading' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly base64: string; readonly contentType: string }
  | { readonly kind: 'problem'; readonly reason: string };

const maxCached = 60;
const cache = new Map<string, Promise<Resource>>();

/** Fetches nothing while `ref` is undefined. */
export function useResource(ref: ContentRef | undefined): Resource {
  const client = useClient();
  const [resource, setResource] = useState<Resource>({ kind: 'loading' });
  const key = ref && `${ref.uri} ${ref.nonce ?? ''}`;
  useEffect(() => {
    if (!ref || key === undefined) return;
    let current = true;
    void load(client, ref, key).then((loaded) => current && setResource(loaded));
    return () => {
      current = false;
    };
  }, [key]);
  return resource;
}

function load(client: Client, ref: ContentRef, key: string): Promise<Resource> {
  const cached = cache.get(key);
  if (cached) return cached;
  const loading = fetchContent(client, ref);
  cache.set(key, loading);
  const [oldest] = cache.keys();
  if (cache.size > maxCached && oldest !== undefined) cache.delete(oldest);
  void loading.then(({ kind }) => kind === 'problem' && cache.delete(key));
  return loading;
}

async function fetchContent(client: Client, { uri, contentType = '' }: ContentRef): Promise<Resource> {
  const inline = inlineContent(uri);
  if (inline) return inline;
  try {
    const preferred = isText(contentType) ? ({ encoding: 'utf-8' } as const) : {};
    const content = await client.request('resourceRead', { uri, ...preferred });
    if (content.encoding === 'utf-8') return { kind: 'text', text: content.data };
    return fromBase64(content.data, content.contentType ?? contentType);
  } catch (error) {
    return { kind: 'problem', reason: errorText(error) };
  }
}

/** Small content may be a data URI. */
function inlineContent(uri: string): Resource | undefined {
  const [, contentType = 'text/plain', base64, data = ''] =
    /^data:([^;,]*)(?:;charset=[\w-]+)?(;base64)?,([^]*)$/.exec(uri) ?? [];
  if (!uri.startsWith('data:')) return undefined;
  if (base64 === undefined) return { kind: 'text', text: decodeURIComponent(data) };
  return fromBase64(data, contentType);
}

function fromBase64(base64: string, contentType: string): Resource {
  return isText(contentType)
    ? { kind: 'text', text: decodeText(base64) }
    : { kind: 'bytes', base64, contentType };
}

function isText(contentType: string): boolean {
  return /^text\/|json|xml|javascript|yaml/.test(contentType);
}

export function decodeText(base64: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
}
