// The client against a scripted host in memory: what it shows, what it sends, and how it comes back.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  chatState,
  chatUri,
  rootState,
  sessionState,
  summaryOf,
  turnOf,
} from '../../test/scenarios/console/states.ts';
import { ScriptedHost } from '../../test/scenarios/console/scriptedHost.ts';
import type { Line } from '../../test/scenarios/console/scriptedHost.ts';
import { createClient } from './client.ts';
import type { Client } from './client.ts';
import type { OpenWire } from './wire.ts';

const session = 'ahp-session:/one';
const chat = chatUri(session);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

interface Rig {
  readonly host: ScriptedHost;
  readonly client: Client;
  /** Cuts every connection; `up` decides whether new ones open. */
  readonly cut: () => void;
  up: boolean;
  /** Swallows what the host says, as a network does that went away without a word. */
  mute: boolean;
  /** Delivers what the host says at the same moment in one go, as a pipe or a busy program does. */
  together: boolean;
  /** Called when the host has answered a request. */
  answered: (method: string) => void;
  readonly attempts: number;
  readonly settle: (ms?: number) => Promise<void>;
}

/** A client and its host, joined by a wire that delivers one message per turn of the event loop. */
async function rig(): Promise<Rig> {
  const host = new ScriptedHost(rootState());
  host.place('session', session, sessionState(session));
  host.place('chat', chat, chatState(chat));
  host.summaries.set(session, summaryOf(session));
  const lines = new Set<Line>();
  const state = {
    up: true,
    mute: false,
    together: false,
    attempts: 0,
    answered: (_method: string): void => undefined,
  };
  const wire: OpenWire = ({ opened, received, closed }) => {
    state.attempts += 1;
    let line: Line | undefined;
    const end = () => {
      if (line) lines.delete(line);
      setTimeout(closed, 0);
    };
    setTimeout(() => {
      if (!state.up) return end();
      const waiting: string[] = [];
      const deliver = (text: string) => line && lines.has(line) && !state.mute && received(text);
      const deliverAll = () => waiting.splice(0).forEach(deliver);
      line = host.connect((text) => {
        if (!state.together) setTimeout(() => deliver(text), 1);
        else if (waiting.push(text) === 1) setTimeout(deliverAll, 1);
      }, end);
      lines.add(line);
      opened();
    }, 1);
    const send = (text: string): void => {
      if (!line || !lines.has(line)) return;
      line.receive(text);
      state.answered((JSON.parse(text) as { readonly method: string }).method);
    };
    return { send, close: () => line?.close() };
  };
  const client = createClient({ clientId: 'me', wires: [wire], isHostUp: () => Promise.resolve(state.up) });
  const settle = async (ms = 20): Promise<void> => {
    await vi.advanceTimersByTimeAsync(ms);
  };
  client.start();
  await settle();
  return Object.assign(state, {
    host,
    client,
    settle,
    cut: () => [...lines].forEach((line) => line.close()),
  });
}

const message = (text: string) => ({ text, origin: { kind: 'user' as const } });
const start = (turnId: string, text: string) =>
  ({
    type: 'chat/turnStarted',
    turnId,
    startedAt: '2026-01-02T03:04:05.000Z',
    message: message(text),
  }) as const;

describe('greeting', () => {
  test('the root state and the list of sessions are there', async () => {
    const { client, host } = await rig();
    expect(client.connection.value).toEqual({ kind: 'online' });
    expect(client.root.state.value?.agents.map(({ provider }) => provider)).toEqual(['demo']);
    expect([...client.sessions.value.keys()]).toEqual([session]);
    expect(host.requests[0]?.params).toMatchObject({
      protocolVersions: ['1.0.0', '0.9.0'],
      initialSubscriptions: ['ahp-root://'],
    });
  });

  test('a host that speaks other versions ends the attempts', async () => {
    const { client, host, cut, settle } = await rig();
    host.answers.set('reconnect', () => ({ code: -32008, message: 'unknown' }));
    host.answers.set('initialize', () => ({ code: -32005, message: 'no', data: {} }));
    cut();
    await settle(30_000);
    expect(client.connection.value.kind).toBe('incompatible');
  });

  test('a host that is up and lets nobody in is told apart from one that is away', async () => {
    const wires: OpenWire[] = [
      ({ closed }) => {
        setTimeout(closed, 1);
        return { send: () => undefined, close: () => undefined };
      },
    ];
    const client = createClient({ clientId: 'me', wires, isHostUp: () => Promise.resolve(true) });
    client.start();
    await vi.advanceTimersByTimeAsync(10);
    expect(client.connection.value).toEqual({ kind: 'refused' });
  });
});

test('a host that comes up between an attempt and the question whether it is up is not taken for one that lets nobody in', async () => {
  const attempts: number[] = [];
  const wires: OpenWire[] = [
    ({ closed }) => {
      attempts.push(attempts.length);
      setTimeout(closed, 1);
      return { send: () => undefined, close: () => undefined };
    },
  ];
  const client = createClient({
    clientId: 'me',
    wires,
    isHostUp: () => Promise.resolve(attempts.length > 1),
  });
  const kinds: string[] = [];
  client.connection.subscribe(({ kind }) => void kinds.push(kind));
  client.start();
  await vi.advanceTimersByTimeAsync(10_000);
  // Away, just up, and then really refused.
  expect([attempts.length, kinds.at(-1), kinds.filter((kind) => kind === 'reconnecting').length]).toEqual([
    3,
    'refused',
    2,
  ]);
});

describe('sessions come, change and go', () => {
  test('as the host tells', async () => {
    const { client, host, settle } = await rig();
    host.list(summaryOf('ahp-session:/two', { title: 'Two' }));
    host.list(summaryOf(session, { title: 'Renamed', status: 24 }));
    host.tell('root/sessionSummaryChanged', { session: 'ahp-session:/unknown', changes: { title: 'x' } });
    host.tell('root/sessionAdded', { summary: 'broken' });
    host.tell('x-private', { anything: true });
    await settle();
    expect([...client.sessions.value.values()].map(({ title, status }) => [title, status])).toEqual([
      ['Renamed', 24],
      ['Two', 1],
    ]);
    host.tell('root/sessionRemoved', { session });
    await settle();
    expect([...client.sessions.value.keys()]).toEqual(['ahp-session:/two']);
  });
});

describe('own actions', () => {
  test('show at once and stay when the host agrees', async () => {
    const { client, settle } = await rig();
    const channel = client.open('chat', chat);
    await settle();
    const settled = client.dispatch(channel, start('t1', 'hello'));
    expect(channel.state.value?.activeTurn?.message.text).toBe('hello');
    await settle();
    expect(await settled).toEqual({ kind: 'accepted' });
    expect(channel.state.value?.activeTurn?.id).toBe('t1');
  });

  test('disappear when the host rejects them', async () => {
    const { client, host, settle } = await rig();
    const channel = client.open('chat', chat);
    await settle();
    host.judge = () => 'A turn is running.';
    const settled = client.dispatch(channel, start('t1', 'hello'));
    await settle();
    expect(await settled).toEqual({ kind: 'rejected', reason: 'A turn is running.' });
    expect(channel.state.value?.activeTurn).toBeUndefined();
  });

  test('are given up when a connected host never answers', async () => {
    const setup = await rig();
    const { client, settle } = setup;
    const channel = client.open('chat', chat);
    await settle();
    setup.host.ignores = (_channel, { type }) => type === 'chat/draftChanged';
    const settled = client.dispatch(channel, { type: 'chat/draftChanged', draft: message('into the void') });
    await settle(29_000);
    expect(channel.state.value?.draft?.text).toBe('into the void');
    await settle(2000);
    expect(await settled).toEqual({ kind: 'unconfirmed' });
    expect(channel.state.value?.draft).toBeUndefined();
  });

  test('lie on top of what others do meanwhile', async () => {
    const { client, host, settle } = await rig();
    const channel = client.open('chat', chat);
    await settle();
    void client.dispatch(channel, { type: 'chat/draftChanged', draft: message('mine') });
    host.emit(chat, { type: 'chat/activityChanged', activity: 'thinking' });
    await settle();
    expect(channel.state.value).toEqual(host.state('chat', chat));
    expect(channel.state.value).toMatchObject({ draft: { text: 'mine' }, activity: 'thinking' });
  });

  test("another client's action with the same number settles nothing of ours", async () => {
    const { client, host, settle } = await rig();
    const channel = client.open('chat', chat);
    await settle();
    host.judge = (_channel, _action, from) => (from === 'me' ? 'no' : undefined);
    const other = host.connect(
      () => undefined,
      () => undefined,
    );
    other.receive(JSON.stringify({ id: 1, method: 'initialize', params: { clientId: 'you' } }));
    other.receive(
      JSON.stringify({
        method: 'dispatchAction',
        params: { channel: chat, clientSeq: 1, action: start('t2', 'theirs') },
      }),
    );
    const settled = client.dispatch(channel, { type: 'chat/draftChanged', draft: message('mine') });
    await settle();
    expect(await settled).toEqual({ kind: 'rejected', reason: 'no' });
    expect(channel.state.value?.activeTurn?.message.text).toBe('theirs');
  });
});

describe('channels', () => {
  test('are shared, kept for a while and then left', async () => {
    const { client, host, settle } = await rig();
    const first = client.open('chat', chat);
    expect(client.open('chat', chat)).toBe(first);
    await settle();
    client.release(first);
    client.release(first);
    await settle(9000);
    expect(client.open('chat', chat)).toBe(first);
    client.release(first);
    await settle(11_000);
    host.emit(chat, { type: 'chat/activityChanged', activity: 'unseen' });
    await settle();
    expect(first.state.value?.activity).toBeUndefined();
    expect(client.open('chat', chat)).not.toBe(first);
  });

  test('show what comes together with their first state', async () => {
    const link = await rig();
    const { client, host, settle } = link;
    link.together = true;
    const channel = client.open('chat', chat);
    host.emit(chat, start('t1', 'just now'));
    await settle();
    expect(channel.state.value).toEqual(host.state('chat', chat));
  });

  test('that do not exist say so', async () => {
    const { client, settle } = await rig();
    const channel = client.open('session', 'ahp-session:/nowhere');
    const settled = client.dispatch(channel, { type: 'session/titleChanged', title: 'x' });
    await settle();
    expect(channel.status.value).toEqual({ kind: 'gone', reason: 'There is no ahp-session:/nowhere.' });
    expect(await settled).toEqual({ kind: 'rejected', reason: 'There is no ahp-session:/nowhere.' });
  });

  test('take a fresh copy when an action does not fit', async () => {
    const { client, host, settle } = await rig();
    const channel = client.open('chat', chat);
    await settle();
    host.emit(chat, start('t1', 'x'));
    await settle();
    host.place('chat', chat, chatState(chat, { title: 'Mended' }));
    host.sendBroken(chat, { type: 'chat/responsePart', turnId: 't1' });
    await settle();
    expect(channel.state.value).toEqual(host.state('chat', chat));
  });
});

describe('after a lost connection', () => {
  test('the replay brings what was missed and what never arrived is sent again', async () => {
    const { client, host, settle, ...link } = await rig();
    const channel = client.open('chat', chat);
    await settle();
    link.cut();
    await settle(1);
    expect(client.connection.value).toMatchObject({ kind: 'reconnecting' });
    const settled = client.dispatch(channel, start('t1', 'said while away'));
    host.emit(chat, { type: 'chat/activityChanged', activity: 'busy' });
    await settle(1000);
    expect(client.connection.value).toEqual({ kind: 'online' });
    expect(await settled).toEqual({ kind: 'accepted' });
    expect(channel.state.value).toEqual(host.state('chat', chat));
    expect(channel.state.value).toMatchObject({
      activity: 'busy',
      activeTurn: { message: { text: 'said while away' } },
    });
  });

  test.each([true, false])('what comes together with the answer is not lost, replay: %s', async (replays) => {
    const link = await rig();
    const { client, host, settle, cut } = link;
    const channel = client.open('chat', chat);
    await settle();
    link.together = true;
    host.replays = replays;
    link.answered = (method) => {
      if (method === 'reconnect') host.emit(chat, { type: 'chat/activityChanged', activity: 'busy' });
    };
    cut();
    host.emit(chat, start('t1', 'said while away'));
    await settle(1000);
    expect(channel.state.value).toEqual(host.state('chat', chat));
  });

  test('an action whose echo was lost is not sent twice', async () => {
    const { client, host, settle, cut } = await rig();
    const channel = client.open('chat', chat);
    await settle();
    const settled = client.dispatch(channel, start('t1', 'once'));
    cut();
    await settle(1000);
    expect(await settled).toEqual({ kind: 'accepted' });
    expect(host.dispatched.filter(({ action }) => action.type === 'chat/turnStarted')).toHaveLength(1);
  });

  test('a snapshot replaces the state and leaves sent actions unconfirmed', async () => {
    const { client, host, settle, cut } = await rig();
    const channel = client.open('chat', chat);
    await settle();
    host.replays = false;
    const sent = client.dispatch(channel, { type: 'chat/draftChanged', draft: message('perhaps') });
    cut();
    await settle(1);
    const unsent = client.dispatch(channel, start('t9', 'surely'));
    host.place('chat', chat, chatState(chat, { turns: [turnOf('t8', 'earlier')] }));
    await settle(1000);
    expect(await sent).toEqual({ kind: 'unconfirmed' });
    expect(await unsent).toEqual({ kind: 'accepted' });
    expect(channel.state.value).toEqual(host.state('chat', chat));
  });

  test('a host that forgot us is greeted anew', async () => {
    const { client, host, settle, cut } = await rig();
    const channel = client.open('chat', chat);
    await settle();
    host.forget();
    host.place('chat', chat, chatState(chat, { title: 'After the restart' }));
    cut();
    await settle(1000);
    expect(client.connection.value).toEqual({ kind: 'online' });
    expect(channel.state.value?.title).toBe('After the restart');
    expect(host.requests.filter(({ method }) => method === 'initialize')).toHaveLength(2);
  });

  test('a channel that went missing says so', async () => {
    const { client, host, settle, cut } = await rig();
    const channel = client.open('chat', chat);
    await settle();
    host.places.delete(chat);
    cut();
    await settle(1000);
    expect(channel.status.value.kind).toBe('gone');
  });

  test('the pauses grow, and waiting can be cut short', async () => {
    const setup = await rig();
    setup.up = false;
    setup.cut();
    await setup.settle(60_000);
    const tries = setup.attempts;
    expect(tries).toBeGreaterThan(5);
    expect(tries).toBeLessThan(15);
    expect(setup.client.connection.value).toMatchObject({ kind: 'reconnecting' });
    setup.up = true;
    setup.client.retryNow();
    await setup.settle(50);
    expect(setup.client.connection.value).toEqual({ kind: 'online' });
  });

  test('an answer that was read late, because this program was busy, is still an answer', async () => {
    const all = await rig();
    all.mute = true;
    // The ping of 20 s is out of time at 30 s, and only then its answer is read.
    await all.settle(30_100);
    all.mute = false;
    all.host.tell('news', {});
    await all.settle(8_000);
    expect([all.client.connection.value.kind, all.attempts]).toEqual(['online', 1]);
  });

  test('silence is noticed', async () => {
    const setup = await rig();
    setup.mute = true;
    await setup.settle(29_000);
    expect(setup.attempts).toBe(1);
    setup.mute = false;
    await setup.settle(3000);
    expect(setup.attempts).toBe(2);
    expect(setup.client.connection.value).toEqual({ kind: 'online' });
  });
});
