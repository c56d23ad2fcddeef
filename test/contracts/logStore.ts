// What every log store promises the host, as one suite that each implementation runs.
import { afterEach, describe, expect, test } from 'vitest';
import type { Batch, LogStore } from '../../src/host/session/logStore.ts';
import { summarize } from '../../src/host/session/summary.ts';
import type { Summary } from '../../src/host/session/summary.ts';
import type { Entry, Event, Origin, SessionId } from '../../src/model/event.ts';
import { reduce } from '../../src/model/reduce.ts';
import { emptyState } from '../../src/model/state.ts';
import type { State } from '../../src/model/state.ts';

export interface StoreUnderTest {
  readonly store: LogStore;
  /** Closes the store and opens it again; absent where nothing outlives the process. */
  reopen?(): Promise<LogStore>;
  /** Makes the next writes fail, and work again. */
  breakWrites(): void;
  mendWrites(): void;
  dispose(): Promise<void>;
}

export function logStoreContract(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the promises of a log store`, () => {
    let opened: StoreUnderTest | undefined;
    const start = async () => {
      opened = await make();
      return opened;
    };
    afterEach(async () => {
      await opened?.dispose();
      opened = undefined;
    });

    test('a new store is empty', async () => {
      const { store } = await start();
      expect({
        head: store.head(),
        summaries: store.summaries(),
        entries: await read(store, 'nobody'),
      }).toEqual({ head: 0, summaries: [], entries: [] });
    });

    test('entries come back as they were written, in order, and by sequence number', async () => {
      const { store } = await start();
      const log = new Log('s1');
      await store.write(log.batch([created('s1'), chatCreated('s1'), awkward], 'disk'));
      await store.write(log.batch([title('Later')], 'kernel'));
      expect(await read(store, 's1')).toEqual(log.entries);
      expect((await read(store, 's1', 2)).map(({ seq }) => seq)).toEqual([3, 4]);
      expect(await read(store, 's1', 4)).toEqual([]);
      expect(await read(store, 's1', 99)).toEqual([]);
    });

    test('texts of every kind come back as they were written', async () => {
      const { store } = await start();
      const id = 's"\\{},\'é';
      const log = new Log(id);
      const words = [
        '"',
        '\\',
        '\\"',
        '{a,"b"}',
        'NULL',
        '',
        '\n\t\r\u0001\u007f',
        '\u2028',
        '👩‍👩‍👧',
        '\ud800',
        '\\u0000',
      ];
      await store.write(
        log.batch([created(id), chatCreated(id), turnStarted(id), title(words.join())], 'disk'),
      );
      await store.write(
        log.batch(
          words.map((word) => text(id, word)),
          'kernel',
        ),
      );
      expect(await read(store, id)).toEqual(log.entries);
      expect(store.summaries().map(({ title: shown }) => shown)).toEqual([words.join()]);
    });

    test('sessions that were at work or waited are known without the rest of the catalogue', async () => {
      const opening = await start();
      const [busy, done] = [new Log('busy'), new Log('done')];
      await opening.store.write(
        busy.batch([created('busy'), chatCreated('busy'), turnStarted('busy')], 'disk'),
      );
      done.pos = busy.pos;
      await opening.store.write(
        done.batch([created('done'), chatCreated('done'), title('"status":"running"')], 'disk'),
      );
      const store = (await opening.reopen?.()) ?? opening.store;
      expect(store.unfinished()).toEqual(['busy']);
      expect(store.summaries()).toHaveLength(2);
      busy.pos = done.pos;
      await store.shared?.claim('busy');
      await store.write(busy.batch([title('still at work')], 'disk'));
      const again = (await opening.reopen?.()) ?? store;
      expect(again.unfinished()).toEqual(['busy']);
    });

    test('one commit carries entries of several sessions, and each log stays its own', async () => {
      const { store } = await start();
      const [a, b] = [new Log('a'), new Log('b')];
      const first = a.batch([created('a')], 'disk');
      b.pos = 1;
      const second = b.batch([created('b')], 'disk');
      a.pos = 2;
      await store.write(join([first, second, a.batch([title('A')], 'disk')]));
      expect([await read(store, 'a'), await read(store, 'b')]).toEqual([a.entries, b.entries]);
      expect(store.head()).toBe(3);
    });

    test('the catalogue has the newest summary of every session', async () => {
      const { store } = await start();
      const [a, b] = [new Log('a'), new Log('b')];
      b.pos = 50;
      await store.write(a.batch([created('a'), chatCreated('a')], 'disk'));
      await store.write(b.batch([created('b'), chatCreated('b')], 'disk'));
      await store.write(a.batch([title('Renamed')], 'disk'));
      expect(sorted(store.summaries())).toEqual([a.summary, b.summary]);
      expect(a.summary.title).toBe('Renamed');
    });

    test('a stream needs no summary and changes none', async () => {
      const { store } = await start();
      const log = new Log('s');
      await store.write(log.batch([created('s'), chatCreated('s'), turnStarted('s')], 'disk'));
      const before = store.summaries();
      for (const piece of ['one ', 'two ', 'three'])
        await store.write({ ...log.batch([text('s', piece)], 'kernel'), summaries: [] });
      expect(store.summaries()).toEqual(before);
      expect(await read(store, 's')).toEqual(log.entries);
    });

    test('a batch that cannot be stored leaves nothing behind, and the store goes on when it can', async () => {
      const under = await start();
      const log = new Log('s');
      await under.store.write(log.batch([created('s'), chatCreated('s')], 'disk'));
      const kept = { entries: [...log.entries], summary: log.summary };
      under.breakWrites();
      for (const sync of ['disk', 'kernel'] as const) {
        const lost = log.batch([title('Lost'), title('Lost too')], sync);
        await expect(Promise.resolve().then(() => under.store.write(lost))).rejects.toBeInstanceOf(Error);
        log.takeBack(2);
      }
      expect(await read(under.store, 's')).toEqual(kept.entries);
      expect(under.store.summaries()).toEqual([kept.summary]);
      under.mendWrites();
      await under.store.write(log.batch([title('Kept')], 'disk'));
      expect(await read(under.store, 's')).toEqual(log.entries);
      expect(under.store.summaries()).toEqual([log.summary]);
    });

    test('a removed session is gone, the others stay, and positions never run backwards', async () => {
      const under = await start();
      const [a, b] = [new Log('a'), new Log('b')];
      b.pos = 10;
      await under.store.write(a.batch([created('a')], 'disk'));
      await under.store.write(b.batch([created('b'), chatCreated('b')], 'disk'));
      await under.store.remove('b');
      expect([await read(under.store, 'a'), await read(under.store, 'b')]).toEqual([a.entries, []]);
      expect(under.store.summaries()).toEqual([a.summary]);
      expect(under.store.head()).toBe(12);
      const again = (await under.reopen?.()) ?? under.store;
      expect({ head: again.head(), summaries: again.summaries() }).toEqual({
        head: 12,
        summaries: [a.summary],
      });
      await again.remove('b');
      await again.remove('never was');
    });

    test('a position that is taken is behind all others, and is never used again', async () => {
      const under = await start();
      const log = new Log('s');
      await under.store.write(log.batch([created('s')], 'disk'));
      const taken = [await under.store.takePosition(), await under.store.takePosition()];
      expect([...taken, under.store.head()]).toEqual([log.pos + 1, log.pos + 2, log.pos + 2]);
      const again = (await under.reopen?.()) ?? under.store;
      expect(again.head()).toBe(log.pos + 2);
      const later = new Log('t');
      later.pos = again.head();
      await again.write(later.batch([created('t')], 'disk'));
      expect([again.head(), await read(again, 't')]).toEqual([log.pos + 3, later.entries]);
    });

    test('a session may be created anew after it was removed', async () => {
      const { store } = await start();
      const first = new Log('s');
      await store.write(first.batch([created('s'), title('First')], 'disk'));
      await store.remove('s');
      const second = new Log('s', first);
      await store.write(second.batch([created('s')], 'disk'));
      expect(await read(store, 's')).toEqual(second.entries);
      expect(store.summaries()).toEqual([second.summary]);
    });

    test('everything is there after the store was closed and opened again', async () => {
      const under = await start();
      const logs = ['a', 'b', 'c'].map((id) => new Log(id));
      logs.forEach((log, index) => (log.pos = index * 100));
      for (const log of logs)
        await under.store.write(
          log.batch([created(log.id), chatCreated(log.id), turnStarted(log.id)], 'disk'),
        );
      for (const log of logs)
        await under.store.write({ ...log.batch([text(log.id, 'streamed')], 'kernel'), summaries: [] });
      const again = (await under.reopen?.()) ?? under.store;
      for (const log of logs) expect(await read(again, log.id)).toEqual(log.entries);
      expect(again.head()).toBe(204);
      expect(sorted(again.summaries()).map(({ id, status }) => [id, status])).toEqual([
        ['a', 'running'],
        ['b', 'running'],
        ['c', 'running'],
      ]);
    });

    test('a long log is read whole while more is written to it', async () => {
      const { store } = await start();
      const log = new Log('s');
      await store.write(log.batch([created('s'), chatCreated('s'), turnStarted('s')], 'disk'));
      await store.write({
        ...log.batch(
          Array.from({ length: 3_000 }, (_, n) => text('s', `piece ${n} `)),
          'kernel',
        ),
        summaries: [],
      });
      const seen: number[] = [];
      for await (const { seq } of store.read('s')) {
        seen.push(seq);
        if (seq % 500 === 0) await store.write(log.batch([title(`at ${seq}`)], 'disk'));
      }
      expect(seen.slice(0, 3_003)).toEqual(Array.from({ length: 3_003 }, (_, n) => n + 1));
      expect(await read(store, 's')).toEqual(log.entries);
    });
  });
}

/**
 * A session as a test writes it: knows the next sequence number, the next position and what the
 * catalogue should say.
 */
export class Log {
  readonly id: SessionId;
  entries: Entry[] = [];
  pos: number;

  constructor(id: SessionId, after?: Log) {
    this.id = id;
    this.pos = after?.pos ?? 0;
  }

  get state(): State {
    return this.entries.reduce(reduce, emptyState(this.id));
  }

  get summary(): Summary {
    return summarize(this.state);
  }

  batch(events: readonly Event[], sync: Batch['sync']): Batch {
    const fresh = events.map((event, index): Entry => ({
      seq: this.entries.length + index + 1,
      pos: (this.pos += 1),
      at: 1_700_000_000_000 + this.pos,
      by: origins[index % origins.length] ?? origins[0],
      event,
    }));
    this.entries.push(...fresh);
    return { entries: fresh.map((entry) => ({ session: this.id, entry })), summaries: [this.summary], sync };
  }

  /** Forgets entries that were not stored; their positions stay used. */
  takeBack(count: number): void {
    this.entries = this.entries.slice(0, -count);
  }
}

export async function read(store: LogStore, session: SessionId, after?: number): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of store.read(session, after)) entries.push(entry);
  return entries;
}

export const created = (session: SessionId): Event => ({
  kind: 'session.created',
  session,
  agent: 'script',
  roots: ['/w'],
  title: 'A title',
  options: { a: 1 },
});
export const chatCreated = (chat: string): Event => ({
  kind: 'chat.created',
  chat,
  origin: { type: 'user' },
});
export const title = (words: string): Event => ({ kind: 'session.changed', changes: { title: words } });
export const turnStarted = (chat: string): Event => ({
  kind: 'turn.started',
  chat,
  turn: 't1',
  queued: false,
  message: { id: 'm1', text: 'Do it.' },
});
export const text = (chat: string, words: string): Event => ({
  kind: 'text.added',
  chat,
  turn: 't1',
  item: 'i1',
  channel: 'answer',
  text: words,
});

/** Every kind of text that a careless store would change. */
const awkward: Event = {
  kind: 'note',
  owner: 'doors/ahp',
  key: 'k',
  value: [
    '\u0000',
    '\n\r\u2028',
    '"\\',
    'ü😀',
    '\ud800',
    'x'.repeat(100_000),
    '',
    null,
    0.1,
    -0.5,
    2 ** 53 - 1,
    { '': [], __proto: true },
  ],
};

const origins: readonly [Origin, ...Origin[]] = [
  { kind: 'client', door: 'acp', client: 'c1', name: 'Zed', mark: 7 },
  { kind: 'agent', agent: 'script' },
  { kind: 'host' },
];

function join(batches: readonly Batch[]): Batch {
  const newest = new Map(
    batches.flatMap(({ summaries }) => summaries.map((summary) => [summary.id, summary])),
  );
  return {
    entries: batches.flatMap(({ entries }) => entries),
    summaries: [...newest.values()],
    sync: 'disk',
  };
}

function sorted(summaries: readonly Summary[]): readonly Summary[] {
  return summaries.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
