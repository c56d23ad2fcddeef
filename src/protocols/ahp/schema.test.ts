// What a host lets in: real clients as recorded, and everything malformed kept out.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { actionSince } from './v1_0/actions.ts';
import { messageChecks as newestChecks } from './v1_0/schema.ts';
import { clientActionSchemas } from './v1_0/schema/actions.ts';
import { notificationSchemas } from './v1_0/schema/requests.ts';
import { hostActionTypes } from './integer1/actions.ts';
import { messageChecks as v1Checks } from './integer1/schema.ts';
import { clientActionSchemas as v1ClientActionSchemas } from './integer1/schema/actions.ts';
import { notificationSchemas as v1NotificationSchemas } from './integer1/schema/requests.ts';

const newest = {
  ...newestChecks,
  isNotificationMethod: (method: string) => Object.hasOwn(notificationSchemas, method),
};
const v1 = {
  ...v1Checks,
  isNotificationMethod: (method: string) => Object.hasOwn(v1NotificationSchemas, method),
};
const clientActionTypes = Object.keys(clientActionSchemas);
const v1ClientActionTypes = Object.keys(v1ClientActionSchemas);

const recordings = join(
  dirname(fileURLToPath(import.meta.url)),
  '../../../../shared/conformance/ahp/recordings',
);

interface Dialect {
  readonly isRequestMethod: (method: string) => boolean;
  readonly isNotificationMethod: (method: string) => boolean;
  readonly parseRequest: (method: never, params: unknown) => { readonly ok: boolean };
  readonly parseNotification: (method: never, params: unknown) => { readonly ok: boolean };
  readonly parseClientAction: (action: unknown) => { readonly kind: string };
}

interface Sent {
  readonly dir: string;
  readonly m?: { readonly method?: string; readonly params?: Params };
}

type Params = { readonly action?: { readonly type: string } } | undefined;

/** Method or action type to the outcome, for whatever was not simply understood. */
function surprises(folder: string, dialect: Dialect): string[] {
  const lines = readdirSync(join(recordings, folder)).flatMap((name) =>
    readFileSync(join(recordings, folder, name), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{')),
  );
  const messages: readonly Sent[] = JSON.parse(`[${lines.join(',')}]`);
  const sent = messages.filter(({ dir, m }) => (dir === '>' || dir === 'C>S') && m?.method !== undefined);
  expect(sent.length).toBeGreaterThan(50);
  return [...new Set(sent.flatMap(({ m }) => outcomeOf(m?.method ?? '', m?.params, dialect)))].toSorted();
}

function outcomeOf(method: string, params: Params, dialect: Dialect): string[] {
  if (dialect.isRequestMethod(method))
    return dialect.parseRequest(method as never, params).ok ? [] : [`${method} refused`];
  if (!dialect.isNotificationMethod(method)) return [`${method} unknown`];
  if (!dialect.parseNotification(method as never, params).ok) return [`${method} refused`];
  if (method !== 'dispatchAction') return [];
  const { kind } = dialect.parseClientAction(params?.action);
  return kind === 'accepted' ? [] : [`${String(params?.action?.type)} ${kind}`];
}

describe('recorded clients are understood', () => {
  test('VS Code 1.139', () => {
    expect(surprises('vscode-1.139-client', newest)).toEqual(['setClientManagedSettingsPermissions unknown']);
  });

  test('clients of version 1, one of which forges an action of the host', () => {
    expect(surprises('v1-host', v1)).toEqual(['bogusMethod unknown', 'session/delta hostOnly']);
  });
});

const message = { text: 'hi', origin: { kind: 'user' } };
const turn = { turnId: 't', startedAt: 's', message };
const malformed = (problem: string) => ({ kind: 'malformed', problem: expect.stringContaining(problem) });

describe('actions of the newest dialect', () => {
  test.each([
    [
      'whole',
      { type: 'chat/turnStarted', ...turn },
      { kind: 'accepted', action: { type: 'chat/turnStarted', ...turn } },
    ],
    [
      'unknown fields stay',
      { type: 'chat/turnStarted', ...turn, future: { a: null } },
      { kind: 'accepted', action: { type: 'chat/turnStarted', ...turn, future: { a: null } } },
    ],
    [
      'null for an optional field is absent',
      { type: 'chat/turnStarted', ...turn, queuedMessageId: null, _meta: null },
      { kind: 'accepted', action: { type: 'chat/turnStarted', ...turn } },
    ],
    [
      'null inside values stays',
      { type: 'root/configChanged', config: { a: null } },
      { kind: 'accepted', action: { type: 'root/configChanged', config: { a: null } } },
    ],
    ['null does not clear a history', { type: 'chat/truncated', turnId: null }, malformed('turnId')],
    ['absent does', { type: 'chat/truncated' }, { kind: 'accepted', action: { type: 'chat/truncated' } }],
    ['null for a required field', { type: 'session/titleChanged', title: null }, malformed('title')],
    [
      'an empty list is a list',
      { type: 'session/customizationToggled', id: 'i', enablement: [] },
      { kind: 'accepted', action: { type: 'session/customizationToggled', id: 'i', enablement: [] } },
    ],
    ['a missing list is none', { type: 'session/customizationToggled', id: 'i' }, malformed('enablement')],
    ['a missing turn', { type: 'chat/turnCancelled', duration: 1 }, malformed('turnId')],
    ['a missing duration', { type: 'chat/turnCancelled', turnId: 't' }, malformed('duration')],
    ['a number as text', { type: 'chat/turnCancelled', turnId: 't', duration: '1' }, malformed('duration')],
    [
      'an endless number',
      { type: 'chat/turnCancelled', turnId: 't', duration: Infinity },
      malformed('duration'),
    ],
    [
      'a message without origin',
      { type: 'chat/turnStarted', ...turn, message: { text: 'hi' } },
      malformed('message.origin'),
    ],
    [
      'an attachment of the future',
      { type: 'chat/draftChanged', draft: { ...message, attachments: [{ type: 'hologram' }] } },
      { kind: 'accepted', action: expect.anything() },
    ],
    [
      'a known attachment without its label',
      { type: 'chat/draftChanged', draft: { ...message, attachments: [{ type: 'simple' }] } },
      malformed('draft.attachments.0'),
    ],
    [
      'an approval without a reason',
      { type: 'chat/toolCallConfirmed', turnId: 't', toolCallId: 'c', approved: true },
      malformed('confirmed'),
    ],
    [
      'a decision that is none',
      { type: 'chat/toolCallConfirmed', turnId: 't', toolCallId: 'c', approved: 'yes' },
      malformed('approved'),
    ],
    [
      'a reason only the host gives',
      {
        type: 'chat/toolCallConfirmed',
        turnId: 't',
        toolCallId: 'c',
        approved: false,
        reason: 'result-denied',
      },
      malformed(''),
    ],
    [
      'a queue of another kind',
      { type: 'chat/pendingMessageSet', kind: 'later', id: 'i', message },
      malformed('kind'),
    ],
    [
      'an answer of the wrong type',
      {
        type: 'chat/inputCompleted',
        requestId: 'r',
        response: 'accept',
        answers: { q: { state: 'submitted', value: { kind: 'number', value: '1' } } },
      },
      malformed('answers.q.value.value'),
    ],
    [
      'tools that are no list',
      { type: 'session/activeClientSet', activeClient: { clientId: 'c', tools: {} } },
      malformed('activeClient.tools'),
    ],
    [
      'a terminal claimed for a session without its chat',
      { type: 'terminal/claimed', claim: { kind: 'session', session: 's' } },
      malformed('claim.chat'),
    ],
    ['values that are a list', { type: 'session/configChanged', config: [] }, malformed('config')],
    [
      'an action of the host',
      { type: 'chat/delta', turnId: 't', partId: 'p', content: 'x' },
      { kind: 'hostOnly', type: 'chat/delta' },
    ],
    ['an action of the future', { type: 'chat/dreamed' }, { kind: 'unknown', type: 'chat/dreamed' }],
    ['a private action', { type: 'x-acme/thing' }, { kind: 'unknown', type: 'x-acme/thing' }],
    ['a prototype key', { type: 'constructor' }, { kind: 'unknown', type: 'constructor' }],
    ['no type', { turnId: 't' }, malformed('type')],
    ['a type that is no text', { type: 7 }, malformed('type')],
    ['no object', 'chat/truncated', malformed('type')],
    ['nothing', null, malformed('type')],
  ])('%s', (_name, action, expected) => {
    expect(newest.parseClientAction(action)).toEqual(expected);
  });
});

describe('actions of version 1', () => {
  test.each([
    [
      'a client that leaves',
      { type: 'session/activeClientChanged', session: 's', activeClient: null },
      { kind: 'accepted', action: { type: 'session/activeClientChanged', session: 's' } },
    ],
    [
      'null does not clear a history',
      { type: 'session/truncated', session: 's', turnId: null },
      malformed('turnId'),
    ],
    ['without its session', { type: 'session/titleChanged', title: 'T' }, malformed('session')],
    ['without its terminal', { type: 'terminal/input', data: 'x' }, malformed('terminal')],
    [
      'an action of the host',
      { type: 'session/delta', session: 's' },
      { kind: 'hostOnly', type: 'session/delta' },
    ],
    ['an action of a later version', { type: 'chat/truncated' }, { kind: 'unknown', type: 'chat/truncated' }],
  ])('%s', (_name, action, expected) => {
    expect(v1.parseClientAction(action)).toEqual(expected);
  });
});

describe('params', () => {
  const problem = (text: string) => ({ ok: false, problem: expect.stringContaining(text) });

  test.each([
    ['ping', undefined, { ok: true, value: {} }],
    [
      'reconnect',
      { clientId: 'c', lastSeenServerSeq: 4, subscriptions: [] },
      { ok: true, value: { clientId: 'c', lastSeenServerSeq: 4, subscriptions: [] } },
    ],
    ['reconnect', { clientId: 'c', lastSeenServerSeq: '4', subscriptions: [] }, problem('lastSeenServerSeq')],
    ['subscribe', {}, problem('channel')],
    ['subscribe', { channel: 'c:/1', view: null }, { ok: true, value: { channel: 'c:/1' } }],
    ['subscribe', [], problem('expected object')],
    ['createChat', { channel: 's:/1', chat: 'c:/1', source: { kind: 'dream' } }, problem('source')],
    ['resourceWrite', { uri: 'u', data: 'd', encoding: 'utf-8', mode: 'shred' }, problem('mode')],
    ['moveChat', { channel: 'c:/1', destination: { kind: 'session' } }, problem('destination.session')],
    ['initialize', { protocolVersions: ['1.0.0'] }, problem('clientId')],
  ] as const)('%s %o', (method, params, expected) => {
    expect(newest.parseRequest(method, params)).toEqual(expected);
  });

  test.each([
    ['createSession', {}, problem('session')],
    ['createTerminal', { terminal: 't', claim: { kind: 'nobody' } }, problem('claim.kind')],
    ['listSessions', undefined, { ok: true, value: {} }],
    ['fetchTurns', { session: 's', limit: null }, { ok: true, value: { session: 's' } }],
  ] as const)('version 1 %s %o', (method, params, expected) => {
    expect(v1.parseRequest(method, params)).toEqual(expected);
  });

  test('a problem names no value that was sent', () => {
    const parsed = newest.parseRequest('authenticate', { resource: 'r', token: { secret: 'hunter2' } });
    expect(JSON.stringify(parsed)).not.toContain('hunter2');
  });

  test.each([
    ['unsubscribe', true, false],
    ['ping', false, true],
    ['toString', false, false],
  ])('%s is a notification: %s, a request: %s', (method, notification, request) => {
    expect([newest.isNotificationMethod(method), newest.isRequestMethod(method)]).toEqual([
      notification,
      request,
    ]);
  });
});

test('the lists of types count what the specification counts', () => {
  expect(v1ClientActionTypes.length).toBe(26);
  expect(v1ClientActionTypes.length + Object.keys(hostActionTypes).length).toBe(52);
  expect(clientActionTypes.filter((type) => !Object.hasOwn(actionSince, type))).toEqual([]);
  expect(new Set(clientActionTypes).size).toBe(clientActionTypes.length);
});
