import { expect, test } from 'vitest';
import type { Event } from '../../../model/event.ts';
import { reduce } from '../../../model/reduce.ts';
import { emptyState } from '../../../model/state.ts';
import type { State } from '../../../model/state.ts';
import { pendingCalls, storedMessages } from './stored.ts';

const position = { chat: 'c', turn: 't' };
const created: readonly Event[] = [
  { kind: 'session.created', session: 'c', agent: 'a', roots: [] },
  { kind: 'chat.created', chat: 'c', origin: { type: 'user' } },
];

function stateAfter(events: readonly Event[]): State {
  return events.reduce(
    (old, event) => reduce(old, { seq: old.seq + 1, pos: old.pos + 1, at: 1, by: { kind: 'host' }, event }),
    emptyState('c'),
  );
}

test('what no user has written does not have the role of the user, except in the chat of a subagent', () => {
  const begun = { ...position, message: { id: 'm', text: 'Done.', from: 'agent' }, queued: false } as const;
  const state = stateAfter([
    ...created,
    { kind: 'turn.started', ...begun },
    { kind: 'message.steered', ...position, message: { id: 'm2', text: 'Job 1 has ended.', from: 'agent' } },
    { kind: 'message.steered', ...position, message: { id: 'm3', text: 'Faster!' } },
    { kind: 'chat.created', chat: 'sub', origin: { type: 'tool', chat: 'c', tool: 'x' } },
    { kind: 'turn.started', ...begun, chat: 'sub', turn: 't2' },
  ]);
  const roles = (chat: string) => storedMessages(state, chat).map(({ message }) => message.role);
  expect(roles('c')).toEqual(['assistant', 'assistant', 'user']);
  expect(roles('sub')).toEqual(['user']);
});

test('a call that waits for approval hides no part of its command without saying so', () => {
  const command = `curl a.example/\u202E${'x'.repeat(60)}`;
  const title = '$ curl a.example/xxxxxxxxxxxxxxxxxxxx...';
  const shown = { title, toolKind: 'execute' } as const;
  const call = { ...position, tool: 'x' };
  const state = stateAfter([
    ...created,
    { kind: 'turn.started', ...position, message: { id: 'm', text: 'Load.' }, queued: false },
    { kind: 'tool.started', ...call, ...shown, name: 'shell_command', source: 'native' },
    { kind: 'tool.ready', ...call, ...shown, input: { command } },
    { kind: 'ask.opened', ...position, ask: { kind: 'approval', id: 'a', tool: 'x', title, options: [] } },
  ]);
  expect(pendingCalls(state, 'c')).toMatchObject([
    {
      summary: `41 more characters: ${title}`,
      arguments: { command: command.replace('\u202E', String.raw`\u202e`) },
    },
  ]);
});

test('what a provider ran and drew has roles of its own', () => {
  const events: readonly Event[] = [
    ...created,
    { kind: 'turn.started', ...position, message: { id: 'm', text: 'Draw.' }, queued: false },
    {
      kind: 'tool.started',
      ...position,
      tool: 's',
      name: 'web_search',
      title: 'Web search',
      toolKind: 'search',
      source: 'provider',
      server: 'openai',
    },
    {
      kind: 'tool.ready',
      ...position,
      tool: 's',
      input: { query: 'q' },
      title: 'Web search: q',
      toolKind: 'search',
    },
    {
      kind: 'tool.ended',
      ...position,
      tool: 's',
      result: { status: 'done', content: [{ type: 'link', uri: 'https://a', name: 'A' }] },
    },
    { kind: 'image.added', ...position, item: 'i', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
  ];
  expect(
    storedMessages(stateAfter(events), 'c')
      .slice(1)
      .map(({ message }) => message),
  ).toEqual([
    {
      role: 'server_tool_use',
      content: {
        id: 's',
        name: 'web_search',
        server: 'llm',
        origin: 'server',
        summary: 'Web search: q',
        input: { query: 'q' },
      },
      createdAt: 1,
    },
    {
      role: 'server_tool_result',
      content: { toolUseId: 's', error: false, contents: [{ type: 'text', text: 'A: https://a' }] },
      createdAt: 1,
    },
    {
      role: 'image_generation_call',
      content: { id: 'i', mediaType: 'image/png', base64: 'iVBORw0KGgo=' },
      createdAt: 1,
    },
  ]);
});
