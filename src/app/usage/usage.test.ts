import { expect, test } from 'vitest';
import { reduce } from '../../model/reduce.ts';
import { emptyState } from '../../model/state.ts';
import type { Entry, Event } from '../../model/event.ts';
import { summarize } from '../../host/session/summary.ts';
import { contextParts } from './contextParts.ts';
import { spendingReader } from './spending.ts';

const by = { kind: 'host' } as const;
const day = 86_400_000;
/** Noon, so that no time zone moves it to another day. */
const noon = new Date(2026, 0, 10, 12).getTime();

function entries(events: readonly Event[], at = noon): readonly Entry[] {
  return events.map((event, index) => ({ seq: index + 1, pos: index + 1, at, by, event }));
}

const turn = (id: string, text: string): Event => ({
  kind: 'turn.started',
  chat: 's',
  turn: id,
  message: { id: `m-${id}`, text },
  queued: false,
});
const used = (id: string, usage: object): Event => ({ kind: 'usage.reported', chat: 's', turn: id, usage });
const ended = (id: string): Event => ({
  kind: 'turn.ended',
  chat: 's',
  turn: id,
  outcome: { kind: 'completed' },
});

const begun: readonly Event[] = [
  { kind: 'session.created', session: 's', agent: 'parley', roots: ['/w'], title: 'Cart' },
  { kind: 'chat.created', chat: 's', origin: { type: 'user' } },
];

function stateOf(events: readonly Event[]) {
  return entries([...begun, ...events]).reduce(reduce, emptyState('s'));
}

test('the parts of the context add up to what the provider counted', () => {
  const state = stateOf([
    turn('t1', 'x'.repeat(400)),
    used('t1', { context: { used: 1000, size: 4000 } }),
    ended('t1'),
  ]);
  const chat = state.chats['s'];
  expect(chat && contextParts(state, chat, { system: 400, tools: 800 })).toEqual({
    used: 1000,
    size: 4000,
    parts: [
      { part: 'system', tokens: 250 },
      { part: 'tools', tokens: 500 },
      { part: 'conversation', tokens: 250 },
    ],
  });
});

test('what was read counts as files, and a summary replaces the turns before it', () => {
  const read: readonly Event[] = [
    {
      kind: 'tool.started',
      chat: 's',
      turn: 't1',
      tool: 'c1',
      name: 'read_file',
      title: 'Reading',
      toolKind: 'read',
      source: 'agent',
    },
    {
      kind: 'tool.ended',
      chat: 's',
      turn: 't1',
      tool: 'c1',
      result: { status: 'done', content: [{ type: 'text', text: 'y'.repeat(4000) }] },
    },
  ];
  const before = stateOf([turn('t1', 'look'), ...read, ended('t1')]);
  const partsOf = (state: typeof before) => {
    const chat = state.chats['s'];
    return chat && contextParts(state, chat, { system: 0, tools: 0 }).parts.map(({ part }) => part);
  };
  expect(partsOf(before)).toEqual(['files', 'conversation']);
  const after = stateOf([
    turn('t1', 'look'),
    ...read,
    ended('t1'),
    { kind: 'chat.compacted', chat: 's', summary: 'A summary of it all.', after: 't1' },
  ]);
  expect(partsOf(after)).toEqual(['conversation']);
});

test('spending is read once from each log, the last report of a turn counts, old turns do not', async () => {
  const log = [
    ...entries([...begun, turn('t0', 'old'), used('t0', { input: 9, output: 9, cost: 9 })], noon - 40 * day),
    ...entries(
      [
        turn('t1', 'new'),
        used('t1', { input: 10, output: 1, model: 'a/b', cost: 0.1 }),
        used('t1', { input: 30, output: 3, model: 'a/b', cost: 0.3 }),
        turn('t2', 'free'),
        used('t2', { input: 5, output: 5, model: 'demo/demo' }),
      ],
      noon,
    ).map((entry, index) => ({ ...entry, seq: 5 + index })),
  ];
  const asked: number[] = [];
  const reader = spendingReader({
    read: (_, after = 0) => {
      asked.push(after);
      return log.filter(({ seq }) => seq > after);
    },
  });
  const summary = { ...summarize(emptyState('s')), title: 'Cart', modifiedAt: noon };
  const common = { day: '2026-01-10', session: 's', title: 'Cart', agent: 'parley', turns: 1 };
  const expected = [
    { ...common, model: 'a/b', input: 30, output: 3, cost: 0.3 },
    { ...common, model: 'demo/demo', input: 5, output: 5 },
  ];
  expect(await reader([summary], noon - day)).toEqual(expected);
  expect(await reader([summary], noon - day)).toEqual(expected);
  expect(asked).toEqual([0, 9]);
  expect(await reader([{ ...summary, modifiedAt: noon - 2 * day }], noon - day)).toEqual([]);
});
