import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SearchIndex } from '../../host/session/search.ts';
import type { Entry } from '../../model/event.ts';
import { sessionIndex } from './sessionIndex.ts';

let directory: string;
let index: SearchIndex;
let logs: Map<string, string[]>;
let read: string[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-search-'));
  logs = new Map();
  read = [];
  index = open();
});

afterEach(async () => {
  await index.close();
  rmSync(directory, { recursive: true, force: true });
});

test('finds every word in any part of a session and shows its lines', async () => {
  logs.set('a', ['The quick brown\nfox jumps', 'over a lazy dog']);
  logs.set('b', ['The quick red fox']);
  expect(await find('quick', 'FOX')).toEqual([
    ['a', ['The quick brown', 'fox jumps']],
    ['b', ['The quick red fox']],
  ]);
  expect(await find('brown', 'lazy')).toEqual([['a', ['The quick brown', 'over a lazy dog']]]);
  expect(await find('lazy', 'red')).toEqual([]);
});

test.each([
  ['a part of a word', 'archSess', 'searchSessions(x)'],
  ['two letters', 'x)', 'searchSessions(x)'],
  ['letters with a meaning in patterns', '%_', '100%_sure'],
  ['quotes', 'say"s', 'he say"s so'],
  ['another case of other letters', 'ÄRGER', 'großer ärger'],
  ['signs beyond the first plane', '😀', 'smile 😀 now'],
  ['another accent', 'naive', 'a naïve word'],
  ['words beside each other', 'lazy dog', 'over a lazy dog'],
  ['a title', 'Title of c', 'no such words'],
])('finds %s', async (_what, word, text) => {
  logs.set('b', ['something else']);
  logs.set('c', [text]);
  expect((await find(word)).map(([id]) => id)).toEqual(['c']);
});

test('shows the line of a word with other accents, and a line that is longer around it', async () => {
  logs.set('a', ['one\na naïve word', `${'é'.repeat(100)} Ärger ${'x'.repeat(300)}`]);
  expect(await find('naive')).toEqual([['a', ['a naïve word']]]);
  expect((await find('ÄRGER'))[0]?.[1][0]).toMatch(/^…é{59} Ärger x+$/);
});

test('reads only what is new, and pieces of one answer are one text', async () => {
  logs.set('a', ['+The ans', '+wer is for']);
  expect(await find('answer')).toEqual([['a', ['The answer is for']]]);
  logs.get('a')?.push('+ty-two', 'done');
  expect(await find('forty-two')).toEqual([['a', ['The answer is forty-two']]]);
  expect(await find('done')).toEqual([['a', ['done']]]);
  expect(read).toEqual(['a after 0', 'a after 2']);
  await index.close();
  index = open();
  expect(await find('forty-two', 'done')).toHaveLength(1);
  expect(read).toHaveLength(2);
});

test('a session that is gone leaves no word in the file', async () => {
  logs.set('a', ['a secret pelican', 'and more']);
  logs.set('b', ['a pelican']);
  await find('pelican');
  logs.delete('a');
  await index.forget('a');
  expect((await find('pelican')).map(([id]) => id)).toEqual(['b']);
  await index.close();
  expect(readFileSync(join(directory, 'search.db'), 'latin1')).not.toContain('secret');
  index = open();
});

test('a session whose log was cut off is read again', async () => {
  logs.set('a', ['one walrus', 'two']);
  await find('walrus');
  logs.set('a', ['another']);
  expect(await find('walrus')).toEqual([]);
  expect(await find('another')).toHaveLength(1);
});

test('an index that cannot be read is made anew', async () => {
  logs.set('a', ['one walrus']);
  await find('walrus');
  await index.close();
  writeFileSync(
    join(directory, 'search.db'),
    'not a database at all, but long enough to look like something',
  );
  rmSync(join(directory, 'search.db-wal'), { force: true });
  index = open();
  expect(await find('walrus')).toEqual([['a', ['one walrus']]]);
});

test('nothing is opened before somebody searches, and a stopped search finds nothing', async () => {
  await index.forget('a');
  expect(existsSync(join(directory, 'search.db'))).toBe(false);
  logs.set('a', ['one walrus']);
  expect(
    await index.search([{ id: 'a', title: '', seq: 1 }], {
      words: ['walrus'],
      limit: 5,
      signal: AbortSignal.abort(),
    }),
  ).toEqual({ matches: [], missing: 0 });
});

test('as many as were asked for, in the order given', async () => {
  for (const id of ['a', 'b', 'c']) logs.set(id, ['same words']);
  expect((await search(['same'], 2)).matches.map(({ id }) => id)).toEqual(['a', 'b']);
});

test('a search that does not wait is answered while the index is being built, and says what is missing', async () => {
  for (let n = 0; n < 1_000; n += 1) logs.set(`s${n}`, [n === 0 ? 'the first walrus' : 'the last walrus']);
  const first = await search(['walrus'], 2_000, 0);
  expect(first.missing).toBeGreaterThan(0);
  expect(first.matches.length).toBeLessThan(1_000);
  // Whoever waits gets everything, and nothing is read twice.
  const second = await search(['walrus'], 2_000);
  expect([second.matches.length, second.missing, read.length]).toEqual([1_000, 0, 1_000]);
  expect(await search(['walrus'], 1, 0)).toMatchObject({ missing: 0 });
});

test('a few sessions are waited for', async () => {
  for (let n = 0; n < 20; n += 1) logs.set(`s${n}`, ['a walrus']);
  const found = await search(['walrus'], 100, 0);
  expect([found.matches.length, found.missing]).toEqual([20, 0]);
});

test('closing ends the building of the index', async () => {
  for (let n = 0; n < 1_000; n += 1) logs.set(`s${n}`, ['a walrus']);
  await search(['walrus'], 1, 0);
  await index.close();
  expect(read.length).toBeLessThan(1_000);
  index = open();
});

function open(): SearchIndex {
  return sessionIndex({
    directory,
    store: {
      *read(session, after = 0) {
        read.push(`${session} after ${after}`);
        for (const [at, text] of (logs.get(session) ?? []).entries())
          if (at >= after) yield entry(at + 1, text);
      },
    },
    report: (problem) => {
      throw problem;
    },
  });
}

/** A text that begins with a plus is a piece of one long answer. */
function entry(seq: number, text: string): Entry {
  const event: Entry['event'] = text.startsWith('+')
    ? { kind: 'text.added', chat: 'x', turn: 't', item: 'i', channel: 'answer', text: text.slice(1) }
    : { kind: 'notice.added', chat: 'x', turn: 't', level: 'info', text };
  return { seq, pos: seq, at: 0, by: { kind: 'host' }, event };
}

async function find(...words: readonly string[]): Promise<readonly (readonly [string, readonly string[]])[]> {
  return (await search(words, 10)).matches.map(({ id, lines }) => [id, lines] as const);
}

function search(words: readonly string[], limit: number, within?: number): ReturnType<SearchIndex['search']> {
  const sessions = [...logs].map(([id, log]) => ({ id, title: `Title of ${id}`, seq: log.length }));
  return index.search(sessions, { words, limit, within, signal: new AbortController().signal });
}
