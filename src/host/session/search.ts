// Searches sessions: the port to the search index, its queries and results.
import type { SessionId } from '../../model/event.ts';
import type { Catalogue } from './catalogue.ts';
import type { Summary } from './summary.ts';

export interface SearchedSessions {
  readonly index: SearchIndex | undefined;
  readonly catalogue: Pick<Catalogue, 'summaries' | 'summary'>;
  /** The newest entry of a session that is open. */
  readonly seqOf: (id: SessionId) => number | undefined;
}

/** Sessions that contain all words and quoted phrases, newest first. */
export async function searchSessions(
  { index, catalogue, seqOf }: SearchedSessions,
  query: SearchQuery,
): Promise<SearchResult> {
  const sessions = catalogue
    .summaries()
    .filter(({ started }) => started)
    .map(({ id, title, seq }) => ({ id, title, seq: seqOf(id) ?? seq }));
  const found = await index?.search(sessions, { ...query, words: phrases(query.words) });
  const hits = found?.matches.flatMap(({ id, lines }) => {
    const summary = catalogue.summary(id);
    return summary ? [{ id, title: summary.title, modifiedAt: summary.modifiedAt, lines }] : [];
  });
  return { hits: hits ?? [], missing: found?.missing ?? 0, sessions: sessions.length };
}

/** Splits a query into words and quoted phrases. */
export function phrases(words: readonly string[]): readonly string[] {
  return [...words.join(' ').matchAll(/"([^"]*[^"\s][^"]*)"(?=\s|$)|\S+/g)].map(
    ([word, phrase]) => phrase?.trim() ?? word,
  );
}

export interface SearchQuery {
  /** All of them must occur, also inside words; case and accents are ignored. */
  readonly words: readonly string[];
  readonly limit: number;
  readonly signal: AbortSignal;
  /**
   * While many sessions are not in the index yet, the answer comes after so many milliseconds from those that
   * are; without it, the search waits for all.
   */
  readonly within?: number | undefined;
}

/** What the index needs to know about a session. */
export type Searchable = Pick<Summary, 'id' | 'title' | 'seq'>;

export interface IndexMatch {
  readonly id: SessionId;
  /** Lines that contain one of the words. */
  readonly lines: readonly string[];
}

export interface IndexResult {
  readonly matches: readonly IndexMatch[];
  /** How many sessions are not in the index yet, or not with all they have. */
  readonly missing: number;
}

export interface SearchResult {
  readonly hits: readonly SearchHit[];
  readonly missing: number;
  /** How many sessions there are to search. */
  readonly sessions: number;
}

export interface SearchHit extends IndexMatch {
  readonly title: string;
  readonly modifiedAt: number;
}

export interface SearchIndex {
  /** Searches these sessions; the results keep their order. */
  search(sessions: readonly Searchable[], query: SearchQuery): Promise<IndexResult>;
  forget(session: SessionId): Promise<void>;
  close(): Promise<void>;
}
