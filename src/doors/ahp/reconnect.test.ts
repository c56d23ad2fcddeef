import { afterEach, describe, expect, test } from 'vitest';
import { attach, connect, reducerFor } from '../../../test/kit/ahp.ts';
import type { AhpClient } from '../../../test/kit/ahp.ts';
import { rig, until } from '../../../test/kit/host.ts';
import type { Rig } from '../../../test/kit/host.ts';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';
import type { Loose } from '../../../test/kit/wire.ts';
import type { LogStore } from '../../host/session/logStore.ts';
import type { Session } from '../../host/session/session.ts';
import { posOf } from './delivery/serverSeq.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

async function host(store?: LogStore): Promise<Rig> {
  const made = await rig(store);
  open.push(() => made.close());
  return made;
}

async function followed(on: Rig, ids: readonly string[]): ReturnType<typeof connect> {
  const made = await connect(on.host);
  open.push(() => made.close());
  for (const id of ids) {
    if (!on.host.opened(id)) await on.create(id);
    await made.subscribe(`script:/${id}`);
    await made.subscribe(`ahp-chat:/${id}`);
  }
  return made;
}

/** The same client on a new connection, with everything it believed. */
async function again(
  on: Rig,
  old: AhpClient,
  options: Loose = {},
): Promise<{ client: AhpClient; result: Loose }> {
  const client = attach(on.host, { id: old.id }, old);
  open.push(() => client.close());
  const result = await client.request('reconnect', {
    clientId: old.id,
    lastSeenServerSeq: old.lastSeen(),
    subscriptions: [...old.views.keys()],
    ...options,
  });
  return { client, result };
}

async function checkAgrees(one: AhpClient): Promise<void> {
  for (const channel of one.views.keys()) {
    const fresh = (await one.peer.request('subscribe', { channel })) as Loose;
    expect(one.views.get(channel)).toEqual(fresh.snapshot.state);
  }
  expect(one.problems).toEqual([]);
}

function talk(session: Session, text: string): void {
  session.dispatch(
    { kind: 'startTurn', chat: session.id, turn: `turn-${text}`, message: { id: `m-${text}`, text } },
    { kind: 'host' },
  );
}

const ended = (session: Session, turns: number) =>
  until(session, ({ chats, id }) => chats[id]?.turns.length === turns);

function chatter(on: Rig): void {
  on.scripts.set('*', async (turn) => {
    turn.report({
      kind: 'tool.started',
      tool: `tool-${turn.session.turn}`,
      name: 'read_file',
      title: 'Read',
      toolKind: 'read',
      source: 'native',
    });
    turn.report({
      kind: 'tool.ready',
      tool: `tool-${turn.session.turn}`,
      input: { path: '/w/a' },
      title: 'Read a',
      toolKind: 'read',
    });
    await turn.approve({
      tool: `tool-${turn.session.turn}`,
      intent: { name: 'read_file', toolKind: 'read', input: { path: '/w/a' }, paths: ['/w/a'] },
      title: 'Read a',
    });
    turn.report({
      kind: 'tool.ended',
      tool: `tool-${turn.session.turn}`,
      result: { status: 'done', content: [{ type: 'edit', path: '/w/a', before: 'x', after: 'y' }] },
    });
    for (const word of ['one ', 'two ', 'three'])
      turn.report({ kind: 'text.added', item: `a-${turn.session.turn}`, channel: 'answer', text: word });
  });
}

describe('a client that lost its connection', () => {
  test('gets what it missed, of several sessions in the order of the numbers, merged', async () => {
    const on = await host();
    chatter(on);
    const one = await followed(on, ['a', 'b']);
    const sessions = ['a', 'b'].map((id) => on.host.opened(id) as Session);
    await one.close();
    for (const session of sessions) talk(session, 'hello');
    await Promise.all(sessions.map((session) => ended(session, 1)));
    const { client, result } = await again(on, one);
    expect([result.type, result.missing]).toEqual(['replay', []]);
    const seqs = result.actions.map(({ serverSeq }: Loose) => serverSeq);
    expect(seqs).toEqual(seqs.toSorted((x: number, y: number) => x - y));
    expect(result.actions.filter(({ action }: Loose) => action.type === 'chat/delta')).toEqual([]);
    await checkAgrees(client);
    talk(sessions[0] as Session, 'more');
    await ended(sessions[0] as Session, 2);
    await checkAgrees(client);
  });

  test('hears of several sessions in the order of the numbers also while it is there', async () => {
    const on = await host();
    const one = await followed(on, ['a', 'b']);
    const sessions = ['a', 'b'].map((id) => on.host.opened(id) as Session);
    for (const title of ['1', '2', '3'])
      for (const session of sessions)
        session.dispatch({ kind: 'changeSession', changes: { title } }, { kind: 'host' });
    await Promise.all(sessions.map((session) => session.settled()));
    await checkAgrees(one);
    const titles = one.said
      .filter(({ params }) => params?.action?.type === 'session/titleChanged')
      .map(({ params }) => `${params.channel} ${params.action.title}`);
    expect(titles).toEqual([
      'script:/a 1',
      'script:/b 1',
      'script:/a 2',
      'script:/b 2',
      'script:/a 3',
      'script:/b 3',
    ]);
  });

  test('goes on in the middle of a turn, whatever it had seen of it', async () => {
    const on = await host();
    chatter(on);
    const one = await followed(on, ['a']);
    const session = on.host.opened('a') as Session;
    const start = new Map(one.views);
    const from = one.lastSeen();
    talk(session, 'hello');
    await ended(session, 1);
    await one.request('ping');
    const heard = one.said
      .filter(({ method, params }) => method === 'action' && params.serverSeq > from)
      .map(({ params }) => params);
    for (let cut = 0; cut <= heard.length; cut += 1) {
      const client = attach(on.host, { id: one.id });
      for (const [channel, view] of start) client.views.set(channel, view);
      for (const { channel, action } of heard.slice(0, cut))
        client.views.set(channel, reducerFor(channel)(client.views.get(channel), action));
      const lastSeenServerSeq = heard[cut - 1]?.serverSeq ?? from;
      await client.request('reconnect', {
        clientId: one.id,
        lastSeenServerSeq,
        subscriptions: ['script:/a', 'ahp-chat:/a'],
      });
      client.views.delete('ahp-root://');
      await checkAgrees(client);
      await client.close();
    }
  });

  test('finds its place also on a new host, and an interrupted turn ended', async () => {
    const store = new MemoryStore();
    const first = await rig(store);
    first.scripts.set('*', async (turn) => {
      turn.report({ kind: 'text.added', item: 'a', channel: 'answer', text: 'half ' });
      await new Promise(() => {});
    });
    const one = await followed(first, ['a']);
    talk(first.host.opened('a') as Session, 'hello');
    await one.action('chat/responsePart');
    await one.close();
    const copy = new MemoryStore();
    for (const id of ['$host', 'a'])
      copy.write({
        entries: [...store.read(id)].map((entry) => ({ session: id, entry })),
        summaries: [],
        sync: 'disk',
      });
    copy.write({ entries: [], summaries: store.summaries(), sync: 'disk' });
    const second = await host(copy);
    const { client, result } = await again(second, one);
    expect(result.type).toBe('replay');
    expect(result.actions.map(({ action }: Loose) => action.type)).toEqual([
      'chat/error',
      'session/chatUpdated',
      'chat/activityChanged',
      'session/customizationsChanged',
      'root/agentsChanged',
      'root/activeSessionsChanged',
    ]);
    expect(client.views.get('ahp-chat:/a').turns).toMatchObject([
      {
        state: 'error',
        responseParts: [{ content: 'half ' }, { kind: 'error', error: { errorType: 'interrupted' } }],
      },
    ]);
    await checkAgrees(client);
    talk(second.host.opened('a') as Session, 'more');
    await client.action('chat/turnComplete');
    await checkAgrees(client);
  });

  test('is told which channels are gone, and a name given twice is one', async () => {
    const on = await host();
    const one = await followed(on, ['a']);
    await one.request('createChat', { channel: 'script:/a', chat: 'ahp-chat:/c2' });
    await one.subscribe('ahp-chat:/c2');
    await one.close();
    const session = on.host.opened('a') as Session;
    session.dispatch({ kind: 'removeChat', chat: 'c2' }, { kind: 'host' });
    session.dispatch({ kind: 'changeSession', changes: { title: 'x' } }, { kind: 'host' });
    await session.settled();
    const { result } = await again(on, one, {
      subscriptions: ['script:/a', 'script:/a', 'ahp-chat:/c2', 'script:/nowhere'],
    });
    expect(result.missing).toEqual(['ahp-chat:/c2', 'script:/nowhere']);
    expect(result.actions.map(({ action }: Loose) => action.type)).toEqual([
      'session/chatRemoved',
      'session/titleChanged',
      'session/chatUpdated',
      'session/customizationsChanged',
    ]);
  });

  test('gets snapshots where a chat is another one by now', async () => {
    const on = await host();
    const one = await followed(on, ['a']);
    await one.request('createChat', { channel: 'script:/a', chat: 'ahp-chat:/c2' });
    await one.subscribe('ahp-chat:/c2');
    await one.close();
    const session = on.host.opened('a') as Session;
    session.dispatch({ kind: 'removeChat', chat: 'c2' }, { kind: 'host' });
    session.dispatch(
      { kind: 'createChat', chat: 'c2', origin: { type: 'user' }, title: 'New' },
      { kind: 'host' },
    );
    await session.settled();
    const { client, result } = await again(on, one);
    expect([result.type, result.snapshots.length]).toEqual(['snapshot', 4]);
    await checkAgrees(client);
    talk(session, 'hello');
    await ended(session, 1);
    await checkAgrees(client);
  });

  test('gets snapshots when it missed very much, or comes from another time', async () => {
    const on = await host();
    const one = await followed(on, ['a']);
    await one.close();
    const session = on.host.opened('a') as Session;
    for (let i = 0; i < 2_501; i += 1)
      session.dispatch({ kind: 'changeSession', changes: { title: String(i) } }, { kind: 'host' });
    await session.settled();
    const late = await again(on, one);
    expect(late.result.type).toBe('snapshot');
    await checkAgrees(late.client);
    // Behind a pipe that outlives its host the client asks for nothing, so it gets every action.
    const piped = attach(on.host, { ports: { resumable: true } }, one);
    open.push(() => piped.close());
    const channels = [...one.views.keys()].map((uri) => [`channel:${uri}`, true]);
    const kept = { client: one.id, seen: one.lastSeen(), ...Object.fromEntries(channels) };
    expect(await piped.request('_parley/resume', { kept })).toEqual({});
    expect(piped.said.filter(({ method }) => method === 'action').length).toBeGreaterThan(5_000);
    await checkAgrees(piped);
    // Numbers that only the last process knew say nothing.
    const renumbered = attach(on.host, { ports: { resumable: true } }, one);
    open.push(() => renumbered.close());
    await expect(
      renumbered.request('_parley/resume', { kept: { ...kept, renumbered: true } }),
    ).rejects.toThrow('connect again');
    for (const lastSeenServerSeq of [late.client.lastSeen() + 1_000_000, -1, 1.5]) {
      const { client, result } = await again(on, one, { lastSeenServerSeq });
      expect(result.type).toBe('snapshot');
      await client.close();
    }
  });

  test('gets what no log holds with numbers of now, also if it has missed nothing', async () => {
    const on = await host(new MemoryStore());
    const one = await followed(on, ['a']);
    await one.close();
    await on.create('b');
    const { result } = await again(on, one);
    const numbers = result.actions.map(({ serverSeq }: Loose) => posOf(serverSeq));
    expect(new Set(numbers)).toEqual(new Set([on.host.shown]));
  });

  test('is refused when the host does not know it', async () => {
    const on = await host();
    const stranger = attach(on.host);
    open.push(() => stranger.close());
    await expect(
      stranger.request('reconnect', { clientId: 'never seen', lastSeenServerSeq: 0, subscriptions: [] }),
    ).rejects.toMatchObject({ code: -32008 });
    await stranger.request('initialize', { protocolVersions: ['1.0.0'], clientId: 'never seen' });
    expect(await stranger.request('ping')).toBeNull();
    // Its last host was killed before it had stored that it knows the client.
    const piped = attach(on.host, { ports: { resumable: true } });
    open.push(() => piped.close());
    const kept = { client: 'never stored', version: '1.0.0', seen: 0 };
    expect(await piped.request('_parley/resume', { kept })).toEqual({});
    expect(await piped.request('ping')).toBeNull();
  });

  test('keeps the version it had and its name', async () => {
    const on = await host();
    const one = await connect(on.host, { versions: ['0.9.0'] });
    await one.close();
    const { client } = await again(on, one, { channel: undefined });
    await client.request('createSession', { channel: 'script:/x' });
    await client.subscribe('script:/x');
    await client.subscribe('ahp-chat:/x');
    client.dispatch('ahp-chat:/x', {
      type: 'chat/turnStarted',
      turnId: 't',
      startedAt: '',
      message: { text: 'hi', origin: { kind: 'user' } },
    });
    const { params } = await client.wait(({ method }) => method === 'root/sessionAdded');
    expect(params.summary.chats).toBeUndefined();
    expect(
      on.host.opened('x')?.head.chats['x']?.turns[0]?.by ?? on.host.opened('x')?.head.chats['x']?.active?.by,
    ).toMatchObject({ client: 'client-1', name: 'Tester client-1' });
  });
});

/** A store that needs a moment, so that sessions publish between any two steps of anybody else. */
function slow(store: LogStore): LogStore {
  return {
    summaries: () => store.summaries(),
    unfinished: () => store.unfinished(),
    head: () => store.head(),
    takePosition: () => store.takePosition(),
    read: (id, after) => store.read(id, after),
    remove: (id) => store.remove(id),
    close: () => store.close(),
    write: async (batch) => {
      await Promise.resolve();
      await store.write(batch);
    },
  };
}

describe('a client that comes and goes while an agent streams', () => {
  test.each([
    ['at once', (store: LogStore) => store],
    ['after a moment', slow],
  ] as const)('on a store that writes %s', async (_, made) => {
    const on = await host(made(new MemoryStore()));
    on.scripts.set('*', async (turn) => {
      for (let i = 0; i < 300; i += 1) {
        turn.report({ kind: 'text.added', item: `a-${i % 7}`, channel: 'answer', text: `${i} ` });
        await (i % 3 === 0 ? new Promise((resolve) => setImmediate(resolve)) : Promise.resolve());
      }
    });
    let one: AhpClient = await followed(on, ['a', 'b']);
    const sessions = ['a', 'b'].map((id) => on.host.opened(id) as Session);
    for (const session of sessions) talk(session, 'hello');
    for (let round = 0; round < 30; round += 1) {
      if (round % 5 === 4) {
        await one.close();
        one = (await again(on, one)).client;
      }
      const channel = round % 2 === 0 ? 'ahp-chat:/a' : 'ahp-chat:/b';
      if (round % 3 === 0) one.notify('unsubscribe', { channel });
      await one.subscribe(channel);
    }
    await Promise.all(sessions.map((session) => ended(session, 1)));
    await checkAgrees(one);
  });
});

describe('a client that cannot keep up', () => {
  test('falls behind without holding anybody up, and catches up merged and in order', async () => {
    // Pieces of one session are merged between those of the other; only here they come in long runs.
    const on = await host(new MemoryStore());
    const one = await followed(on, ['a', 'b']);
    const other = await connect(on.host, { id: 'other' });
    open.push(() => other.close());
    for (const channel of ['ahp-chat:/a', 'ahp-chat:/b']) await other.subscribe(channel);
    const piece = 'x'.repeat(10_000);
    on.scripts.set('*', async (turn) => {
      for (let i = 0; i < 400; i += 1) {
        turn.report({ kind: 'text.added', item: 'a', channel: 'answer', text: piece });
        if (i % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    });
    one.transport.hold();
    const sessions = ['a', 'b'].map((id) => on.host.opened(id) as Session);
    for (const session of sessions) talk(session, 'hello');
    await Promise.all(sessions.map((session) => ended(session, 1)));
    await checkAgrees(other);
    one.transport.release();
    await Promise.all(
      ['ahp-chat:/a', 'ahp-chat:/b'].map((channel) =>
        one.wait(({ params }) => params?.channel === channel && params.action.type === 'chat/turnComplete'),
      ),
    );
    await checkAgrees(one);
    const deltas = (client: AhpClient) =>
      client.said.filter(({ params }) => params?.action?.type === 'chat/delta').length;
    expect(deltas(one)).toBeLessThan(deltas(other));
  });

  test('is given no number beyond what it still has to get', async () => {
    const on = await host(new MemoryStore());
    const one = await followed(on, ['a', 'b']);
    let endTurns = () => {};
    const over = new Promise<void>((resolve) => (endTurns = resolve));
    on.scripts.set('*', async (turn) => {
      turn.report({ kind: 'text.added', item: 'x', channel: 'answer', text: 'x'.repeat(1_000_000) });
      await over;
    });
    one.transport.hold();
    const sessions = ['a', 'b'].map((id) => on.host.opened(id) as Session);
    for (const session of sessions) talk(session, 'hello');
    await Promise.all(
      sessions.map((session) => until(session, ({ chats, id }) => chats[id]?.active?.items.length === 1)),
    );
    // Both turns end in one step, in which the root changes and the client turns out to be behind.
    endTurns();
    await Promise.all(sessions.map((session) => ended(session, 1)));
    one.transport.release();
    await Promise.all(
      ['ahp-chat:/a', 'ahp-chat:/b'].map((channel) =>
        one.wait(({ params }) => params?.channel === channel && params.action.type === 'chat/turnComplete'),
      ),
    );
    await checkAgrees(one);
  });
});
