import { expect, test } from 'vitest';
import { answerEarly } from './earlyAnswer.ts';
import { createMemoryPair } from './memory.ts';
import { createPeer } from '../peer.ts';

const greet = (method: string) => (method === 'hello' ? { early: true } : undefined);
const settle = () =>
  new Promise((resolve) => {
    setTimeout(resolve, 5);
  });

function pair() {
  const [mine, theirs] = createMemoryPair();
  const client = createPeer(mine, { handle: { request: () => null, notification: () => {} } });
  return { client, transport: answerEarly(theirs, greet) };
}

test('the first request is answered before anybody serves, and only once', async () => {
  const { client, transport } = pair();
  expect(await client.request('hello')).toEqual({ early: true });
  await transport.begun;
  const after = client.request('next');
  const heard: string[] = [];
  createPeer(transport, {
    handle: {
      request(method) {
        heard.push(method);
        return { late: method };
      },
      notification: () => {},
    },
  });
  expect(await after).toEqual({ late: 'next' });
  expect(heard).toEqual(['hello', 'next']);
  await settle();
  client.close();
});

test('what the greeting leaves alone is answered by the one who serves', async () => {
  const { client, transport } = pair();
  const asked = client.request('other');
  await transport.begun;
  createPeer(transport, { handle: { request: (method) => ({ late: method }), notification: () => {} } });
  expect(await asked).toEqual({ late: 'other' });
  expect(await client.request('hello')).toEqual({ late: 'hello' });
  client.close();
});

test('a client that goes before anybody serves is told to have gone', async () => {
  const { client, transport } = pair();
  client.close();
  await transport.begun;
  const peer = createPeer(transport, { handle: { request: () => null, notification: () => {} } });
  expect(await peer.closed).toMatchObject({ kind: 'ended' });
});

test('nothing is delivered before the one who serves is ready', async () => {
  const { client, transport } = pair();
  await client.request('hello');
  const heard: string[] = [];
  transport.listen({ message: (text) => void heard.push(text), problem: () => {}, closed: () => {} });
  expect(heard).toEqual([]);
  await settle();
  expect(heard).toHaveLength(1);
  client.close();
});
