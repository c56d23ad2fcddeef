// Full-text search over all sessions. The index is updated by each search, so that nothing else waits for it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextBeat } from 'node:timers/promises';
import { soundEntries } from '../../host/session/damagedLog.ts';
import type { LogStore } from '../../host/session/logStore.ts';
import type { IndexMatch, Searchable, SearchIndex, SearchQuery } from '../../host/session/search.ts';
import { loadDatabase } from '../store/sqlite/database.ts';
import { foldText, linesWith } from './lines.ts';
import { Pages } from './pages.ts';
import { searchableText } from './said.ts';

export interface SessionIndexOptions {
  readonly directory: string;
  readonly store: Pick<LogStore, 'read'>;
  readonly report: (problem: unknown, about: string) => void;
}

const linesPerSession = 3;

export function sessionIndex({ directory, store, report }: SessionIndexOptions): SearchIndex {
  const path = join(directory, 'search.db');
  let opening: Promise<Pages> | undefined;
  /** One update at a time: two would index the same session twice. */
  let busy: Promise<unknown> = Promise.resolve();
  const open = () => (opening ??= loadDatabase().then((openDatabase) => Pages.open(openDatabase, path)));
  const inOrder = <T>(run: () => Promise<T>): Promise<T> => {
    const mine = busy.then(run);
    busy = mine.catch(() => {});
    return mine;
  };
  return {
    search: (sessions, wish) =>
      inOrder(async () => {
        const pages = await open();
        await refresh({ pages, store }, sessions, wish.signal);
        return wish.signal.aborted ? [] : find(pages, sessions, wish);
      }),
    forget: (session) =>
      inOrder(async () => {
        try {
          if (opening || existsSync(path)) (await open()).forget(session);
        } catch (error) {
          report(error, 'taking a session out of the search index');
        }
      }),
    close: () => inOrder(async () => (await opening)?.close()),
  };
}

interface Parts {
  readonly pages: Pages;
  readonly store: Pick<LogStore, 'read'>;
}

async function refresh(
  { pages, store }: Parts,
  sessions: readonly Searchable[],
  signal: AbortSignal,
): Promise<void> {
  const there = new Set(sessions.map(({ id }) => id));
  for (const id of pages.sessions()) if (!there.has(id)) pages.forget(id);
  for (const { id, seq } of sessions) {
    if (signal.aborted) return;
    const known = pages.known(id)?.seq ?? 0;
    if (known === seq) continue;
    // A log that has become shorter is indexed again from its beginning.
    if (known > seq) pages.forget(id);
    await bringUp({ pages, store }, id, signal);
    await nextBeat();
  }
}

/** How many characters are collected before they are stored. */
const gathered = 1_000_000;

async function bringUp({ pages, store }: Parts, session: string, signal: AbortSignal): Promise<void> {
  const known = pages.known(session);
  let seq = known?.seq ?? 0;
  let item = known?.item;
  let fresh = newBatch();
  const save = () => {
    pages.add(session, { ...fresh, seq, item });
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
    if (fresh.size > gathered) save();
  }
  save();
}

function newBatch(): { texts: string[]; goesOn: boolean; size: number } {
  return { texts: [], goesOn: false, size: 0 };
}

/** A session matches if every word occurs in its text or title. */
function find(
  pages: Pages,
  sessions: readonly Searchable[],
  { words: given, limit }: SearchQuery,
): readonly IndexMatch[] {
  const words = given.map(foldText);
  const holders = given.map((word) => ({
    word: foldText(word),
    sessions: pages.sessionsWith(word.toLowerCase()),
  }));
  return sessions
    .filter(({ id, title }) =>
      holders.every(({ word, sessions: with_ }) => with_.has(id) || foldText(title).includes(word)),
    )
    .slice(0, limit)
    .map(({ id }) => ({ id, lines: linesIn(pages.texts(id), words) }));
}

function linesIn(texts: Iterable<string>, words: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const text of texts) {
    lines.push(...linesWith(text, words, linesPerSession - lines.length));
    if (lines.length >= linesPerSession) break;
  }
  return lines;
}
