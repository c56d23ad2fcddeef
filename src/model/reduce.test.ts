import { expect, test } from 'vitest';
import type { Event } from './event.ts';
import { reduce } from './reduce.ts';
import { emptyState } from './state.ts';
import type { State } from './state.ts';

const begun: readonly Event[] = [
  {
    kind: 'session.created',
    session: 's',
    agent: 'one',
    roots: ['/w'],
    model: 'm',
    mode: 'plan',
    options: { depth: 2 },
  },
  { kind: 'chat.created', chat: 's', origin: { type: 'user' } },
  { kind: 'agent.bound', chat: 's', agent: 'one', ref: 'r' },
  { kind: 'turn.started', chat: 's', turn: 't1', queued: false, message: { id: 'm1', text: 'hi' } },
  { kind: 'turn.ended', chat: 's', turn: 't1', outcome: { kind: 'completed' } },
];

function fold(...events: readonly Event[]): State {
  return [...begun, ...events].reduce<State>(
    (state, event, at) => reduce(state, { seq: at + 1, pos: at + 1, at, by: { kind: 'host' }, event }),
    emptyState('s'),
  );
}

test('another agent has other models, modes and options', () => {
  expect(fold({ kind: 'session.changed', changes: { agent: 'two', mode: 'ask' } })).toMatchObject({
    agent: 'two',
    model: undefined,
    mode: 'ask',
    options: {},
  });
  expect(fold({ kind: 'session.changed', changes: { agent: 'one' } })).toMatchObject({
    model: 'm',
    mode: 'plan',
    options: { depth: 2 },
  });
});

test('a conversation that remembers more than the chat is not continued', () => {
  expect(fold().chats['s']?.bound).toEqual({ agent: 'one', ref: 'r' });
  expect(fold({ kind: 'chat.truncated', chat: 's' }).chats['s']?.bound).toBeUndefined();
});

test('the first result that waits for its confirmation stays', () => {
  const held = (text: string): Event => ({
    kind: 'tool.held',
    chat: 's',
    turn: 't2',
    tool: 'c',
    result: { status: 'done', content: [{ type: 'text', text }] },
  });
  const state = fold(
    { kind: 'turn.started', chat: 's', turn: 't2', queued: false, message: { id: 'm2', text: 'go' } },
    {
      kind: 'tool.started',
      chat: 's',
      turn: 't2',
      tool: 'c',
      name: 'pick',
      title: 'Pick',
      toolKind: 'other',
      source: 'client',
    },
    { kind: 'tool.running', chat: 's', turn: 't2', tool: 'c', basis: { how: 'agent' } },
    held('first'),
    held('second'),
  );
  expect(state.chats['s']?.active?.items).toMatchObject([{ held: { content: [{ text: 'first' }] } }]);
});
