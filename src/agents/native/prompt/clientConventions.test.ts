import { describe, expect, test } from 'vitest';
import { emptyState } from '../../../model/state.ts';
import type { Chat, State } from '../../../model/state.ts';
import type { Origin } from '../../../model/event.ts';
import {
  calledName,
  defaultConventions,
  conventionsFor,
  applyConventions,
  requestName,
} from './clientConventions.ts';
import type { ModelRequest } from '../model.ts';

const conventions = { ...defaultConventions, persona: 'X', toolPrefix: 'x__', resultEnding: '\n' };
const byDoor = { one: conventions };

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
        revertedTurns: [],
        refusedImages: {},
        pinnedPrompt: undefined,
      },
    ];
  };
  return { ...emptyState('s'), chats: Object.fromEntries(Object.entries(chats).map(chat)) };
}

describe('a conversation keeps the conventions it began in', () => {
  test.each([
    ['of the door', { a: { by: [client('one')] } }, conventions],
    ['whoever goes on', { a: { by: [client('one'), client('two')] } }, conventions],
    ['also where that has none', { a: { by: [client('two'), client('one')] } }, defaultConventions],
    ['past what nobody sent', { a: { by: [{ kind: 'host' }, client('one')] } }, conventions],
    [
      'of the chat around it',
      {
        a: { by: [{ kind: 'agent', agent: 'n' }], origin: { type: 'tool', chat: 'b', tool: 't' } },
        b: { by: [client('one')] },
      },
      conventions,
    ],
    [
      'of none, where two are about each other',
      {
        a: { by: [], origin: { type: 'side', chat: 'b', turn: 't' } },
        b: { by: [], origin: { type: 'side', chat: 'a', turn: 't' } },
      },
      defaultConventions,
    ],
    ['of none', { a: { by: [] } }, defaultConventions],
    [
      'of a chat that is gone',
      { a: { by: [], origin: { type: 'side', chat: 'gone', turn: 't' } } },
      defaultConventions,
    ],
  ] as const)('%s', (_, chats, expected) => {
    expect(conventionsFor(stateOf(chats), 'a', byDoor)).toBe(expected);
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
    const { tools, messages } = applyConventions(request, conventions);
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

  test('the default conventions change nothing', () => {
    expect(applyConventions(request, defaultConventions)).toBe(request);
    expect(requestName('grep', defaultConventions)).toBe('grep');
  });

  test('a tool is found with or without a prefix that clients use, and an exact name comes first', () => {
    const tools = new Set(['grep', 'read', 'x__read']);
    const called = ['grep', 'eca__grep', 'x__grep', 'x__read', 'y__grep'].map((name) =>
      calledName(name, conventions, (each) => tools.has(each)),
    );
    expect(called).toEqual(['grep', 'grep', 'grep', 'x__read', 'y__grep']);
  });

  test('a name that would become too long for providers stays as it is', () => {
    expect([requestName('a'.repeat(61), conventions), requestName('a'.repeat(62), conventions)]).toEqual([
      `x__${'a'.repeat(61)}`,
      'a'.repeat(62),
    ]);
  });
});
