// Full-text search over all sessions. The index is brought up to date when somebody searches, so nothing else ever waits for it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextBeat } from 'node:timers/promises';
import { LogDamage } from '../../host/session/logStore.ts';
import type { LogStore } from '../../host/session/logStore.ts';
import type { Found, Searchable, SearchIndex, SearchWish } from '../../host/session/search.ts';
import { loadDatabase } from '../store/sqlite/database.ts';
import { folded, linesWith } from './lines.ts';
import { Pages } from './pages.ts';
import { saidIn } from './said.ts';

export interface SessionIndexOptions {
  readonly directory: string;
  readonly store: Pick<LogStore, 'read'>;
  readonly report: (problem: unknown, about: string) => void;
}

const linesPerSession = 3;

export function sessionIndex({ directory, store, report }: SessionIndexOptions): SearchIndex {
  const path = join(directory, 'search.db');
  let opening: Promise<Pages> | undefined;
  /** One at a time: two that bring the same session up to date would write it twice. */
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
    // A log that was cut off behind our back is read from its beginning.
    if (known > seq) pages.forget(id);
    await bringUp({ pages, store }, id, signal);
    await nextBeat();
  }
}

/** Letters that are gathered before they are stored. */
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
  try {
    for await (const entry of store.read(session, seq)) {
      if (signal.aborted) break;
      const said = saidIn(entry);
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
  } catch (error) {
    // What can be read of a damaged log is searched.
    if (!(error instanceof LogDamage)) throw error;
  }
  save();
}

function newBatch(): { texts: string[]; goesOn: boolean; size: number } {
  return { texts: [], goesOn: false, size: 0 };
}

/** A session is found where every word occurs somewhere in it or in its title. */
function find(
  pages: Pages,
  sessions: readonly Searchable[],
  { words: given, limit }: SearchWish,
): readonly Found[] {
  const words = given.map(folded);
  const holders = given.map((word) => ({
    word: folded(word),
    sessions: pages.sessionsWith(word.toLowerCase()),
  }));
  return sessions
    .filter(({ id, title }) =>
      holders.every(({ word, sessions: with_ }) => with_.has(id) || folded(title).includes(word)),
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
