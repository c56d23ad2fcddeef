// Files of sessions: whatever a host has exported is read, and entries that do not fit each other are
// refused.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { logs, sessionId } from '../../../test/kit/logs.ts';
import { format1Logs } from '../../../test/kit/released.ts';
import { entryLine, headerLine } from '../../host/session/sessionLines.ts';
import type { Entry, Event } from '../../model/event.ts';
import { reduce } from '../../model/reduce.ts';
import { emptyState } from '../../model/state.ts';
import type { State } from '../../model/state.ts';
import { readSession } from './sessionFile.ts';

function fileOf(id: string, entries: readonly Entry[]): readonly string[] {
  return [headerLine({ id, title: '', entries: entries.length }), ...entries.map(entryLine)];
}

function place(n: number) {
  return { seq: n + 1, pos: n + 1 };
}

/** Pieces are joined, so later entries move up: places, and the ids that are made of them, are left out. */
function withoutPlaces(state: State): unknown {
  const text = JSON.stringify(state).replaceAll(/"(seq|pos)":\d+/g, '"$1":0');
  return JSON.parse(text.replaceAll(/"(notice|broke)-\d+"/g, '"$1"'));
}

test('every log that can happen can be read back, and means the same', async () => {
  await fc.assert(
    fc.asyncProperty(logs(), async ({ entries }) => {
      const found = await readSession(fileOf(sessionId, entries));
      expect(found).toMatchObject({ id: sessionId });
      const past = 'past' in found ? found.past : [];
      const state = past.reduce(
        (before, event, n) => reduce(before, { ...event, ...place(n) }),
        emptyState(sessionId),
      );
      const before = entries.reduce(reduce, emptyState(sessionId));
      expect(withoutPlaces(state)).toEqual(withoutPlaces(before));
    }),
    { numRuns: 100 },
  );
});

test.each(format1Logs.map((log) => [log.name, log] as const))(
  '%s of format 1 can be read',
  async (_, log) => {
    expect(await readSession(fileOf(log.session, log.entries))).toMatchObject({ id: log.session });
  },
);

const chat = { chat: 's' };
const message = { id: 'm', text: 'Hello' };
const begun: readonly Event[] = [
  { kind: 'session.created', session: 's', agent: 'a', roots: [] },
  { kind: 'chat.created', ...chat, origin: { type: 'user' } },
];
const started: Event = { kind: 'turn.started', ...chat, turn: 't', message, queued: false };
const said: Event = { kind: 'text.added', ...chat, turn: 't', item: 'i', channel: 'answer', text: 'Hi' };
const done: Event = { kind: 'turn.ended', ...chat, turn: 't', outcome: { kind: 'completed' } };

test.each<[string, number, readonly Event[]]>([
  ['a turn in a chat that was never created', 4, [...begun, { ...started, chat: 'other' }]],
  ['words outside a turn', 4, [...begun, said]],
  ['words of another turn', 5, [...begun, started, { ...said, turn: 'other' }]],
  ['an end of a turn that has ended', 7, [...begun, started, said, done, done]],
  ['a second creation', 4, [...begun, ...begun.slice(0, 1)]],
  ['a chat that is there already', 4, [...begun, ...begun.slice(1)]],
])('%s is refused by its line', async (_, line, events) => {
  const entries = events.map((event, n): Entry => ({
    seq: n + 1,
    pos: n + 1,
    at: n,
    by: { kind: 'host' },
    event,
  }));
  const kind = String(events[line - 2]?.kind);
  const problem = `Line ${line} (${kind}) does not fit the lines before it.`;
  expect(await readSession(fileOf('s', entries))).toEqual({ problem });
});

test('a long stream comes as few events', async () => {
  const pieces = Array.from({ length: 20_000 }, () => said);
  const entries = [...begun, started, ...pieces, done].map((event, n): Entry => ({
    ...place(n),
    at: n,
    by: { kind: 'host' },
    event,
  }));
  const found = await readSession(fileOf('s', entries));
  const past = 'past' in found ? found.past : [];
  expect(past.length).toBeLessThan(10);
  const text = past.map(({ event }) => (event.kind === 'text.added' ? event.text : '')).join('');
  expect(text).toBe('Hi'.repeat(pieces.length));
});

test('a file that was cut within a line is told as one that is not complete', async () => {
  const [head = '', ...rest] = fileOf(
    's',
    [...begun, started].map((event, n): Entry => ({
      ...place(n),
      at: n,
      by: { kind: 'host' },
      event,
    })),
  );
  const found = await readSession([head, ...rest.slice(0, -2), String(rest.at(-2)).slice(0, 20)]);
  expect(found).toEqual({ problem: 'It should have 3 entries and has 2; it is not complete.' });
});
