import { expect, test } from 'vitest';
import type { AcpClient } from '../../../../test/kit/acpClient.ts';
import { chunk, connect, sessionOf, start } from '../../../../test/kit/acpDoor.ts';
import { testClient, until } from '../../../../test/kit/host.ts';
import type { Rig } from '../../../../test/kit/host.ts';
import { MemoryStore } from '../../../../test/kit/memoryStore.ts';
import { coalesce } from '../../../model/coalesce.ts';
import type { Entry, SessionId } from '../../../model/event.ts';

const load = (client: AcpClient, sessionId: string, more: object = {}) =>
  client.call('session/load', { sessionId, cwd: '/w', mcpServers: [], ...more });
const user = (text: string) => ({
  sessionUpdate: 'user_message_chunk',
  messageId: expect.any(String),
  content: { type: 'text', text },
});

test('a session made elsewhere is replayed whole before the answer, and followed live after it', async () => {
  const host = await start();
  host.scripts.set('*', (turn) => {
    turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: 'Ye' });
    turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: 's.' });
    turn.report({ kind: 'notice.added', level: 'error', text: 'Remember this.' });
    return Promise.resolve();
  });
  const session = await host.create('elsewhere');
  session.dispatch({ kind: 'changeSession', changes: { title: 'Elsewhere' } }, testClient);
  session.dispatch(
    {
      kind: 'startTurn',
      chat: 'elsewhere',
      turn: 't1',
      message: { id: 'm1', text: 'hi', attachments: [{ type: 'file', path: '/w/a' }] },
    },
    testClient,
  );
  await until(session, ({ chats }) => chats['elsewhere']?.turns.length === 1);
  const client = await connect(host);
  const result = await load(client, 'elsewhere');
  const option = {
    type: 'select',
    id: 'model',
    name: 'Model',
    category: 'model',
    currentValue: 'script/one',
    options: [{ value: 'script/one', name: 'One' }],
  };
  expect(result).toEqual({ configOptions: [option] });
  expect(client.sent.slice(1).map(({ params, result: answer }) => answer ?? params?.update)).toEqual([
    { sessionUpdate: 'session_info_update', title: 'Elsewhere', updatedAt: expect.any(String) },
    { sessionUpdate: 'user_message_chunk', messageId: 't1', content: { type: 'text', text: 'hi' } },
    {
      sessionUpdate: 'user_message_chunk',
      messageId: 't1',
      content: { type: 'resource_link', uri: 'file:///w/a', name: 'a' },
    },
    chunk('Yes.', 't1:i'),
    chunk('\n\nRemember this.\n\n'),
    result,
  ]);
  session.dispatch(
    { kind: 'startTurn', chat: 'elsewhere', turn: 't2', message: { id: 'm2', text: 'more' } },
    testClient,
  );
  await until(session, ({ chats }) => chats['elsewhere']?.turns.length === 2);
  expect(client.updates('elsewhere').slice(5)).toEqual([
    user('more'),
    chunk('Ye', 't2:i'),
    chunk('s.', 't2:i'),
    chunk('\n\nRemember this.\n\n'),
  ]);
});

/** A session whose answer "One two." has come half; `go` lets the rest come. */
async function halfAnswer(host: Rig) {
  let go = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  host.scripts.set('long', async (turn) => {
    turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: 'One ' });
    await gate;
    turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: 'two.' });
  });
  const one = await connect(host);
  const sessionId = await one.newSession();
  const answer = one.prompt(sessionId, 'long');
  await one.seen(({ params }) => params?.update?.sessionUpdate === 'agent_message_chunk');
  return { sessionId, answer, go };
}

test('a turn that runs is replayed as far as it is, and goes on', async () => {
  const host = await start();
  const { sessionId, answer, go } = await halfAnswer(host);
  const two = await connect(host);
  await load(two, sessionId);
  go();
  expect(await answer).toEqual({ stopReason: 'end_turn' });
  expect(two.updates(sessionId)).toEqual([user('long'), chunk('One '), chunk('two.')]);
});

test('loading again while a prompt of one’s own runs repeats it, and the prompt is still answered', async () => {
  const host = await start();
  let go = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  host.scripts.set('long', () => gate);
  const client = await connect(host);
  const sessionId = await client.newSession();
  const answer = client.prompt(sessionId, 'long');
  await until(sessionOf(host, sessionId), ({ chats }) => chats[sessionId]?.active !== undefined);
  const loads = Promise.all([
    load(client, sessionId),
    load(client, sessionId),
    client.call('session/resume', { sessionId, cwd: '/w' }),
  ]);
  go();
  const [loaded] = await loads;
  expect(loaded).toHaveProperty('configOptions');
  expect(await answer).toEqual({ stopReason: 'end_turn' });
  expect(client.updates(sessionId)).toEqual([user('long'), user('long')]);
});

test('turns that were taken back are not replayed, and who is there is told', async () => {
  const host = await start();
  const client = await connect(host);
  const sessionId = await client.newSession();
  await client.prompt(sessionId, 'kept');
  await client.prompt(sessionId, 'dropped');
  const session = sessionOf(host, sessionId);
  session.dispatch(
    { kind: 'truncateChat', chat: sessionId, after: session.state.chats[sessionId]?.turns[0]?.id ?? '' },
    testClient,
  );
  await session.settled();
  expect(client.updates(sessionId)).toEqual([
    chunk('\n\nThe conversation was rolled back.\nLoad it again to see its current state.\n\n'),
  ]);
  const other = await connect(host);
  await load(other, sessionId);
  expect(other.updates(sessionId)).toEqual([user('kept')]);
});

test('a failed turn says so in the replay', async () => {
  const host = await start();
  host.scripts.set('go', () =>
    Promise.resolve({ kind: 'failed', problem: { code: 'x', message: 'No luck.' } }),
  );
  const client = await connect(host);
  const sessionId = await client.newSession();
  await client.failure('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'go' }] });
  await load(client, sessionId);
  expect(client.updates(sessionId)).toEqual([user('go'), chunk('The turn failed: No luck.')]);
});

test('resume tells nothing of the past', async () => {
  const host = await start();
  const one = await connect(host);
  const sessionId = await one.newSession();
  await one.prompt(sessionId, 'x');
  const two = await connect(host);
  expect(
    await two.call('session/resume', { sessionId, cwd: '/w', additionalDirectories: null }),
  ).toHaveProperty('configOptions');
  await new Promise(setImmediate);
  expect(two.updates(sessionId)).toEqual([]);
});

test('a session of an earlier host is loaded from the store, with the turn it died in', async () => {
  const store = new MemoryStore();
  const host = await start(store);
  const session = await host.create('old');
  host.scripts.set('go', (turn) => {
    turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: 'Work' });
    return new Promise((resolve) => turn.signal.addEventListener('abort', () => resolve(), { once: true }));
  });
  session.dispatch(
    { kind: 'startTurn', chat: 'old', turn: 't1', message: { id: 'm1', text: 'go' } },
    testClient,
  );
  await until(session, ({ chats }) => chats['old']?.active?.items.length === 1);
  const later = await start(store);
  const client = await connect(later);
  await load(client, 'old');
  expect(client.updates('old')).toEqual([
    user('go'),
    chunk('Work', 't1:i'),
    chunk('The turn was interrupted.', 't1::end'),
  ]);
});

test('a long past waits for a slow reader and reads on', async () => {
  const host = await start();
  host.scripts.set('*', (turn) => {
    for (let i = 0; i < 3_000; i += 1)
      turn.report({ kind: 'text.added', item: `i${i % 500}`, channel: 'answer', text: 'x'.repeat(40) });
    return Promise.resolve();
  });
  const one = await connect(host);
  const sessionId = await one.newSession();
  await one.prompt(sessionId, 'go');
  const client = await connect(host, { limits: { softBufferedBytes: 4_000 } });
  client.transport.hold();
  const loaded = load(client, sessionId);
  for (let i = 0; i < 50; i += 1) await new Promise(setImmediate);
  const held = client.sent.length;
  expect(held).toBeLessThan(100);
  client.transport.release();
  await loaded;
  expect(client.updates(sessionId).length).toBe(3_001);
});

/** Gives the pieces of an answer as one entry to who takes it, as the store on a disk does. */
class MergingStore extends MemoryStore {
  given = 0;
  beforeMerged = () => Promise.resolve();

  async *readAll(session: SessionId, after: number, merged?: 'merged'): AsyncGenerator<Entry> {
    if (merged) await this.beforeMerged();
    const entries = [...super.read(session, after)];
    for (const entry of merged ? coalesce(entries) : entries) {
      this.given += 1;
      yield entry;
    }
  }

  override read(session: SessionId, after = 0, merged?: 'merged'): never {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the port allows both kinds.
    return this.readAll(session, after, merged) as never;
  }
}

test('a long answer is loaded as one entry, not piece by piece', async () => {
  const store = new MergingStore();
  const host = await start(store);
  host.scripts.set('*', (turn) => {
    for (let i = 0; i < 3_000; i += 1)
      turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: `${i} ` });
    return Promise.resolve();
  });
  const one = await connect(host);
  const sessionId = await one.newSession();
  await one.prompt(sessionId, 'go');
  const client = await connect(host);
  store.given = 0;
  await load(client, sessionId);
  const words = Array.from({ length: 3_000 }, (_, i) => `${i} `).join('');
  expect(client.updates(sessionId)).toEqual([user('go'), chunk(words)]);
  expect(store.given).toBeLessThan(20);
});

test('words that come while an answer is loaded as one entry are shown once', async () => {
  const store = new MergingStore();
  const host = await start(store);
  const { sessionId, answer, go } = await halfAnswer(host);
  store.beforeMerged = async () => {
    go();
    await answer;
  };
  const two = await connect(host);
  await load(two, sessionId);
  await new Promise(setImmediate);
  expect(two.updates(sessionId)).toEqual([user('long'), chunk('One '), chunk('two.')]);
});

test('opening a session changes nothing in it, unless further directories are named', async () => {
  const host = await start();
  const session = await host.create('s');
  const client = await connect(host);
  const before = session.state.seq;
  await load(client, 's');
  await client.call('session/resume', { sessionId: 's', cwd: '/w/' });
  expect(session.state.seq).toBe(before);
  await load(client, 's', { additionalDirectories: ['/x', '/w'] });
  expect(session.state.roots).toEqual(['/w', '/x']);
  expect(await client.failure('session/load', { sessionId: 's', cwd: '/other', mcpServers: [] })).toEqual({
    code: -32602,
    message: 'Session s works in /w, not in /other.',
    data: { cwd: '/w' },
  });
});
