import { describe, expect, test } from 'vitest';
import type { Entry, Event } from '../../model/event.ts';
import { reduce } from '../../model/reduce.ts';
import { emptyState } from '../../model/state.ts';
import type { State } from '../../model/state.ts';
import type { Hook, HookEvent } from '../settings/projectKnowledge.ts';
import { furtherPreparation, preparationOf, withPreparation } from './turnPreparation.ts';

const created: Event = { kind: 'session.created', session: 's', agent: 'a', roots: ['/w'] };
const chat: Event = { kind: 'chat.created', chat: 's', origin: { type: 'user' } };
const started: Event = {
  kind: 'turn.started',
  chat: 's',
  turn: 't',
  message: { id: 'm', text: 'Hello' },
  queued: false,
};
const notice: Event = { kind: 'notice.added', chat: 's', turn: 't', level: 'info', text: 'Welcome.' };
const word: Event = { kind: 'text.added', chat: 's', turn: 't', item: 'i', channel: 'answer', text: 'Hi' };
const ended: Event = { kind: 'turn.ended', chat: 's', turn: 't', outcome: { kind: 'completed' } };

const fold = (events: readonly Event[], from: State = emptyState('s')) =>
  events.reduce<State>((state, event) => {
    const entry: Entry = { seq: state.seq + 1, pos: state.pos + 1, at: 1, by: { kind: 'host' }, event };
    return reduce(state, entry);
  }, from);

const hooks = (...on: readonly HookEvent[]): readonly Hook[] =>
  on.map((each) => ({ name: each, on: each, actions: [], visible: true }));
const begin = (...on: readonly HookEvent[]) =>
  fold(
    withPreparation(fold([created, chat]), [started], () => hooks(...on)),
    fold([created, chat]),
  );
const turnIn = (state: State) => state.chats['s']?.active ?? state.chats['s']?.turns.at(-1);
const seen = (state: State) => preparationOf(state, turnIn(state));

describe('what comes before a turn', () => {
  test.each([
    [[], undefined],
    [['postRequest'], undefined],
    [['preRequest'], 'message'],
    [['chatStart'], 'opening'],
    [['chatStart', 'preRequest'], 'opening'],
    [['subagentStart'], undefined],
  ] as const)('%j is %s', (on, stage) => expect(seen(begin(...on))?.stage).toBe(stage));
});

test('a turn only comes further, and remembers what was said before its message', () => {
  const greeted = fold([notice], begin('chatStart', 'preRequest'));
  const active = turnIn(greeted);
  const note = active && furtherPreparation(greeted, active, 'message');
  const asked = fold(note ? [note, notice] : [], greeted);
  expect(seen(asked)).toEqual({ stage: 'message', early: 1 });
  expect(active && furtherPreparation(asked, active, 'opening')).toBeUndefined();
  expect(seen(fold([word], asked))).toEqual({ stage: 'agent', early: 1 });
});

test('an agent that works has begun, and a turn that is over waits for nothing', () => {
  expect(seen(fold([notice, word], begin('chatStart')))).toEqual({ stage: 'agent', early: 1 });
  expect(seen(fold([notice, ended], begin('chatStart')))).toEqual({ stage: 'agent', early: 1 });
});

test('a turn that goes on after it broke off has begun', () => {
  const broke = fold([{ ...ended, outcome: { kind: 'interrupted' } }], begin('chatStart'));
  expect(
    seen(
      fold(
        withPreparation(broke, [{ kind: 'turn.resumed', chat: 's', turn: 't' }], () => []),
        broke,
      ),
    )?.stage,
  ).toBe('agent');
});
