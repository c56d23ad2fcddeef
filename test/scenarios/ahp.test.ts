// Clients of both generations of AHP on the real program, and many of them on a bad network.
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createWebSocketTransport } from '../../src/rpc/websocket.ts';
import { turnsIn, waitingIn } from '../kit/ahpAgree.ts';
import { settledV1, v1Client } from '../kit/ahpV1.ts';
import type { V1Client } from '../kit/ahpV1.ts';
import { ahpClient } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Home, Served } from '../kit/parley.ts';
import type { Loose } from '../kit/wire.ts';

let home: Home | undefined;

afterEach(async () => {
  await home?.dispose();
  home = undefined;
});

async function v1At({ port, token }: Served, options: { id: string; earlier?: V1Client }): Promise<V1Client> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/?tkn=${token}`);
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return v1Client(createWebSocketTransport(socket), options);
}

test('a client of version 1 and one of 1.0 see the same turns, tools, queue and steering', async () => {
  home = newHome();
  const host = await home.serve();
  const [old, now] = [await v1At(host, { id: 'old' }), await ahpClient(host)];
  const { snapshots: [{ state: root }] } = await old.request('initialize', { protocolVersion: 1, clientId: 'old', initialSubscriptions: ['agenthost:/root'] });
  const session = `${root.agents[0].provider}:/mixed`;
  await old.request('createSession', { session, workingDirectory: `file://${home.workspace}` });
  await old.subscribe(session);
  const { defaultChat } = await now.subscribe(session);
  await now.subscribe(defaultChat);
  const agree = async (turns: number) => {
    const mine = await old.until(session, (state) => state.turns.length >= turns && state.activeTurn === undefined);
    const theirs = await now.until(defaultChat, (state) => state.turns.length >= turns && state.activeTurn === undefined);
    expect(turnsIn(mine)).toEqual(turnsIn(theirs));
    expect(waitingIn(mine)).toEqual(waitingIn(theirs));
  };

  old.dispatch({ type: 'session/turnStarted', session, turnId: 't1', userMessage: { text: 'reason Hm.\nsay First.\ntool shell_command {"command":"echo one > made.txt; cat made.txt"}' } });
  const asking = await now.until(defaultChat, (state) => state.activeTurn?.responseParts.some((part: Loose) => part.toolCall?.status === 'pending-confirmation'));
  await old.until(session, (state) => state.summary.status === 24);
  expect(turnsIn(old.views.get(session))).toEqual(turnsIn(asking));
  const { toolCall } = asking.activeTurn.responseParts.find((part: Loose) => part.toolCall);
  old.dispatch({ type: 'session/pendingMessageSet', session, kind: 'queued', id: 'q1', userMessage: { text: 'say Queued.' } });
  now.dispatch(defaultChat, { type: 'chat/pendingMessageSet', kind: 'steering', id: 's1', message: { text: 'say Steered.', origin: { kind: 'user' } } });
  await now.until(defaultChat, (state) => state.steeringMessage && state.queuedMessages);
  await old.until(session, (state) => state.steeringMessage && state.queuedMessages);
  expect(waitingIn(old.views.get(session))).toEqual(waitingIn(now.states.get(defaultChat)));
  old.dispatch({ type: 'session/toolCallConfirmed', session, turnId: 't1', toolCallId: toolCall.toolCallId, approved: true, confirmed: 'user-action' });
  await agree(2);
  now.dispatch(defaultChat, { type: 'chat/turnStarted', turnId: 't3', startedAt: new Date(0).toISOString(), message: { text: 'fail boom It broke.', origin: { kind: 'user' } } });
  await agree(3);
  expect(old.views.get(session).turns.at(-1)).toMatchObject({ state: 'error', error: { message: expect.stringContaining('It broke.') } });

  const fresh = (await old.peer.request('subscribe', { resource: session })) as Loose;
  expect(settledV1(old.views.get(session))).toEqual(settledV1(fresh.snapshot.state));
  expect(old.problems).toEqual([]);

  await host.kill();
  const again = await home.serve();
  const back = await v1At(again, { id: 'old', earlier: old });
  const result = await back.request('reconnect', { clientId: 'old', lastSeenServerSeq: old.lastSeen(), subscriptions: ['agenthost:/root', session] });
  expect(result.type).toBe('replay');
  const kept = (await back.peer.request('subscribe', { resource: session })) as Loose;
  expect(settledV1(back.views.get(session))).toEqual(settledV1(kept.snapshot.state));
  expect(back.problems).toEqual([]);
  await Promise.all([back.close(), now.close()]);
}, 60_000);
