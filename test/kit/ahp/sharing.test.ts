// What does not change keeps its identity, and a delta never touches the history.
import { describe, expect, test } from 'vitest';
import { reducers as newest } from '../../../src/protocols/ahp/v1_0/reduce.ts';
import type { ChatState, SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import { reducers as v1 } from './integer1/reduce.ts';
import type { SessionState as V1SessionState } from '../../../src/protocols/ahp/integer1/state.ts';

const message = { text: 'b', origin: { kind: 'user' } };

function chatWith(turnCount: number): ChatState {
  return {
    resource: 'c:/1',
    title: 'T',
    status: 8,
    modifiedAt: '2026-01-01T00:00:00.000Z',
    turns: Array.from({ length: turnCount }, (_, index) => ({
      id: `old${index}`,
      message,
      responseParts: [],
      state: 'complete',
    })),
    activeTurn: {
      id: 't',
      startedAt: '2026-01-01T00:00:00.000Z',
      message,
      responseParts: [
        { kind: 'markdown', id: 'm', content: '' },
        { kind: 'reasoning', id: 'r', content: '' },
        {
          kind: 'toolCall',
          toolCall: { status: 'streaming', toolCallId: 'c', toolName: 'n', displayName: 'N' },
        },
      ],
    },
    queuedMessages: [{ id: 'q', message }],
    draft: message,
  };
}

const v1Session: V1SessionState = {
  summary: { resource: 'p:/1', provider: 'p', title: 'T', status: 8, createdAt: 1, modifiedAt: 2 },
  lifecycle: 'ready',
  turns: [{ id: 'old', userMessage: { text: 'a' }, responseParts: [], state: 'complete' }],
  activeTurn: {
    id: 't',
    userMessage: { text: 'a' },
    responseParts: [{ kind: 'markdown', id: 'm', content: '' }],
  },
  config: { schema: { type: 'object', properties: {} }, values: {} },
};

describe('streaming shares everything but the part it writes to', () => {
  test.each([
    { type: 'chat/delta', turnId: 't', partId: 'm', content: 'x' },
    { type: 'chat/reasoning', turnId: 't', partId: 'r', content: 'x' },
    { type: 'chat/toolCallDelta', turnId: 't', toolCallId: 'c', content: 'x' },
    { type: 'chat/responsePart', turnId: 't', part: { kind: 'markdown', id: 'n', content: '' } },
    { type: 'chat/usage', turnId: 't', usage: { inputTokens: 1 } },
  ])('$type', (action) => {
    const before = chatWith(3);
    const after = newest.chat(before, action);
    expect(after).not.toBe(before);
    expect(after.turns).toBe(before.turns);
    expect(after.queuedMessages).toBe(before.queuedMessages);
    const kept = after.activeTurn?.responseParts.filter((part) =>
      before.activeTurn?.responseParts.includes(part),
    );
    expect(kept?.length).toBeGreaterThanOrEqual(2);
  });

  test('session/delta in version 1', () => {
    const after = v1.session(
      v1Session,
      { type: 'session/delta', turnId: 't', partId: 'm', content: 'x' } as never,
      9,
    );
    expect(after.activeTurn?.responseParts).toEqual([{ kind: 'markdown', id: 'm', content: 'x' }]);
    expect(after.turns).toBe(v1Session.turns);
    expect(after.summary).toBe(v1Session.summary);
  });

  test('a delta copies no turn, however many there are', () => {
    const counted = chatWith(5000);
    let reads = 0;
    const turns = new Proxy(counted.turns, {
      get(target, key, receiver): unknown {
        reads += 1;
        return Reflect.get(target, key, receiver);
      },
    });
    let state: ChatState = { ...counted, turns };
    for (let index = 0; index < 100; index += 1) {
      state = newest.chat(state, { type: 'chat/delta', turnId: 't', partId: 'm', content: 'x' } as never);
    }
    expect(reads).toBe(0);
    expect(state.turns).toBe(turns);
  });
});

const session: SessionState = {
  provider: 'p',
  title: 'T',
  status: 33,
  activity: 'busy',
  lifecycle: 'ready',
  activeClients: [{ clientId: 'c', tools: [] }],
  chats: [
    { resource: 'c:/1', title: 'T', status: 1, modifiedAt: 'm' },
    { resource: 'c:/2', title: 'T', status: 1, modifiedAt: 'm' },
  ],
  workingDirectories: ['file:///a'],
  customizations: [
    { type: 'mcpServer', id: 'm', uri: 'x:/m', name: 'M', state: { kind: 'starting' } },
    {
      type: 'plugin',
      id: 'p',
      uri: 'x:/p',
      name: 'P',
      children: [{ type: 'skill', id: 's', uri: 'x:/s', name: 'S' }],
    },
  ],
};

const chat = chatWith(1);
const terminal = {
  title: 't',
  content: [],
  claim: { kind: 'client', clientId: 'c' },
  lifecycle: { status: 'running' },
};
const changeset = { status: 'ready', files: [{ id: 'f', edit: {}, reviewed: true }] };
const annotations = {
  annotations: [{ id: 'a', origin: { session: 's' }, resource: 'r', resolved: false, entries: [] }],
};
const run = {
  resource: 'r',
  automation: 'a',
  origin: { kind: 'manual' },
  lifecycle: { status: 'running', createdAt: 'c' },
  sessions: ['s'],
};

/** An action that changes nothing gives back the very same state. */
describe('same is identical', () => {
  const cases: readonly (readonly [
    kind: keyof typeof newest,
    state: unknown,
    action: { readonly type: string } & Record<string, unknown>,
  ])[] = [
    ['root', { agents: [] }, { type: 'root/configChanged', config: { a: 1 } }],
    ['root', { agents: [] }, { type: 'x-private/thing' }],
    ['session', session, { type: 'session/ready' }],
    ['session', session, { type: 'session/titleChanged', title: 'T' }],
    ['session', session, { type: 'session/isReadChanged', isRead: true }],
    ['session', session, { type: 'session/isArchivedChanged', isArchived: false }],
    ['session', session, { type: 'session/activityChanged', activity: 'busy' }],
    ['session', session, { type: 'session/chatRemoved', chat: 'c:/9' }],
    ['session', session, { type: 'session/chatUpdated', chat: 'c:/9', changes: {} }],
    ['session', session, { type: 'session/chatsReordered', chats: ['c:/1', 'c:/2'] }],
    ['session', session, { type: 'session/chatsReordered', chats: ['c:/2', 'c:/2'] }],
    ['session', session, { type: 'session/activeClientRemoved', clientId: 'z' }],
    ['session', session, { type: 'session/workingDirectorySet', directory: 'file:///a' }],
    [
      'session',
      session,
      { type: 'session/workingDirectoryReplaced', directory: 'file:///z', replacement: 'file:///a' },
    ],
    [
      'session',
      session,
      { type: 'session/workingDirectoryReplaced', directory: 'file:///a', replacement: 'file:///a' },
    ],
    ['session', session, { type: 'session/inputNeededRemoved', id: 'z' }],
    ['session', session, { type: 'session/customizationRemoved', id: 'z' }],
    ['session', session, { type: 'session/customizationToggled', id: 'p' }],
    ['session', session, { type: 'session/mcpServerBackgroundRequested', id: 'm' }],
    ['session', session, { type: 'session/mcpServerStopRequested', id: 'p' }],
    ['session', session, { type: 'session/mcpServerStopRequested', id: 's' }],
    ['session', session, { type: 'session/configChanged', config: {} }],
    ['chat', chat, { type: 'chat/unheardOf' }],
    ['chat', chat, { type: 'chat/delta', turnId: 't', partId: 'r', content: 'x' }],
    ['chat', chat, { type: 'chat/delta', turnId: 't', partId: 'c', content: 'x' }],
    ['chat', chat, { type: 'chat/reasoning', turnId: 'z', partId: 'r', content: 'x' }],
    ['chat', chat, { type: 'chat/turnComplete', turnId: 'old0', duration: 1 }],
    ['chat', chat, { type: 'chat/error', turnId: 'z', duration: 1, part: { kind: 'error', error: {} } }],
    ['chat', chat, { type: 'chat/turnResume', turnId: 'old0' }],
    ['chat', chat, { type: 'chat/truncated', turnId: 'z' }],
    ['chat', chat, { type: 'chat/truncated', turnId: null }],
    [
      'chat',
      chat,
      { type: 'chat/toolCallConfirmed', turnId: 't', toolCallId: 'c', approved: true, confirmed: 'setting' },
    ],
    [
      'chat',
      chat,
      {
        type: 'chat/toolCallComplete',
        turnId: 't',
        toolCallId: 'c',
        result: { success: true, pastTenseMessage: '' },
      },
    ],
    ['chat', chat, { type: 'chat/toolCallAuthResolved', turnId: 't', toolCallId: 'c' }],
    ['chat', chat, { type: 'chat/inputCompleted', requestId: 'z', response: 'accept' }],
    ['chat', chat, { type: 'chat/inputAnswerChanged', requestId: 'z', questionId: 'q' }],
    ['chat', chat, { type: 'chat/pendingMessageRemoved', kind: 'steering', id: 'q' }],
    ['chat', chat, { type: 'chat/pendingMessageRemoved', kind: 'queued', id: 'z' }],
    ['chat', chat, { type: 'chat/backgroundWorkRemoved', id: 'z' }],
    ['chat', chat, { type: 'chat/workingDirectoryRemoved', directory: 'z' }],
    ['terminal', terminal, { type: 'terminal/input', data: 'ls' }],
    ['terminal', terminal, { type: 'terminal/cleared' }],
    ['terminal', terminal, { type: 'terminal/commandFinished', commandId: 'z' }],
    ['changeset', changeset, { type: 'changeset/fileRemoved', fileId: 'z' }],
    ['changeset', changeset, { type: 'changeset/filesReviewChanged', files: ['f', 'z'], reviewed: true }],
    ['changeset', changeset, { type: 'changeset/operationStatusChanged', operationId: 'z', status: 'idle' }],
    ['annotations', annotations, { type: 'annotations/removed', annotationId: 'z' }],
    ['annotations', annotations, { type: 'annotations/entryRemoved', annotationId: 'a', entryId: 'z' }],
    [
      'annotations',
      annotations,
      { type: 'annotations/entrySet', annotationId: 'z', entry: { id: 'e', text: '' } },
    ],
    ['automation', { entries: [] }, { type: 'automation/removed', resource: 'z' }],
    ['automation', { entries: [] }, { type: 'automation/createRequested', resource: 'z', definition: {} }],
    ['automationRun', run, { type: 'automationRun/sessionSet', session: 's' }],
    ['automationRun', run, { type: 'automationRun/sessionRemoved', session: 'z' }],
    ['automationRun', run, { type: 'automationRun/cancelRequested' }],
    [
      'resourceWatch',
      { root: 'r', recursive: true },
      { type: 'resourceWatch/changed', changes: { items: [] } },
    ],
  ];

  test.each(cases)('%s %# %o', (kind, state, action) => {
    expect(newest[kind](state as never, action)).toBe(state);
  });

  test.each([
    [{ type: 'session/delta', turnId: 'z', partId: 'm', content: 'x' }],
    [{ type: 'session/reasoning', turnId: 't', partId: 'm', content: 'x' }],
    [{ type: 'session/truncated', turnId: 'z' }],
    [{ type: 'session/truncated', turnId: null }],
    [{ type: 'session/isReadChanged', isRead: false }],
    [{ type: 'session/inputCompleted', requestId: 'z', response: 'cancel' }],
    [{ type: 'session/activeClientChanged', activeClient: null }],
    [{ type: 'session/activeClientToolsChanged', tools: [] }],
    [{ type: 'session/customizationToggled', uri: 'z', enabled: true }],
    [{ type: 'session/queuedMessagesReordered', order: ['z'] }],
    [{ type: 'session/unheardOf' }],
  ])('version 1 %o', (action) => {
    expect(v1.session(v1Session, action, 9999)).toBe(v1Session);
  });
});
