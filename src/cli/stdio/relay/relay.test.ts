import { expect, test } from 'vitest';
import { interruptedRequest, pipeMethods, requestKey } from '../../../host/door.ts';
import { pipedProtocols } from './pipedProtocols.ts';
import type { PipedProtocol } from './pipedProtocols.ts';
import { Relay } from './relay.ts';
import type { RelayOptions } from './relay.ts';

type Sent = Record<string, unknown>;

/** A relay between a client and one host after the other; everything that is sent is recorded. */
function rig(door: string, greet?: RelayOptions['greet']) {
  const toClient: Sent[] = [];
  const toHost: Sent[] = [];
  const failures: string[] = [];
  const relay = new Relay({
    protocol: pipedProtocols[door] as PipedProtocol,
    greet,
    toClient: (text) => void toClient.push(JSON.parse(text) as Sent),
    newKey: () => 'key',
    failed: ({ reason }) => void failures.push(reason),
    live: () => {},
  });
  const connect = () => relay.connected((text) => void toHost.push(JSON.parse(text) as Sent));
  if (!greet) connect();
  return {
    relay,
    toClient,
    toHost,
    failures,
    connect,
    client: (message: object) => relay.fromClient(JSON.stringify(message)),
    host: (message: object) => relay.fromHost(JSON.stringify(message)),
    /** The next host answers our own requests until the connection is live. */
    resume: (meanwhile: (relay: Relay) => void = () => {}) => {
      relay.lost();
      toHost.length = 0;
      toClient.length = 0;
      connect();
      meanwhile(relay);
      for (let at = 0; at < toHost.length; at += 1) {
        const { id } = toHost[at] ?? {};
        if (String(id).startsWith('parley-')) relay.fromHost(JSON.stringify({ id, result: {} }));
      }
    },
  };
}

const initialize = { id: 0, method: 'initialize', params: {} };

function greeted(door: string) {
  const rigged = rig(door);
  rigged.client(initialize);
  rigged.host({ id: 0, result: {} });
  return rigged;
}

const methodsOf = (messages: readonly Sent[]) => messages.map(({ method }) => method);

test('the next host gets the handshake and what was kept; its answers do not reach the client', () => {
  const { host, resume, toHost, toClient } = greeted('acp');
  host({ method: pipeMethods.keep, params: { key: 'seen:a', value: 3 } });
  host({ method: pipeMethods.keep, params: { key: 'seen:b', value: 4 } });
  host({ method: pipeMethods.keep, params: { key: 'seen:b', value: null } });
  resume();
  expect(methodsOf(toHost)).toEqual(['initialize', pipeMethods.resume, pipeMethods.live]);
  expect(toHost[1]?.['params']).toEqual({ kept: { 'seen:a': 3 } });
  expect(toClient).toEqual([]);
});

test('a prompt has a name of its own, and is repeated under it; its answer comes once', () => {
  const { client, host, resume, toHost, toClient } = greeted('acp');
  client({ id: 1, method: 'session/prompt', params: { sessionId: 's', _meta: { own: 1 } } });
  const params = { sessionId: 's', _meta: { own: 1, [requestKey]: 'key' } };
  expect(toHost.at(-1)).toMatchObject({ id: 1, method: 'session/prompt', params });
  resume();
  expect(toHost[2]).toMatchObject({
    id: 1,
    method: pipeMethods.again,
    params: { method: 'session/prompt', params },
  });
  host({ id: 1, result: { stopReason: 'end_turn' } });
  expect(toClient).toEqual([{ id: 1, result: { stopReason: 'end_turn' } }]);
  resume();
  expect(methodsOf(toHost)).not.toContain(pipeMethods.again);
});

const early = { early: true };

test('before there is a host the handshake is answered, and the answer of the host is dropped', () => {
  const { client, host, connect, resume, toHost, toClient } = rig('acp', () => early);
  client(initialize);
  client({ id: 1, method: 'session/new' });
  expect(toClient).toEqual([{ jsonrpc: '2.0', id: 0, result: early }]);
  connect();
  expect(methodsOf(toHost)).toEqual(['initialize', 'session/new']);
  host({ id: 0, result: {} });
  host({ id: 1, result: { sessionId: 's' } });
  expect(toClient.slice(1)).toEqual([{ id: 1, result: { sessionId: 's' } }]);
  resume();
  expect(methodsOf(toHost)).toEqual(['initialize', pipeMethods.resume, pipeMethods.live]);
});

test('a host that is lost before its handshake is followed by one that gets the same messages', () => {
  const { relay, client, host, connect, toHost, toClient } = rig('acp', () => early);
  client(initialize);
  connect();
  relay.lost();
  toHost.length = 0;
  connect();
  expect(methodsOf(toHost)).toEqual(['initialize']);
  host({ id: 0, result: {} });
  expect(toClient).toHaveLength(1);
});

test('without a host the handshake keeps its answer, and what follows fails with the reason', () => {
  const { relay, client, toClient } = rig('acp', () => early);
  client(initialize);
  expect(relay.isIdle).toBe(true);
  client({ id: 1, method: 'session/new' });
  expect(relay.isIdle).toBe(false);
  relay.interrupt('no host');
  expect(toClient.slice(1)).toMatchObject([{ id: 1, error: { message: 'no host' } }]);
});

test('a host that refuses a handshake that was answered ends the connection', () => {
  const { client, host, connect, failures } = rig('acp', () => early);
  client(initialize);
  connect();
  host({ id: 0, error: { message: 'too old' } });
  expect(failures).toEqual(['too old']);
});

test.each<[string, RelayOptions['greet'], object]>([
  ['a request outside the handshake', () => early, { id: 0, method: 'session/new' }],
  ['a handshake that only the host can answer', () => undefined, initialize],
])('%s waits for the host', (_, greet, message) => {
  const { client, connect, host, toClient } = rig('acp', greet);
  client(message);
  expect(toClient).toEqual([]);
  connect();
  host({ id: 0, result: {} });
  expect(toClient).toEqual([{ id: 0, result: {} }]);
});

test('what the client sends meanwhile waits until the connection is live', () => {
  const { relay, client, connect, host, toHost } = greeted('acp');
  relay.lost();
  toHost.length = 0;
  client({ id: 5, method: 'session/list' });
  connect();
  expect(methodsOf(toHost)).toEqual(['initialize', pipeMethods.resume]);
  for (const id of ['parley-1', 'parley-2', 'parley-3']) host({ id, result: {} });
  expect(methodsOf(toHost).at(-1)).toBe('session/list');
});

test('an open question stays open: the next host gets the answer to the one that the client knows', () => {
  const { relay, client, host, connect, toHost, toClient } = greeted('acp');
  const ask = { method: 'session/request_permission', params: { toolCall: 't' } };
  host({ id: 1, ...ask });
  host({ id: 2, method: 'fs/read_text_file', params: {} });
  relay.lost();
  expect(toClient.at(-1)).toMatchObject({ method: '$/cancel_request', params: { requestId: 2 } });
  toClient.length = 0;
  client({ id: 1, result: 'yes' });
  connect();
  for (const id of ['parley-1', 'parley-2']) host({ id, result: {} });
  host({ id: 7, ...ask });
  host({ id: 'parley-3', result: {} });
  expect(toClient).toEqual([]);
  expect(toHost.at(-1)).toEqual({ id: 7, result: 'yes' });
});

test('an answer that the lost host has not stored goes to the next one, and the user is not asked again', () => {
  const { client, host, resume, toHost, toClient } = greeted('acp');
  const ask = { method: 'session/request_permission', params: { toolCall: 't' } };
  host({ id: 1, ...ask });
  client({ id: 1, result: 'yes' });
  expect(toHost.at(-1)).toEqual({ id: 1, result: 'yes' });
  resume((relay) => relay.fromHost(JSON.stringify({ id: 7, ...ask })));
  expect(toClient).toEqual([]);
  expect(toHost).toContainEqual({ id: 7, result: 'yes' });
});

test('an answer that the lost host has not stored waits for the next one', () => {
  const { relay, client, host, resume } = greeted('acp');
  const ask = { method: 'session/request_permission', params: { toolCall: 't' } };
  host({ id: 1, ...ask });
  expect(relay.hasAnswer).toBe(false);
  client({ id: 1, result: 'yes' });
  relay.lost();
  expect(relay.hasAnswer).toBe(true);
  resume((next) => next.fromHost(JSON.stringify({ id: 7, ...ask })));
  host({ method: pipeMethods.taken, params: { count: 9 } });
  relay.lost();
  expect(relay.hasAnswer).toBe(false);
});

test('an answer that was stored is not used again, and its question is not taken back', () => {
  const { client, host, resume, toHost, toClient } = greeted('acp');
  const ask = { method: 'session/request_permission', params: { toolCall: 't' } };
  host({ id: 1, ...ask });
  client({ id: 1, result: 'yes' });
  host({ method: pipeMethods.taken, params: { count: 2 } });
  resume((relay) => relay.fromHost(JSON.stringify({ id: 7, ...ask })));
  expect(toClient).toEqual([{ id: 2, ...ask }]);
  client({ id: 2, result: 'no' });
  resume();
  expect(toClient).toEqual([]);
  expect(toHost).not.toContainEqual(expect.objectContaining({ result: 'no' }));
});

test('a question that the next host does not ask is taken back, and a late answer is dropped', () => {
  const { client, host, resume, toHost, toClient } = greeted('acp');
  host({ id: 1, method: 'session/request_permission', params: {} });
  resume();
  expect(toClient).toMatchObject([{ method: '$/cancel_request', params: { requestId: 1 } }]);
  const before = toHost.length;
  client({ id: 1, result: 'yes' });
  expect(toHost.length).toBe(before);
  host({ id: 1, method: 'session/request_permission', params: {} });
  expect(toClient.at(-1)).toMatchObject({ id: 2, method: 'session/request_permission' });
  host({ method: '$/cancel_request', params: { requestId: 1 } });
  expect(toClient.at(-1)).toMatchObject({ method: '$/cancel_request', params: { requestId: 2 } });
});

test('a notification is repeated unless the host has stored it', () => {
  const { client, host, resume, toHost } = greeted('eca');
  client({ method: 'initialized', params: {} });
  client({ method: 'chat/promptStop', params: { chatId: 'a' } });
  client({ method: 'chat/toolCallApprove', params: { chatId: 'a' } });
  host({ method: pipeMethods.taken, params: { count: 3 } });
  resume();
  expect(methodsOf(toHost)).toEqual([
    'initialize',
    'initialized',
    pipeMethods.resume,
    'chat/toolCallApprove',
    pipeMethods.live,
  ]);
});

test('an action that the host has echoed is not repeated', () => {
  const { client, host, resume, toHost } = rig('ahp');
  host({ method: pipeMethods.keep, params: { key: 'client', value: 'me' } });
  for (const clientSeq of [1, 2]) client({ method: 'dispatchAction', params: { clientSeq } });
  host({ method: 'action', params: { origin: { clientId: 'me', clientSeq: 1 } } });
  host({ method: 'action', params: { origin: { clientId: 'other', clientSeq: 2 } } });
  resume();
  expect(toHost.filter(({ method }) => method === 'dispatchAction')).toMatchObject([
    { params: { clientSeq: 2 } },
  ]);
});

test('an action that the client has got is not sent again, although the host did not tell its number', () => {
  const { host, resume, toHost } = rig('ahp');
  host({ method: pipeMethods.keep, params: { key: 'client', value: 'me' } });
  host({ method: pipeMethods.keep, params: { key: 'seen', value: 7 } });
  for (const serverSeq of [8, 9]) host({ method: 'action', params: { serverSeq } });
  resume();
  expect(toHost[0]).toMatchObject({
    method: pipeMethods.resume,
    params: { kept: { client: 'me', seen: 9 } },
  });
});

test('an announcement is not made twice; a different one is made', () => {
  const { host, resume, toClient } = greeted('eca');
  const announce = (models: string[]) => host({ method: 'config/updated', params: { chat: { models } } });
  announce(['a']);
  resume();
  announce(['a']);
  expect(toClient).toEqual([]);
  announce(['a']);
  announce(['b']);
  expect(toClient).toHaveLength(2);
});

test('requests under way are answered with an error when nobody will answer them', () => {
  const { relay, client, toClient } = greeted('acp');
  client({ id: 1, method: 'session/prompt', params: {} });
  relay.lost();
  client({ id: 2, method: 'session/list' });
  toClient.length = 0;
  relay.interrupt();
  const error = { code: -32603, message: interruptedRequest.message, data: { code: 'interrupted' } };
  expect(toClient).toEqual([
    { jsonrpc: '2.0', id: 1, error },
    { jsonrpc: '2.0', id: 2, error },
  ]);
  expect(relay.isIdle).toBe(true);
});

test('a host that cannot continue the connection is reported', () => {
  const { relay, host, connect, failures } = greeted('acp');
  relay.lost();
  connect();
  host({ id: 'parley-2', error: { code: -32601, message: 'There is no such method.' } });
  expect(failures).toEqual(['There is no such method.']);
});

test('a client whose handshake was not answered yet sends it again', () => {
  const { relay, client, connect, toHost } = rig('acp');
  client(initialize);
  relay.lost();
  toHost.length = 0;
  connect();
  expect(toHost).toEqual([initialize]);
});

test('a message with an id alone is left to the host to refuse, and answers none of its requests', () => {
  const { client, host, toHost, toClient } = greeted('acp');
  client({ id: 1 });
  expect(toHost.at(-1)).toEqual({ id: 1, method: null });
  host({ id: 1, error: { code: -32600 } });
  expect(toClient.at(-1)).toEqual({ id: 1, error: { code: -32600 } });
  host({ id: 7, method: 'session/request_permission', params: {} });
  client({ id: toClient.at(-1)?.['id'] });
  expect(toHost.at(-1)).toEqual({ id: 7 });
  client({ id: 9, result: {} });
  expect(toHost.at(-1)).toEqual({ id: 7 });
});
