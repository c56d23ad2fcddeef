// Full-text search in all sessions. The request is sent shortly after the last key.
import { useEffect, useState } from 'preact/hooks';
import type { SearchHit } from '../../client/connection/extensions.ts';
import { useClient } from './app.ts';

export type Search =
  | { readonly kind: 'none' }
  | { readonly kind: 'searching' }
  | { readonly kind: 'found'; readonly hits: readonly SearchHit[] };

const pauseMs = 200;
const maxHits = 30;
const minTermLength = 2;

export function useSearch(text: string): Search {
  const client = useClient();
  const available = client.access.value !== undefined && client.connection.value.kind === 'online';
  const words = searchTerms(text);
  const wanted = available && words.some((word) => word.length >= minTermLength);
  const [search, setSearch] = useState<Search>({ kind: 'none' });
  useEffect(() => {
    if (!wanted) return setSearch({ kind: 'none' });
    let current = true;
    setSearch((before) => (before.kind === 'found' ? before : { kind: 'searching' }));
    const timer = setTimeout(() => {
      client.requestExtension('sessions/search', { words, limit: maxHits }).then(
        (hits) => current && setSearch({ kind: 'found', hits }),
        () => current && setSearch({ kind: 'none' }),
      );
    }, pauseMs);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [wanted, words.join(' ')]);
  return search;
}

export function searchTerms(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
