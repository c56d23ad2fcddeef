// A lost entry costs itself: what follows keeps its chat and its turn, and the gap is marked.
import { describe, expect, test } from 'vitest';
import type { Entry, Event } from '../../model/event.ts';
import { reduce } from '../../model/reduce.ts';
import { emptyState } from '../../model/state.ts';
import { entriesAround, gapText, soundEntries } from './damagedLog.ts';
import { LogDamage } from './logStore.ts';

const inTurn = (turn: string) => ({ chat: 's', turn });
const said = (turn: string, text: string): Event => ({
  kind: 'text.added',
  ...inTurn(turn),
  item: `${turn}-1`,
  channel: 'answer',
  text,
});
const started = (turn: string): Event => ({
  kind: 'turn.started',
  ...inTurn(turn),
  message: { id: `m-${turn}`, text: `Ask ${turn}` },
  queued: false,
});
const ended = (turn: string): Event => ({
  kind: 'turn.ended',
  ...inTurn(turn),
  outcome: { kind: 'completed' },
});

const events: readonly Event[] = [
  { kind: 'session.created', session: 's', agent: 'a', roots: [] },
  { kind: 'chat.created', chat: 's', origin: { type: 'user' } },
  ...['one', 'two', 'three'].flatMap((turn) => [started(turn), said(turn, `Answer ${turn}`), ended(turn)]),
];

/** A store whose entries with these numbers are damaged. */
function storeWithout(lost: readonly number[], of = events) {
  const all = of.map((event, at): Entry => ({
    seq: at + 1,
    pos: at + 1,
    at: at + 1,
    by: { kind: 'host' },
    event,
  }));
  return {
    *read(session: string, after = 0): Generator<Entry> {
      for (const entry of all.slice(after)) {
        if (!lost.includes(entry.seq)) {
          yield entry;
          continue;
        }
        const damage = new LogDamage(session, entry.seq, `Entry ${entry.seq} is damaged.`);
        damage.next = all.find(({ seq }) => seq > entry.seq && !lost.includes(seq))?.seq;
        throw damage;
      }
    },
  };
}

async function shown(lost: readonly number[]) {
  let state = emptyState('s');
  const gaps: number[] = [];
  const numbers: number[] = [];
  for await (const entry of entriesAround(storeWithout(lost), 's', ({ seq }) => gaps.push(seq))) {
    numbers.push(entry.seq);
    state = reduce(state, entry);
  }
  expect(numbers).toEqual(numbers.map((_, at) => at + 1));
  const turns = state.chats['s']?.turns ?? [];
  return {
    gaps,
    active: state.chats['s']?.active !== undefined,
    marked: JSON.stringify(turns).includes(gapText),
    asked: turns.map(({ message }) => message.text),
    answers: ['one', 'two', 'three'].filter((turn) => JSON.stringify(turns).includes(`Answer ${turn}`)),
  };
}

const whole = ['Ask one', 'Ask two', 'Ask three'];
const all = ['one', 'two', 'three'];

describe('what is shown when an entry is lost', () => {
  const cases: { name: string; lost: number[]; expected: Partial<Awaited<ReturnType<typeof shown>>> }[] = [
    { name: 'nothing', lost: [], expected: { gaps: [], marked: false, asked: whole, answers: all } },
    { name: 'the session itself', lost: [1], expected: { gaps: [1], asked: whole, answers: all } },
    { name: 'the chat', lost: [2], expected: { gaps: [2], asked: whole, answers: all } },
    {
      name: 'a message of the user',
      lost: [6],
      expected: { gaps: [6], marked: true, asked: ['Ask one', gapText, 'Ask three'], answers: all },
    },
    {
      name: 'an answer',
      lost: [7],
      expected: { gaps: [7], marked: true, asked: whole, answers: ['one', 'three'] },
    },
    {
      name: 'the end of a turn',
      lost: [8],
      expected: { gaps: [8], marked: true, asked: whole, answers: all },
    },
    {
      name: 'an end and the next message',
      lost: [5, 6],
      expected: { gaps: [5], marked: true, asked: ['Ask one', gapText, 'Ask three'], answers: all },
    },
    {
      name: 'two places',
      lost: [4, 10],
      expected: { gaps: [4, 10], marked: true, asked: whole, answers: ['two'] },
    },
    {
      name: 'the end of the log',
      lost: [10, 11],
      expected: { gaps: [10], marked: true, asked: whole, answers: ['one', 'two'], active: false },
    },
  ];
  test.each(cases)('$name', async ({ lost, expected }) => {
    expect(await shown(lost)).toMatchObject({ active: false, ...expected });
  });
});

test('every single entry can be lost, and everything else is still there', async () => {
  for (const lost of events.keys()) {
    const { answers, asked } = await shown([lost + 1]);
    const { kind } = events[lost] ?? { kind: undefined };
    expect([lost, answers.length]).toEqual([lost, kind === 'text.added' ? 2 : 3]);
    expect([lost, asked.length]).toEqual([lost, 3]);
  }
});

test('an agent that was waited for is waited for no longer', async () => {
  const log = [...events.slice(0, 2), { kind: 'chat.changed', chat: 's', stopping: 'Waiting.' } as const];
  let state = emptyState('s');
  for await (const entry of entriesAround(storeWithout([4], [...log, started('one')]), 's'))
    state = reduce(state, entry);
  expect(state.chats['s']?.stopping).toBe(null);
});

test('search sees all sound entries', async () => {
  const found: number[] = [];
  for await (const { seq } of soundEntries(storeWithout([3, 4, 9]), 's', 0)) found.push(seq);
  expect(found).toEqual([1, 2, 5, 6, 7, 8, 10, 11]);
});
