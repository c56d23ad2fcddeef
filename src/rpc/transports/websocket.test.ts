import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { ServerOptions } from 'ws';
import { createPeer } from '../peer.ts';
import type { PeerProblem } from '../peer.ts';
import { createWebSocketTransport } from './websocket.ts';
import type { WebSocketOptions } from './websocket.ts';

const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const refused: {
  name: string;
  frame: string | Buffer;
  server?: ServerOptions;
  code: number;
  kind: string;
  answer: string | undefined;
}[] = [
  {
    name: 'a binary frame',
    frame: Buffer.from('{}'),
    code: 1003,
    kind: 'binary',
    answer: 'Binary frames are not supported',
  },
  {
    name: 'a frame above our limit',
    frame: 'x'.repeat(1001),
    code: 1009,
    kind: 'tooLarge',
    answer: 'Message is too large',
  },
  {
    name: 'a frame above the limit of ws',
    frame: 'x'.repeat(501),
    server: { maxPayload: 500 },
    code: 1009,
    kind: 'tooLarge',
    answer: undefined,
  },
];

test.each(refused)('$name closes with $code', async ({ frame, server, code, kind, answer }) => {
  const { client, peer, problems, said } = await served({ limits: { maxMessageBytes: 1000 } }, server);
  client.send(frame);
  const [closedWith] = (await once(client, 'close')) as [number];
  expect(closedWith).toBe(code);
  expect((await peer.closed).kind).toBe(kind);
  expect(problems.map((problem) => problem.kind)).toEqual([kind]);
  expect(said.map((text) => JSON.parse(text) as object)).toEqual(
    answer === undefined ? [] : [{ jsonrpc: '2.0', id: null, error: { code: -32600, message: answer } }],
  );
});

test('a text that is not UTF-8 ends the connection', async () => {
  const { client, peer } = await served({});
  client.send(Buffer.from([0xff, 0xfe]), { binary: false });
  const [closedWith] = (await once(client, 'close')) as [number];
  expect(closedWith).toBe(1007);
  expect((await peer.closed).kind).toBe('failed');
});

test('requests pass, and frames of one tick leave together', async () => {
  const corks: string[] = [];
  const carrier = { cork: () => corks.push('cork'), uncork: () => corks.push('uncork') };
  const { client, peer, said } = await served({ carrier });
  peer.notify('a');
  peer.notify('b');
  client.send('{"jsonrpc":"2.0","id":1,"method":"m"}');
  while (said.length < 3) await once(client, 'message');
  expect(said).toEqual([
    '{"jsonrpc":"2.0","method":"a"}',
    '{"jsonrpc":"2.0","method":"b"}',
    '{"jsonrpc":"2.0","id":1,"result":"m"}',
  ]);
  expect(corks).toEqual(['cork', 'uncork', 'cork', 'uncork']);
});

test('the code and the reason of the other side are kept', async () => {
  const { client, peer } = await served({});
  client.close(4001, 'enough');
  expect(await peer.closed).toEqual({ kind: 'ended', detail: 'code 4001: enough' });
});

test('a client that answers pings is kept, one that does not is dropped', async () => {
  const alive = await served({ keepAliveMs: 500 });
  for (let ping = 0; ping < 3; ping++) await once(alive.client, 'ping');
  expect(alive.client.readyState).toBe(WebSocket.OPEN);

  const silent = await served({ keepAliveMs: 20 }, {}, { autoPong: false });
  expect(await silent.peer.closed).toEqual({ kind: 'unanswered', detail: 'no sign of life for 20 ms' });
});

test('a client that does not complete the close is cut off', async () => {
  const { client, peer } = await served({ limits: { closeMs: 20 } });
  client.pause();
  peer.close();
  expect(await peer.closed).toEqual({ kind: 'local' });
});

test('a socket that is closed already is closed at listen', async () => {
  const { client } = await served({});
  client.close();
  await once(client, 'close');
  await delay(1);
  const peer = createPeer(createWebSocketTransport(client), {
    handle: { request: () => null, notification: () => {} },
  });
  expect((await peer.closed).kind).toBe('ended');
});

async function served(
  options: WebSocketOptions,
  server: ServerOptions = {},
  client: { autoPong?: boolean } = {},
) {
  const listening = new WebSocketServer({ port: 0, host: '127.0.0.1', ...server });
  await once(listening, 'listening');
  const address = listening.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const near = new WebSocket(`ws://127.0.0.1:${port}`, client);
  const said: string[] = [];
  near.on('message', (data: Buffer) => said.push(data.toString()));
  const connection = once(listening, 'connection') as Promise<[WebSocket]>;
  const [[far]] = await Promise.all([connection, once(near, 'open')]);
  cleanups.push(() => {
    near.terminate();
    far.terminate();
    listening.close();
  });
  const problems: PeerProblem[] = [];
  const peer = createPeer(createWebSocketTransport(far, options), {
    handle: { request: (method) => method, notification: () => {} },
    problem: (problem) => problems.push(problem),
  });
  return { client: near, peer, problems, said };
}
