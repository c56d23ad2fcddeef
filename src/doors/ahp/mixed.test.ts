// Two generations of clients on one session: whatever either does, both see the same turns.
import { expect, test } from 'vitest';
import { connect } from '../../../test/kit/ahp.ts';
import { turnsIn, waitingIn } from '../../../test/kit/ahpAgree.ts';
import { connectV1, settledV1 } from '../../../test/kit/ahp/integer1/client.ts';
import { rig, until } from '../../../test/kit/host.ts';
import type { Loose } from '../../../test/kit/wire.ts';

test('a client of version 1 and one of 1.0 follow one session with tools, questions, queue and steering', async () => {
  const on = await rig();
  on.scripts.set('work', async (turn) => {
    turn.report({ kind: 'text.added', item: 'a', channel: 'answer', text: 'Looking' });
    turn.report({
      kind: 'tool.started',
      tool: 'tc',
      name: 'shell',
      title: 'Shell',
      toolKind: 'execute',
      source: 'native',
    });
    turn.report({ kind: 'tool.input', tool: 'tc', text: '{"command":"ls"}' });
    turn.report({
      kind: 'tool.ready',
      tool: 'tc',
      input: { command: 'ls' },
      title: 'ls',
      toolKind: 'execute',
    });
    await turn.approve({
      tool: 'tc',
      intent: { name: 'shell', toolKind: 'execute', input: { command: 'ls' }, paths: [], command: 'ls' },
      title: 'Run ls?',
      editable: true,
    });
    turn.report({ kind: 'tool.output', tool: 'tc', output: { append: 'file\n' } });
    turn.report({
      kind: 'tool.ended',
      tool: 'tc',
      result: { status: 'done', content: [{ type: 'text', text: 'file\n' }] },
    });
    await turn.ask({
      kind: 'question',
      message: 'Go on?',
      questions: [{ id: 'q', message: 'Go on?', required: true, answer: { type: 'boolean' } }],
    });
    turn.log.takeSteering();
    turn.report({ kind: 'notice.added', level: 'info', text: 'Nearly.' });
  });
  on.scripts.set('break', () =>
    Promise.resolve({ kind: 'failed', problem: { code: 'x', message: 'Broken.' } }),
  );
  const session = 'script:/mixed';
  const [old, now] = [await connectV1(on.host, { id: 'old' }), await connect(on.host, { id: 'new' })];
  await old.request('createSession', { session, workingDirectory: 'file:///w' });
  await old.subscribe(session);
  const { defaultChat } = (await now.subscribe(session)).snapshot.state;
  await now.subscribe(defaultChat);
  const agree = () => {
    expect(turnsIn(old.views.get(session))).toEqual(turnsIn(now.views.get(defaultChat)));
    expect(waitingIn(old.views.get(session))).toEqual(waitingIn(now.views.get(defaultChat)));
    expect(old.views.get(session).summary.status % 32).toBe(now.views.get(defaultChat).status % 32);
  };

  await old.echo(
    old.dispatch({
      type: 'session/turnStarted',
      session,
      turnId: 't1',
      userMessage: { text: 'work', attachments: [{ type: 'file', uri: 'file:///w/a', displayName: 'a' }] },
    }),
  );
  await old.until(session, (state) => state.summary.status === 24);
  agree();
  await now.echo(
    now.dispatch(defaultChat, {
      type: 'chat/toolCallConfirmed',
      turnId: 't1',
      toolCallId: 'tc',
      approved: true,
      confirmed: 'user-action',
      editedToolInput: 'ls -la',
    }),
  );
  const late = old.dispatch({
    type: 'session/toolCallConfirmed',
    session,
    turnId: 't1',
    toolCallId: 'tc',
    approved: true,
    confirmed: 'user-action',
  });
  expect((await old.echo(late)).params.rejectionReason).toMatch(/already answered by Tester new/);
  const asked = await old.until(session, (state) => state.inputRequests?.length === 1);
  const requestId = asked.inputRequests[0].id as string;
  agree();
  await now.echo(
    now.dispatch(defaultChat, {
      type: 'chat/inputAnswerChanged',
      requestId,
      questionId: 'q',
      answer: { state: 'submitted', value: { kind: 'boolean', value: true } },
    }),
  );
  await old.echo(
    old.dispatch({
      type: 'session/pendingMessageSet',
      session,
      kind: 'queued',
      id: 'q1',
      userMessage: { text: 'break' },
    }),
  );
  await now.echo(
    now.dispatch(defaultChat, {
      type: 'chat/pendingMessageSet',
      kind: 'steering',
      id: 's1',
      message: { text: 'hurry', origin: { kind: 'user' } },
    }),
  );
  agree();
  await old.echo(old.dispatch({ type: 'session/inputCompleted', session, requestId, response: 'accept' }));
  const tooLate = now.dispatch(defaultChat, { type: 'chat/inputCompleted', requestId, response: 'cancel' });
  expect((await now.echo(tooLate)).params.rejectionReason).toMatch(/already answered/);
  await old.until(session, (state) => state.turns.length === 2);
  const live = on.host.opened('mixed');
  if (live) await until(live, (state) => state.chats['mixed']?.turns.length === 2);
  agree();
  expect(old.views.get(session).turns.map((turn: Loose) => [turn.userMessage.text, turn.state])).toEqual([
    ['work', 'complete'],
    ['break', 'error'],
  ]);
  await now.echo(now.dispatch(defaultChat, { type: 'chat/truncated', turnId: 't1' }));
  agree();

  for (const [client, resource, fresh] of [
    [old, session, { resource: session }],
    [now, defaultChat, { channel: defaultChat }],
  ] as const) {
    const { snapshot } = (await client.peer.request('subscribe', fresh)) as Loose;
    const seen = client.views.get(resource);
    expect(client === old ? settledV1(seen) : seen).toEqual(
      client === old ? settledV1(snapshot.state) : snapshot.state,
    );
  }
  expect([...old.problems, ...now.problems, ...on.problems]).toEqual([]);
  await on.close();
});
