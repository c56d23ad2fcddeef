// Full-text search over all sessions. The index is updated by each search, so that nothing else waits for it.
// A search that does not wait is answered from what there is, while the update goes on in the background and
// leaves half of the time to others.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextBeat, setTimeout as pause } from 'node:timers/promises';
import { soundEntries } from '../../host/session/damagedLog.ts';
import type { LogStore } from '../../host/session/logStore.ts';
import type {
  IndexMatch,
  IndexResult,
  Searchable,
  SearchIndex,
  SearchQuery,
} from '../../host/session/search.ts';
import { loadDatabase } from '../store/sqlite/database.ts';
import { foldText, linesWith } from './lines.ts';
import { Pages } from './pages.ts';
import { searchableText } from './said.ts';

export interface SessionIndexOptions {
  readonly directory: string;
  readonly store: Pick<LogStore, 'read'>;
  readonly report: (problem: unknown, about: string) => void;
}

/** Where the text of all sessions is kept for searches, page by page. */
export interface SearchPages {
  known(
    session: string,
  ): MaybePromise<{ readonly seq: number; readonly item: string | undefined } | undefined>;
  /** How far each session is indexed. */
  indexed(): MaybePromise<ReadonlyMap<string, number>>;
  /** Adds pages after those of `from`; the first of `texts` may go on with the last page. */
  add(session: string, pages: NewPages): MaybePromise<void>;
  forget(session: string): MaybePromise<void>;
  sessionsWith(word: string): MaybePromise<ReadonlySet<string>>;
  texts(session: string): Iterable<string> | AsyncIterable<string>;
  close(): MaybePromise<void>;
}

export interface NewPages {
  readonly texts: readonly string[];
  readonly goesOn: boolean;
  /** How far the session was indexed, and is with these pages. */
  readonly from: number;
  readonly seq: number;
  readonly item: string | undefined;
}

type MaybePromise<T> = T | Promise<T>;

const linesPerSession = 3;

/** The index in a file of the data directory. */
export function sessionIndex({ directory, store, report }: SessionIndexOptions): SearchIndex {
  const path = join(directory, 'search.db');
  const open = () => loadDatabase().then((openDatabase) => Pages.open(openDatabase, path));
  return indexOn({ open, exists: () => existsSync(path), store, report });
}

export interface IndexOptions {
  readonly open: () => Promise<SearchPages>;
  /** Whether there is anything to forget. */
  readonly exists: () => boolean;
  readonly store: Pick<LogStore, 'read'>;
  readonly report: (problem: unknown, about: string) => void;
}

export function indexOn({ open: openPages, exists, store, report }: IndexOptions): SearchIndex {
  let opening: Promise<SearchPages> | undefined;
  /** One update at a time: two would index the same session twice. */
  let busy: Promise<unknown> = Promise.resolve();
  const open = () => (opening ??= openPages());
  const inOrder = <T>(run: () => Promise<T>): Promise<T> => {
    const mine = busy.then(run);
    busy = mine.catch(() => {});
    return mine;
  };
  const closing = new AbortController();
  let update: Promise<void> | undefined;
  /** How many searches wait for the whole index. */
  let waiting = 0;
  const patient = (sessions: readonly Searchable[], wish: SearchQuery): Promise<IndexResult> => {
    waiting += 1;
    return inOrder(async () => {
      const pages = await open();
      await refresh({ pages, store, rest: nextBeat }, sessions, wish.signal);
      return { matches: wish.signal.aborted ? [] : await find(pages, sessions, wish), missing: 0 };
    }).finally(() => (waiting -= 1));
  };
  const rest = gentleRest(() => waiting > 0);
  return {
    search: async (sessions, wish) => {
      const { within, signal } = wish;
      if (within === undefined) return patient(sessions, wish);
      const pages = await open();
      if ((await missingIn(pages, sessions)) < many) return patient(sessions, wish);
      update ??= inOrder(() => refresh({ pages, store, rest }, sessions, closing.signal))
        .catch((error: unknown) => report(error, 'building the search index'))
        .finally(() => (update = undefined));
      await Promise.race([update, pause(within, undefined, { ref: false })]);
      const matches = signal.aborted ? [] : await find(pages, sessions, wish);
      return { matches, missing: await missingIn(pages, sessions) };
    },
    forget: (session) =>
      inOrder(async () => {
        try {
          if (opening || exists()) await (await open()).forget(session);
        } catch (error) {
          report(error, 'taking a session out of the search index');
        }
      }),
    close: () => {
      closing.abort();
      return inOrder(async () => (await opening)?.close());
    },
  };
}

interface Parts {
  readonly pages: SearchPages;
  readonly store: Pick<LogStore, 'read'>;
  /** Called after each session. */
  readonly rest: () => Promise<unknown>;
}

/** In milliseconds. */
const longestWork = 20;

/** Rests as long as was worked, unless somebody waits. */
function gentleRest(isHurried: () => boolean): () => Promise<unknown> {
  let began = performance.now();
  return async () => {
    if (isHurried() || performance.now() - began < longestWork) return nextBeat();
    await pause(longestWork, undefined, { ref: false });
    began = performance.now();
    return undefined;
  };
}

/** Fewer sessions than this are waited for. */
const many = 200;

async function missingIn(pages: SearchPages, sessions: readonly Searchable[]): Promise<number> {
  const indexed = await pages.indexed();
  return sessions.filter(({ id, seq }) => (indexed.get(id) ?? 0) !== seq).length;
}

async function refresh(
  { pages, store, rest }: Parts,
  sessions: readonly Searchable[],
  signal: AbortSignal,
): Promise<void> {
  const there = new Set(sessions.map(({ id }) => id));
  const indexed = await pages.indexed();
  for (const id of indexed.keys()) if (!there.has(id)) await pages.forget(id);
  for (const { id, seq } of sessions) {
    if (signal.aborted) return;
    const known = indexed.get(id) ?? 0;
    if (known === seq) continue;
    // A log that has become shorter is indexed again from its beginning.
    if (known > seq) await pages.forget(id);
    await bringUp({ pages, store }, id, signal);
    await rest();
  }
}

/** How many characters are collected before they are stored. */
const gathered = 1_000_000;

async function bringUp(
  { pages, store }: Omit<Parts, 'rest'>,
  session: string,
  signal: AbortSignal,
): Promise<void> {
  const known = await pages.known(session);
  let from = known?.seq ?? 0;
  let seq = from;
  let item = known?.item;
  let fresh = newBatch();
  const save = async () => {
    await pages.add(session, { ...fresh, from, seq, item });
    from = seq;
    fresh = newBatch();
  };
  // Of a damaged log, everything that is sound is indexed.
  for await (const entry of soundEntries(store, session, seq)) {
    if (signal.aborted) break;
    const said = searchableText(entry);
    if (said) {
      const last = fresh.texts.length - 1;
      const goesOn = said.item !== undefined && said.item === item;
      if (goesOn && last >= 0) fresh.texts[last] += said.text;
      else {
        fresh.goesOn ||= goesOn && last < 0;
        fresh.texts.push(said.text);
      }
      item = said.item;
      fresh.size += said.text.length;
    }
    seq = entry.seq;
    if (fresh.size > gathered) await save();
  }
  await save();
}

function newBatch(): { texts: string[]; goesOn: boolean; size: number } {
  return { texts: [], goesOn: false, size: 0 };
}

/** A session matches if every word occurs in its text or title. */
async function find(
  pages: SearchPages,
  sessions: readonly Searchable[],
  { words: given, limit }: SearchQuery,
): Promise<readonly IndexMatch[]> {
  const words = given.map(foldText);
  const holders: { readonly word: string; readonly sessions: ReadonlySet<string> }[] = [];
  for (const word of given)
    holders.push({ word: foldText(word), sessions: await pages.sessionsWith(word.toLowerCase()) });
  const found = sessions
    .filter(({ id, title }) =>
      holders.every(({ word, sessions: with_ }) => with_.has(id) || foldText(title).includes(word)),
    )
    .slice(0, limit);
  const matches: IndexMatch[] = [];
  for (const { id } of found) matches.push({ id, lines: await linesIn(pages.texts(id), words) });
  return matches;
}

async function linesIn(
  texts: Iterable<string> | AsyncIterable<string>,
  words: readonly string[],
): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const text of texts) {
    lines.push(...linesWith(text, words, linesPerSession - lines.length));
    if (lines.length >= linesPerSession) break;
  }
  return lines;
}
