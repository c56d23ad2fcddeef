// What searching the sessions of a host means: a port for the index, and the words of a wish and its answer.
import type { SessionId } from '../../model/event.ts';
import type { Summary } from './summary.ts';

/** What was typed, by words; words between double quotes belong together. */
export function phrases(words: readonly string[]): readonly string[] {
  return [...words.join(' ').matchAll(/"([^"]*[^"\s][^"]*)"(?=\s|$)|\S+/g)].map(
    ([word, phrase]) => phrase?.trim() ?? word,
  );
}

export interface SearchWish {
  /** All of them have to occur, as parts of words too; case and accents make no difference. */
  readonly words: readonly string[];
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** A session as far as the index has to know it. */
export type Searchable = Pick<Summary, 'id' | 'title' | 'seq'>;

export interface Found {
  readonly id: SessionId;
  /** Lines that hold one of the words. */
  readonly lines: readonly string[];
}

export type Hit = Found & Pick<Summary, 'title' | 'modifiedAt'>;

export interface SearchIndex {
  /** Finds among these sessions, in their order. */
  search(sessions: readonly Searchable[], wish: SearchWish): Promise<readonly Found[]>;
  forget(session: SessionId): Promise<void>;
  close(): Promise<void>;
}
