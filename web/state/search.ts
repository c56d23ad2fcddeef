// Full-text search over all sessions, asked of the host a moment after the last key.
import { useEffect, useState } from 'preact/hooks';
import type { Hit } from '../client/own.ts';
import { useClient } from './app.ts';

export type Search =
  | { readonly kind: 'none' }
  | { readonly kind: 'searching' }
  | { readonly kind: 'found'; readonly hits: readonly Hit[] };

const pauseMs = 200;
const most = 30;
const shortest = 2;

export function useSearch(text: string): Search {
  const client = useClient();
  const able = client.me.value !== undefined && client.link.value.kind === 'online';
  const words = wordsOf(text);
  const wanted = able && words.some((word) => word.length >= shortest);
  const [search, setSearch] = useState<Search>({ kind: 'none' });
  useEffect(() => {
    if (!wanted) return setSearch({ kind: 'none' });
    let current = true;
    setSearch((before) => (before.kind === 'found' ? before : { kind: 'searching' }));
    const timer = setTimeout(() => {
      client.ask('sessions/search', { words, limit: most }).then(
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

export function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
