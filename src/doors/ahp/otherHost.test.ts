// Clients of hosts that share a store: whatever host they come back to, their numbers never run backwards and
// they miss nothing.
import { afterEach, expect, test, vi } from 'vitest';
import { attach, connect } from '../../../test/kit/ahp.ts';
import type { AhpClient } from '../../../test/kit/ahp.ts';
import { until } from '../../../test/kit/host.ts';
import type { Rig } from '../../../test/kit/host.ts';
import { pause } from '../../../test/kit/living.ts';
import { eventually } from '../../../test/kit/patience.ts';
import { SharedTables, sharedHost } from '../../../test/kit/sharedHosts.ts';
import type { Loose } from '../../../test/kit/wire.ts';
import { isRejection } from '../../model/command.ts';
import { LogNewer } from '../../host/session/logStore.ts';
import type { Session } from '../../host/session/session.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

async function twoHosts(tables = new SharedTables()): Promise<{ one: Rig; two: Rig }> {
  const [one, two] = [await sharedHost('one', tables), await sharedHost('two', tables)];
  for (const each of [one, two]) {
    each.scripts.set('*', (turn) => {
      const words = Array.from({ length: 20 }, (_, at) => `word ${at} `);
      for (const text of words) turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text });
      return Promise.resolve();
    });
    open.push(() => each.close());
  }
  return { one, two };
}

async function talk(session: Session, turn: string): Promise<void> {
  const turns = session.state.chats[session.id]?.turns.length ?? 0;
  session.dispatch(
    { kind: 'startTurn', chat: session.id, turn, message: { id: `m-${turn}`, text: turn } },
    { kind: 'host' },
  );
  await until(session, ({ chats, id }) => (chats[id]?.turns.length ?? 0) > turns);
}

async function followed(on: Rig, id: string): Promise<AhpClient> {
  const client = await connect(on.host);
  open.push(() => client.close());
  await client.subscribe(`script:/${id}`);
  await client.subscribe(`ahp-chat:/${id}`);
  return client;
}

/** The same client on a new connection, with everything it believed; a host that does not know it says so. */
async function again(on: Rig, old: AhpClient): Promise<{ client: AhpClient; result: Loose }> {
  const client = attach(on.host, { id: old.id }, old);
  open.push(() => client.close());
  const [clientId, channels] = [old.id, [...old.views.keys()]];
  const returning = { clientId, lastSeenServerSeq: old.lastSeen(), subscriptions: channels };
  const result = await client.request('reconnect', returning).catch((error: Error) => {
    if (!error.message.includes('initialize instead')) throw error;
    return client.request('initialize', {
      channel: 'ahp-root://',
      protocolVersions: ['1.0.0'],
      clientId,
      initialSubscriptions: channels,
    });
  });
  return { client, result };
}

async function opened({ host }: Rig, id: string): Promise<Session> {
  await eventually(() => host.summary(id) !== undefined, 'the session in the list');
  const session = await host.open(id);
  if (isRejection(session)) throw new Error(session.message);
  return session;
}

async function expectAgrees(client: AhpClient): Promise<void> {
  for (const channel of client.views.keys()) {
    const { snapshot } = (await client.peer.request('subscribe', { channel })) as Loose;
    expect(client.views.get(channel), channel).toEqual(snapshot.state);
  }
  expect(client.problems).toEqual([]);
}

/** As the store of a database says it. */
const away = () => Object.assign(new Error('cannot reach the database'), { code: 'unavailable' });

/** Two hosts with a session each, and a client of the first that follows both sessions. */
async function followsBoth() {
  const { one, two } = await twoHosts();
  const theirs = await one.create('s1');
  const ours = await two.create('s2');
  const old = await followed(one, 's1');
  await opened(one, 's2');
  await old.subscribe('ahp-chat:/s2');
  await talk(theirs, 't1');
  return { one, two, theirs, ours, old };
}

test('the numbers of a client that changes hosts never run backwards, there and back', async () => {
  const { one, two, theirs, ours, old } = await followsBoth();
  let before = old;
  for (const [host, mine] of [
    [two, ours],
    [one, theirs],
    [two, ours],
  ] as const) {
    const seen = before.lastSeen();
    before.peer.close();
    const { client, result } = await again(host, before);
    for (const { fromSeq } of result.snapshots) expect(fromSeq).toBeGreaterThan(seen);
    await talk(mine, `t ${seen}`);
    await eventually(() => client.lastSeen() > seen, 'news');
    await expectAgrees(client);
    before = client;
  }
});

test('a client that did not get the answer of another host gets the state there the next time', async () => {
  const { two, theirs, ours, old } = await followsBoth();
  old.peer.close();
  const { client: lost } = await again(two, old);
  lost.peer.close();
  await talk(theirs, 't2');
  await talk(ours, 't3');
  await until(await opened(two, 's1'), ({ chats }) => chats['s1']?.turns.length === 2);
  const { client, result } = await again(two, old);
  expect(result.type).toBe('snapshot');
  await expectAgrees(client);
});

test('entries that wait to be stored when a client arrives keep their order', async () => {
  const { two, ours, old } = await followsBoth();
  old.peer.close();
  // Decided before the client arrives, and stored after it has asked.
  const turn = talk(ours, 't2');
  const { client, result } = await again(two, old);
  await turn;
  for (const { fromSeq } of result.snapshots) expect(fromSeq).toBeGreaterThan(old.lastSeen());
  await talk(ours, 't3');
  await expectAgrees(client);
});

test('a client that introduces itself to another host begins behind all it has seen', async () => {
  const { one, two } = await twoHosts();
  const session = await one.create('s1');
  const old = await followed(one, 's1');
  await talk(session, 't1');
  const fresh = attach(two.host, { id: old.id });
  open.push(() => fresh.close());
  const { serverSeq } = await fresh.request('initialize', {
    channel: 'ahp-root://',
    protocolVersions: ['1.0.0'],
    clientId: old.id,
  });
  expect(serverSeq).toBeGreaterThan(old.lastSeen());
});

test('a client that comes back to a host that shows the session of another one misses nothing', async () => {
  const { one, two } = await twoHosts();
  const session = await one.create('s1');
  const copy = await opened(two, 's1');
  await talk(await two.create('s2'), 't1');
  const old = await followed(two, 's1');
  await talk(session, 't2');
  await until(copy, ({ chats }) => chats['s1']?.turns.length === 1);
  await eventually(() => old.views.get('ahp-chat:/s1').turns.length === 1, 'the turn');
  old.peer.close();
  await talk(session, 't3');
  await until(copy, ({ chats }) => chats['s1']?.turns.length === 2);
  const { client, result } = await again(two, old);
  expect(result.type).toBe('replay');
  expect(client.views.get('ahp-chat:/s1').turns).toHaveLength(2);
  await expectAgrees(client);
});

test('a client that comes back after the host has opened the session again misses nothing', async () => {
  const { one, two } = await twoHosts();
  const session = await one.create('s1');
  await opened(two, 's1');
  const old = await followed(two, 's1');
  await talk(session, 't1');
  await eventually(() => old.views.get('ahp-chat:/s1').turns.length === 1, 'the turn');
  old.peer.close();
  // So many others that it is closed, because nobody watches it.
  await talk(session, 't2');
  // To ask for a session is to use it, so only the list is asked.
  const isOpen = () => two.host.openSessions().some(({ id }) => id === 's1');
  let minutes = 0;
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + minutes * 60_000);
  for (; isOpen(); minutes += 1) {
    await one.create(`more-${minutes}`);
    await opened(two, `more-${minutes}`);
  }
  clock.mockRestore();
  const { client } = await again(two, old);
  expect(client.views.get('ahp-chat:/s1').turns).toHaveLength(2);
  await expectAgrees(client);
});

test('a session that only a newer version can read is refused in words, stays in the list and stays free', async () => {
  const tables = new SharedTables();
  const [newer, older] = [await sharedHost('newer', tables), await sharedHost('older', tables)];
  open.push(() => older.close());
  newer.scripts.set('*', () => Promise.resolve());
  await talk(await newer.create('s1'), 't1');
  await eventually(() => older.host.summary('s1')?.started, 'the session in the list');
  await newer.close();
  tables.owners.delete('s1');
  tables.read = (id) => {
    throw new LogNewer(id, 1, 99);
  };
  const client = await connect(older.host);
  open.push(() => client.close());
  for (const channel of ['script:/s1', 'ahp-chat:/s1'])
    await expect(client.subscribe(channel)).rejects.toThrow('A newer version of Parley wrote this session');
  const title = expect.stringContaining('(written by a newer version of Parley)') as unknown;
  expect(older.host.summary('s1')).toMatchObject({ title, started: true, newer: true });
  expect(tables.owners.get('s1')).toBeUndefined();
});

test('a client is not shown less than it has seen while the database is away', async () => {
  const tables = new SharedTables();
  const { one, two } = await twoHosts(tables);
  const theirs = await one.create('s1');
  await talk(theirs, 't1');
  await opened(two, 's1');
  const old = await followed(one, 's1');
  const read = tables.read.bind(tables);
  tables.read = () => {
    throw away();
  };
  await talk(theirs, 't2');
  await eventually(() => old.views.get('ahp-chat:/s1').turns.length === 2, 'the second turn');
  old.peer.close();
  const arriving = again(two, old);
  await pause(100);
  tables.read = read;
  const { client } = await arriving;
  expect(client.views.get('ahp-chat:/s1').turns).toHaveLength(2);
  await expectAgrees(client);
});

test('who asks for a session while the database stays away is told why', async () => {
  const tables = new SharedTables();
  const { one, two } = await twoHosts(tables);
  await one.create('s1');
  await opened(two, 's1');
  const client = await connect(two.host);
  open.push(() => client.close());
  tables.read = () => {
    throw away();
  };
  await expect(client.subscribe('ahp-chat:/s1')).rejects.toThrow('The database does not answer');
});

test('who asks for a session that is not open while the database is away waits for it, or is told why', async () => {
  const tables = new SharedTables();
  const { one, two } = await twoHosts(tables);
  await one.create('s1');
  await eventually(() => two.host.summary('s1'), 'the session in the list');
  const read = tables.read.bind(tables);
  tables.read = () => {
    throw away();
  };
  const client = await connect(two.host);
  open.push(() => client.close());
  const asked = client.subscribe('ahp-chat:/s1');
  await pause(100);
  tables.read = read;
  await asked;
  expect(client.views.get('ahp-chat:/s1').turns).toEqual([]);
});

test('an action for a session that cannot be opened comes back to its sender with the reason', async () => {
  const tables = new SharedTables();
  const { one, two } = await twoHosts(tables);
  await one.create('s1');
  await eventually(() => two.host.summary('s1'), 'the session in the list');
  const client = await connect(two.host);
  open.push(() => client.close());
  const reason = async (problem: Error) => {
    tables.read = () => {
      throw problem;
    };
    const clientSeq = client.dispatch('ahp-chat:/s1', { type: 'chat/turnCancelled', turnId: 't' });
    const back = () =>
      client.said.find(({ params }) => params?.origin?.clientSeq === clientSeq)?.params.rejectionReason;
    return eventually<string>(back, 'the action');
  };
  expect(await reason(new LogNewer('s1', 1, 99))).toContain('A newer version of Parley wrote this session');
  expect(await reason(away())).toContain('The database does not answer');
  expect(await reason(new Error('a bug'))).toContain('The host failed at this action');
  expect(two.problems).toHaveLength(1);
});
