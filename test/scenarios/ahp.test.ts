// Clients of both generations of AHP on the real program, and many of them on a bad network.
import { afterEach, expect, test } from 'vitest';
import { createWebSocketTransport } from '../../src/rpc/transports/websocket.ts';
import { newestClient } from '../kit/ahp.ts';
import { turnsIn, waitingIn } from '../kit/ahpAgree.ts';
import { socketTo, v1At } from '../kit/ahpSocket.ts';
import { settledV1, v1Client } from '../kit/ahp/integer1/client.ts';
import type { V1Client } from '../kit/ahp/integer1/client.ts';
import { ahpClient } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Home, Served } from '../kit/parley.ts';
import type { Loose } from '../kit/wire.ts';

let home: Home | undefined;

afterEach(async () => {
  await home?.dispose();
  home = undefined;
});

test('a client of version 1 and one of 1.0 see the same turns, tools, queue and steering', async () => {
  home = newHome();
  const host = await home.serve();
  const [old, now] = [await v1At(host, { id: 'old' }), await ahpClient(host)];
  const {
    snapshots: [{ state: root }],
    defaultDirectory,
  } = await old.request('initialize', {
    protocolVersion: 1,
    clientId: 'old',
    initialSubscriptions: ['agenthost:/root'],
  });
  // A folder picker begins there, before any session exists.
  for (const client of [old, now])
    expect((await client.request('resourceList', { uri: defaultDirectory })).entries).toBeInstanceOf(Array);
  const session = `${root.agents[0].provider}:/mixed`;
  await old.request('createSession', { session, workingDirectory: `file://${home.workspace}` });
  await old.subscribe(session);
  const { defaultChat } = await now.subscribe(session);
  await now.subscribe(defaultChat);
  const agree = async (turns: number) => {
    const mine = await old.until(
      session,
      (state) => state.turns.length >= turns && state.activeTurn === undefined,
    );
    const theirs = await now.until(
      defaultChat,
      (state) => state.turns.length >= turns && state.activeTurn === undefined,
    );
    expect(turnsIn(mine)).toEqual(turnsIn(theirs));
    expect(waitingIn(mine)).toEqual(waitingIn(theirs));
  };

  old.dispatch({
    type: 'session/turnStarted',
    session,
    turnId: 't1',
    userMessage: {
      text: 'reason Hm.\nsay First.\ntool shell_command {"command":"echo one > made.txt; cat made.txt"}',
    },
  });
  const asking = await now.until(defaultChat, (state) =>
    state.activeTurn?.responseParts.some((part: Loose) => part.toolCall?.status === 'pending-confirmation'),
  );
  await old.until(session, (state) => state.summary.status === 24);
  expect(turnsIn(old.views.get(session))).toEqual(turnsIn(asking));
  const { toolCall } = asking.activeTurn.responseParts.find((part: Loose) => part.toolCall);
  old.dispatch({
    type: 'session/pendingMessageSet',
    session,
    kind: 'queued',
    id: 'q1',
    userMessage: { text: 'say Queued.' },
  });
  now.dispatch(defaultChat, {
    type: 'chat/pendingMessageSet',
    kind: 'steering',
    id: 's1',
    message: { text: 'say Steered.', origin: { kind: 'user' } },
  });
  await now.until(defaultChat, (state) => state.steeringMessage && state.queuedMessages);
  await old.until(session, (state) => state.steeringMessage && state.queuedMessages);
  expect(waitingIn(old.views.get(session))).toEqual(waitingIn(now.states.get(defaultChat)));
  old.dispatch({
    type: 'session/toolCallConfirmed',
    session,
    turnId: 't1',
    toolCallId: toolCall.toolCallId,
    approved: true,
    confirmed: 'user-action',
  });
  await agree(2);
  now.dispatch(defaultChat, {
    type: 'chat/turnStarted',
    turnId: 't3',
    startedAt: new Date(0).toISOString(),
    message: { text: 'fail boom It broke.', origin: { kind: 'user' } },
  });
  await agree(3);
  expect(old.views.get(session).turns.at(-1)).toMatchObject({
    state: 'error',
    error: { message: expect.stringContaining('It broke.') },
  });

  const fresh = (await old.peer.request('subscribe', { resource: session })) as Loose;
  expect(settledV1(old.views.get(session))).toEqual(settledV1(fresh.snapshot.state));
  expect(old.problems).toEqual([]);

  await host.kill();
  const again = await home.serve();
  const back = await v1At(again, { id: 'old', earlier: old });
  const result = await back.request('reconnect', {
    clientId: 'old',
    lastSeenServerSeq: old.lastSeen(),
    subscriptions: ['agenthost:/root', session],
  });
  expect(result.type).toBe('replay');
  const kept = (await back.peer.request('subscribe', { resource: session })) as Loose;
  expect(settledV1(back.views.get(session))).toEqual(settledV1(kept.snapshot.state));
  expect(back.problems).toEqual([]);
  await Promise.all([back.close(), now.close()]);
});

test('a real terminal and the files of a workspace, over the wire of version 1', async () => {
  home = newHome();
  // Whatever a shell reads at its start is nobody's here.
  home.env['HOME'] = home.dir;
  const host = await home.serve();
  const old = await v1At(host, { id: 'old' });
  const {
    snapshots: [{ state: root }],
  } = await old.request('initialize', {
    protocolVersion: 1,
    clientId: 'old',
    initialSubscriptions: ['agenthost:/root'],
  });
  const [cwd, terminal] = [`file://${home.workspace}`, 'agenthost-terminal:/t1'];
  await old.request('createSession', { session: `${root.agents[0].provider}:/files`, workingDirectory: cwd });
  await old.request('createTerminal', {
    terminal,
    claim: { kind: 'client', clientId: 'old' },
    cwd,
    cols: 80,
    rows: 24,
  });
  await old.subscribe(terminal);
  old.dispatch({
    type: 'terminal/input',
    terminal,
    data: 'echo $((40 + 2)) > made.txt; echo "it is $(cat made.txt)"\n',
  });
  await old.until(terminal, (state) => JSON.stringify(state.content).includes('it is 42'));
  expect(await old.request('resourceRead', { uri: `${cwd}/made.txt` })).toMatchObject({
    data: '42\n',
    encoding: 'utf-8',
  });
  await expect(old.request('resourceRead', { uri: `file://${home.dir}/home/token` })).rejects.toMatchObject({
    code: -32009,
  });
  expect(await old.request('disposeTerminal', { terminal })).toBeNull();
  expect(old.views.get('agenthost:/root').terminals).toEqual([]);
  expect(old.problems).toEqual([]);
  await old.close();
});

/** One client that is cut off again and again, without a word, and comes back with what it has seen. */
async function stormy(
  host: Served,
  { id, cuts, uri, chat }: { id: string; cuts: readonly number[]; uri: string; chat: string },
): Promise<{ view: Loose; problems: readonly string[] }> {
  const isOld = chat === '';
  const follow = isOld ? ['agenthost:/root', uri] : ['ahp-root://', uri, chat];
  let socket = await socketTo(host);
  const first = isOld
    ? v1Client(createWebSocketTransport(socket), { id })
    : newestClient(createWebSocketTransport(socket), id);
  const hello = isOld ? { protocolVersion: 1 } : { channel: 'ahp-root://', protocolVersions: ['1.0.0'] };
  await first.request('initialize', { ...hello, clientId: id, initialSubscriptions: follow });
  let client: typeof first = first;
  const problems = [...first.problems];
  for (const cut of cuts) {
    await new Promise((resolve) => {
      setTimeout(resolve, cut);
    });
    const gone = client.peer.closed;
    socket.terminate();
    await gone;
    problems.push(...client.problems);
    const earlier = client;
    socket = await socketTo(host);
    client = isOld
      ? v1Client(createWebSocketTransport(socket), { id, earlier: earlier as V1Client })
      : newestClient(createWebSocketTransport(socket), id, { earlier });
    const result = await client.request('reconnect', {
      channel: 'ahp-root://',
      clientId: id,
      lastSeenServerSeq: earlier.lastSeen(),
      subscriptions: follow,
    });
    if (result.missing?.length > 0) problems.push(`missing ${result.missing}`);
  }
  const place = isOld ? uri : chat;
  for (;;) {
    const view = client.views.get(place);
    if (view?.turns.length === 1) {
      await client.close();
      return { view, problems: [...problems, ...client.problems] };
    }
    await client.wait(() => true, client.said.length);
  }
}

test('a hundred clients that lose their connections in a fast stream all end with the state of the host', async () => {
  home = newHome();
  const host = await home.serve();
  const watcher = await ahpClient(host);
  const provider = watcher.states.get('ahp-root://').agents[0].provider as string;
  const uri = `${provider}:/storm`;
  await watcher.request('createSession', { channel: uri, workingDirectories: [`file://${home.workspace}`] });
  const { defaultChat } = await watcher.subscribe(uri);
  await watcher.subscribe(defaultChat);
  const random = lcg(20_261_115);
  const clients = Array.from({ length: 100 }, (_, i) =>
    stormy(host, {
      id: `storm-${i}`,
      uri,
      chat: i % 2 === 0 ? defaultChat : '',
      cuts: Array.from({ length: 1 + Math.floor(random() * 3) }, () => Math.floor(random() * 1_500)),
    }),
  );
  const text = Array.from({ length: 12 }, (_, i) => `stream 60 word${i}\npause 200`).join('\n');
  watcher.dispatch(defaultChat, {
    type: 'chat/turnStarted',
    turnId: 't1',
    startedAt: new Date(0).toISOString(),
    message: { text, origin: { kind: 'user' } },
  });
  const ended = await Promise.all(clients);
  const fresh = await ahpClient(host);
  const truth = await fresh.subscribe(defaultChat);
  const old = await v1At(host, { id: 'last' });
  await old.request('initialize', { protocolVersion: 1, clientId: 'last' });
  const oldTruth = await old.subscribe(uri);
  expect(turnsIn(oldTruth)).toEqual(turnsIn(truth));
  expect(
    truth.turns[0].responseParts
      .map(({ content }: Loose) => content)
      .join('')
      .match(/word/g),
  ).toHaveLength(720);
  ended.forEach(({ view, problems }, i) => {
    expect(problems).toEqual([]);
    expect(i % 2 === 0 ? view : settledV1(view)).toEqual(i % 2 === 0 ? truth : settledV1(oldTruth));
  });
  await Promise.all([watcher.close(), fresh.close(), old.close()]);
});

/** The same drops in every run. */
function lcg(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
