import { describe, expect, test } from 'vitest';
import { emptyState } from '../../../model/state.ts';
import type { Chat, State } from '../../../model/state.ts';
import type { Origin } from '../../../model/event.ts';
import { dialectOf, spoken, spokenName } from './clientConventions.ts';
import type { ModelRequest } from '../model.ts';

const dialect = { persona: 'X', prefix: 'x__', ending: '\n', onDemand: {} };
const dialects = { one: dialect };

function client(door: string): Origin {
  return { kind: 'client', door, client: 'c' };
}

function stateOf(chats: {
  readonly [id: string]: { readonly by: readonly Origin[]; readonly origin?: Chat['origin'] };
}): Pick<State, 'chats'> {
  const chat = ([id, { by, origin = { type: 'user' } as const }]: [string, (typeof chats)[string]]): [
    string,
    Chat,
  ] => {
    const turns = by.map((who, at) => ({
      id: `${id}${at}`,
      message: { id: `m${at}`, text: 'hi' },
      by: who,
      startedAt: 0,
      items: [],
      usage: undefined,
      outcome: { kind: 'completed' } as const,
      endedAt: 1,
    }));
    return [
      id,
      {
        id,
        title: '',
        firstTitle: '',
        origin,
        read: true,
        archived: false,
        createdAt: 0,
        modifiedAt: 0,
        lately: { at: 0, failed: false },
        turns,
        active: undefined,
        queue: [],
        steering: [],
        held: false,
        asks: {},
        plan: [],
        bound: undefined,
        compaction: undefined,
        draft: undefined,
        restored: undefined,
      },
    ];
  };
  return { ...emptyState('s'), chats: Object.fromEntries(Object.entries(chats).map(chat)) };
}

describe('a conversation keeps the dialect it began in', () => {
  test.each([
    ['of the door', { a: { by: [client('one')] } }, dialect],
    ['whoever goes on', { a: { by: [client('one'), client('two')] } }, dialect],
    ['also where that has none', { a: { by: [client('two'), client('one')] } }, undefined],
    ['past what nobody sent', { a: { by: [{ kind: 'host' }, client('one')] } }, dialect],
    [
      'of the chat around it',
      {
        a: { by: [{ kind: 'agent', agent: 'n' }], origin: { type: 'tool', chat: 'b', tool: 't' } },
        b: { by: [client('one')] },
      },
      dialect,
    ],
    [
      'of none, where two are about each other',
      {
        a: { by: [], origin: { type: 'side', chat: 'b', turn: 't' } },
        b: { by: [], origin: { type: 'side', chat: 'a', turn: 't' } },
      },
      undefined,
    ],
    ['of none', { a: { by: [] } }, undefined],
    [
      'of a chat that is gone',
      { a: { by: [], origin: { type: 'side', chat: 'gone', turn: 't' } } },
      undefined,
    ],
  ] as const)('%s', (_, chats, expected) => {
    expect(dialectOf(stateOf(chats), 'a', dialects)).toBe(expected);
  });
});

describe('what a model reads', () => {
  const base = { system: '', start: 0, roots: [], signal: new AbortController().signal };
  const spec = (name: string, ours?: true) => ({
    name,
    description: '',
    parameters: {},
    ...(ours ? { ours } : {}),
  });
  const request: ModelRequest = {
    ...base,
    tools: [spec('grep', true), spec('read', true), spec('x__read'), spec('server__tool')],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'grep' }] },
      {
        role: 'assistant',
        content: [
          { type: 'call', id: '1', name: 'grep', input: {}, ours: true },
          { type: 'call', id: '2', name: 'server__tool', input: {} },
          { type: 'call', id: '3', name: 'read', input: {}, ours: true },
        ],
      },
      {
        role: 'tool',
        results: [
          { id: '1', name: 'grep', status: 'done', text: 'a' },
          { id: '2', name: 'server__tool', status: 'done', text: 'b' },
          { id: '3', name: 'read', status: 'failed', text: 'c\n' },
        ],
      },
    ],
  };

  test('our own names have the prefix, but where a server has taken the name', () => {
    const { tools, messages } = spoken(request, dialect);
    expect(tools.map(({ name }) => name)).toEqual(['x__grep', 'read', 'x__read', 'server__tool']);
    expect(
      messages.flatMap((message) =>
        message.role === 'assistant'
          ? message.content.map((part) => (part.type === 'call' ? part.name : ''))
          : [],
      ),
    ).toEqual(['x__grep', 'server__tool', 'read']);
    expect(messages.at(-1)).toMatchObject({
      results: [
        { name: 'x__grep', text: 'a\n' },
        { name: 'server__tool', text: 'b\n' },
        { name: 'read', text: 'c\n\n' },
      ],
    });
  });

  test('without a dialect nothing changes', () => {
    expect(spoken(request, undefined)).toBe(request);
    expect(spokenName('grep', undefined)).toBe('grep');
  });

  test('a name that would become too long for providers stays as it is', () => {
    expect([spokenName('a'.repeat(61), dialect), spokenName('a'.repeat(62), dialect)]).toEqual([
      `x__${'a'.repeat(61)}`,
      'a'.repeat(62),
    ]);
  });
});
