// Content that the state only refers to: fetched when it is shown, and kept for a while.
import { useEffect, useState } from 'preact/hooks';
import type { ContentRef } from '../../src/protocols/ahp/v1_0/content.ts';
import type { Client } from '../client/client.ts';
import { useClient } from './app.ts';
import { problemText } from './toasts.ts';

export type Resource =
  | { readonly kind: 'loading' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly base64: string; readonly contentType: string }
  | { readonly kind: 'problem'; readonly why: string };

const most = 60;
const kept = new Map<string, Promise<Resource>>();

/** Nothing is fetched without a reference, so that a view may decide later. */
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
  const known = kept.get(key);
  if (known) return known;
  const loading = fetchContent(client, ref);
  kept.set(key, loading);
  const [oldest] = kept.keys();
  if (kept.size > most && oldest !== undefined) kept.delete(oldest);
  void loading.then(({ kind }) => kind === 'problem' && kept.delete(key));
  return loading;
}

async function fetchContent(client: Client, { uri, contentType = '' }: ContentRef): Promise<Resource> {
  const inline = inlineContent(uri);
  if (inline) return inline;
  try {
    const asked = isText(contentType) ? ({ encoding: 'utf-8' } as const) : {};
    const {
      data,
      encoding,
      contentType: found = contentType,
    } = await client.request('resourceRead', { uri, ...asked });
    if (encoding === 'utf-8') return { kind: 'text', text: data };
    return isText(found)
      ? { kind: 'text', text: decodeText(data) }
      : { kind: 'bytes', base64: data, contentType: found };
  } catch (error) {
    return { kind: 'problem', why: problemText(error) };
  }
}

/** Small content may lie in its own address. */
function inlineContent(uri: string): Resource | undefined {
  const [, contentType = 'text/plain', base64, data = ''] =
    /^data:([^;,]*)(?:;charset=[\w-]+)?(;base64)?,([^]*)$/.exec(uri) ?? [];
  if (!uri.startsWith('data:')) return undefined;
  if (base64 === undefined) return { kind: 'text', text: decodeURIComponent(data) };
  return isText(contentType)
    ? { kind: 'text', text: decodeText(data) }
    : { kind: 'bytes', base64: data, contentType };
}

function isText(contentType: string): boolean {
  return /^text\/|json|xml|javascript|yaml/.test(contentType);
}

export function decodeText(base64: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
}
