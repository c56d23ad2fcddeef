// A word's way to the clients when sessions are in PostgreSQL: 64 sessions say 50 words a second each, on a
// local server that syncs every commit, beside SQLite. Then 100,000 sessions are listed and searched.
import { setTimeout as delay } from 'node:timers/promises';
import { Journal } from '../src/host/session/journal.ts';
import type { JournalSession } from '../src/host/session/journal.ts';
import { summarize } from '../src/host/session/summary.ts';
import { PostgresStore } from '../src/io/store/postgres/postgresStore.ts';
import { databasePages } from '../src/io/store/postgres/searchPages.ts';
import type { DurableStore } from '../src/io/store/durableStore.ts';
import { realClock } from '../src/io/store/realWorld.ts';
import { openStore } from '../src/io/store/sqlite/open.ts';
import type { Entry } from '../src/model/event.ts';
import { emptyState } from '../src/model/state.ts';
import { startPostgres } from '../test/kit/postgres.ts';
import { print, record, temporary } from './kit.ts';

const sessions = 64;
const wordsPerSecond = 50;
const seconds = 10;
const many = 100_000;

const report = (problem: unknown) => print(String(problem));
const server = await startPostgres([]);
const { dir, remove } = temporary();
async function open(name: string): Promise<PostgresStore> {
  return openAt(server.database(name));
}

function openAt(url: string): Promise<PostgresStore> {
  return PostgresStore.open({ url, shown: 'bench', name: 'bench', version: '0', report, onLost() {} });
}

/** From the append of a word to the moment in which it may be shown. */
async function words(store: DurableStore) {
  const journal = new Journal({ store, clock: realClock, report });
  const times: number[] = [];
  const writers = Array.from({ length: sessions }, (_, at) => new Writer(`s${at}`, times));
  for (const writer of writers) writer.begin(journal);
  await journal.drain();
  times.length = 0;
  const before = process.cpuUsage();
  const every = 1_000 / wordsPerSecond;
  await Promise.all(
    writers.map(async (writer, at) => {
      // The sessions do not speak in the same moment.
      const started = performance.now() + (at / sessions) * every;
      for (let n = 0; n < wordsPerSecond * seconds; n += 1) {
        const wait = started + n * every - performance.now();
        if (wait > 0) await delay(wait);
        writer.say(journal);
      }
    }),
  );
  await journal.drain();
  const { user, system } = process.cpuUsage(before);
  await store.close();
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), cpu: (user + system) / 1_000 };
}

class Writer implements JournalSession {
  readonly id: string;
  readonly #times: number[];
  readonly #waiting: number[] = [];
  #seq = 0;

  constructor(id: string, times: number[]) {
    this.id = id;
    this.#times = times;
  }

  begin(journal: Journal): void {
    this.#append(journal, { kind: 'session.created', session: this.id, agent: 'bench', roots: ['/w'] });
  }

  say(journal: Journal): void {
    this.#append(journal, {
      kind: 'text.added',
      chat: this.id,
      turn: 't',
      item: 'i',
      channel: 'answer',
      text: 'word ',
    });
  }

  summary() {
    return summarize({ ...emptyState(this.id), seq: this.#seq });
  }

  stored(count: number): void {
    const now = performance.now();
    for (const at of this.#waiting.splice(0, count)) this.#times.push(now - at);
  }

  lost(cause: unknown): void {
    throw cause;
  }

  #append(journal: Journal, event: Entry['event']): void {
    this.#seq += 1;
    this.#waiting.push(performance.now());
    const entry = { seq: this.#seq, at: Date.now(), by: { kind: 'host' }, event } as const;
    journal.append(this, (pos) => ({ ...entry, pos }), event.kind);
  }
}

async function manySessions(): Promise<void> {
  const url = server.database('many');
  await (await openAt(url)).close();
  const summary = JSON.stringify(summarize({ ...emptyState('SESSION'), title: 'Session SESSION', seq: 3 }));
  const rows = `generate_series(1, ${many}) AS n`;
  server.sql(
    `INSERT INTO parley.sessions SELECT 's' || n, NULL, replace('${summary}', 'SESSION', 's' || n), 'idle', 2, ` +
      `NULL, now() FROM ${rows}; ` +
      `INSERT INTO parley.search_sessions SELECT 's' || n, 3, 1, NULL FROM ${rows}; ` +
      "INSERT INTO parley.search_pages SELECT 's' || n, 0, 'text', repeat('some words of a talk ', 20) || " +
      `CASE WHEN n % 1000 = 7 THEN 'needle' ELSE md5(n::text) END FROM ${rows}; ANALYZE`,
    'many',
  );
  const started = performance.now();
  const store = await openAt(url);
  const count = store.summaries().toSorted((a, b) => b.modifiedAt - a.modifiedAt).length;
  const listed = performance.now() - started;
  const searched = performance.now();
  const found = await databasePages(store.connection).sessionsWith('eedl');
  const searchTime = performance.now() - searched;
  await store.close();
  if (count !== many || found.size !== many / 1_000) throw new Error(`${count} listed, ${found.size} found`);
  print(
    `${many} sessions: opened and listed in ${listed.toFixed(0)} ms, searched in ${searchTime.toFixed(0)} ms`,
  );
  record(
    { name: 'postgres: 100,000 sessions listed', unit: 'ms', parley: listed },
    { name: 'postgres: 100,000 sessions searched', unit: 'ms', parley: searchTime },
  );
}

try {
  const sqlite = await words(await openStore({ directory: dir, report }));
  const postgres = await words(await open('words'));
  const load = `${sessions} sessions x ${wordsPerSecond} words a second`;
  for (const [name, { p50, p99, cpu }] of Object.entries({ SQLite: sqlite, PostgreSQL: postgres }))
    print(
      `${load}, ${name}: shown after ${p50.toFixed(1)} ms (p50), ${p99.toFixed(1)} ms (p99), ` +
        `${(cpu / seconds / 10).toFixed(0)}% of a core`,
    );
  record(
    { name: 'postgres: a word shown, p50', unit: 'ms', floor: sqlite.p50, parley: postgres.p50 },
    { name: 'postgres: a word shown, p99', unit: 'ms', floor: sqlite.p99, parley: postgres.p99 },
    { name: 'postgres: CPU of the host', unit: 'ms', floor: sqlite.cpu, parley: postgres.cpu },
  );
  await manySessions();
} finally {
  await server.dispose();
  remove();
}
