import { expect, test } from 'vitest';
import { clientActionSchemas } from '../../protocols/ahp/v1_0/schema/actions.ts';
import { requestSchemas } from '../../protocols/ahp/v1_0/schema/requests.ts';
import { contentUri } from './outbound/content.ts';
import { roleForNotification, roleForRequest } from './roles.ts';

test('of all requests these only look; every other one changes something', () => {
  const looking = Object.keys(requestSchemas).filter((method) => roleForRequest(method, {}) === 'observe');
  expect(looking.toSorted()).toEqual([
    'fetchTurns',
    'initialize',
    'listSessions',
    'ping',
    'reconnect',
    'subscribe',
  ]);
  expect(
    ['file:///etc/passwd', ' FILE:///etc/passwd', '/etc/passwd'].map((uri) =>
      roleForRequest('resourceRead', { uri }),
    ),
  ).toEqual(['control', 'control', 'control']);
  const recorded = contentUri(
    {
      session: 's',
      chat: 'c',
      turn: 't',
      tool: 'x',
      from: 'result',
      index: 0,
      side: 'after',
    },
    '/w/a.txt',
  );
  expect(roleForRequest('resourceRead', { uri: recorded })).toBe('observe');
});

test('of all actions these answer, mark what was read or take part; every other one decides what happens, and none only looks', () => {
  const answering = Object.keys(clientActionSchemas).filter(
    (type) => roleForNotification('dispatchAction', { action: { type } }) === 'approve',
  );
  expect(answering.toSorted()).toEqual([
    'chat/inputAnswerChanged',
    'chat/inputCompleted',
    'chat/isReadChanged',
    'chat/toolCallConfirmed',
    'chat/toolCallResultConfirmed',
    'session/activeClientRemoved',
    'session/activeClientSet',
    'session/isReadChanged',
  ]);
  const looking = Object.keys(clientActionSchemas).filter(
    (type) => roleForNotification('dispatchAction', { action: { type } }) === 'observe',
  );
  expect(looking).toEqual([]);
});

test('whoever changes what a call is given decides more than whether it runs, in both versions', () => {
  for (const type of ['chat/toolCallConfirmed', 'session/toolCallConfirmed']) {
    expect(
      [{ type }, { type, editedToolInput: '{}' }].map((action) =>
        roleForNotification('dispatchAction', { action }),
      ),
    ).toEqual(['approve', 'control']);
  }
});

test.each([
  [{}, 'control'],
  [undefined, 'control'],
  [{ action: null }, 'control'],
  [{ action: { type: '__proto__' } }, 'control'],
])('what cannot be read needs everything: %j', (params, role) => {
  expect(roleForNotification('dispatchAction', params)).toBe(role);
});
