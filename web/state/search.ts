// Full-text search in all sessions. The request is sent shortly after the last key.
import { useEffect, useState } from 'preact/hooks';
import type { SearchAnswer, SearchHit } from '../../client/connection/extensions.ts';
import { useClient } from './app.ts';

export type Search =
  | { readonly kind: 'none' }
  | { readonly kind: 'searching' }
  | ({ readonly kind: 'found' } & SearchAnswer);

const pauseMs = 200;
/** So long a search waits for an index that is being built, and then asks again. */
const withinMs = 300;
const askAgainMs = 1_000;
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
    const ask = async () => {
      const found = await client
        .requestExtension('sessions/search', { words, limit: maxHits, within: withinMs })
        .then(answerOf, () => undefined);
      if (!current) return;
      setSearch(found ? { kind: 'found', ...found } : { kind: 'none' });
      if (found && found.missing > 0) timer = setTimeout(() => void ask(), askAgainMs);
    };
    let timer = setTimeout(() => void ask(), pauseMs);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [wanted, words.join(' ')]);
  return search;
}

function answerOf(answer: readonly SearchHit[] | SearchAnswer): SearchAnswer {
  return 'hits' in answer ? answer : { hits: answer, missing: 0, sessions: 0 };
}

export function searchTerms(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
