// A client of version 1, one of 1.0 and the console in a real browser on one session of the real program:
// all see the same turns.
import { afterEach, expect, test } from 'vitest';
import { turnsIn, waitingIn } from '../kit/ahpAgree.ts';
import { v1At } from '../kit/ahpSocket.ts';
import { ahpClient } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import type { Loose } from '../kit/wire.ts';
import { useBrowser } from './console/browser.ts';
import { field } from './console/rig.ts';

let home: Home | undefined;

afterEach(() => home?.dispose());

const browsing = useBrowser();

test('three generations of clients follow one session with tools, questions, a queue and steering, and agree', async () => {
  home = newHome();
  const host = await home.serve();
  const [old, now] = [await v1At(host, { id: 'old' }), await ahpClient(host)];
  const {
    snapshots: [{ state: root }],
  } = await old.request('initialize', {
    protocolVersion: 1,
    clientId: 'old',
    initialSubscriptions: ['agenthost:/root'],
  });
  const session = `${root.agents[0].provider}:/three`;
  await old.request('createSession', { session, workingDirectory: `file://${home.workspace}` });
  await old.subscribe(session);
  const { defaultChat } = await now.subscribe(session);
  await now.subscribe(defaultChat);
  old.dispatch({
    type: 'session/turnStarted',
    session,
    turnId: 't1',
    userMessage: {
      text: 'say First.\ntool shell_command {"command":"echo one"}\ntool ask_user {"question":"Go on?","kind":"boolean"}',
    },
  });
  await now.until(defaultChat, (state) =>
    state.activeTurn?.responseParts.some((part: Loose) => part.toolCall?.status === 'pending-confirmation'),
  );

  const { page, complaints } = await browsing.open(
    `http://127.0.0.1:${host.port}/?tkn=${host.token}#/session/${encodeURIComponent(session)}`,
  );
  await page.locator('.prose', { hasText: 'First.' }).first().waitFor();
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
  await page.getByText('say Queued.').first().waitFor();
  await page.getByText('say Steered.').first().waitFor();
  await old.until(session, (state) => state.steeringMessage && state.queuedMessages);
  await now.until(defaultChat, (state) => state.steeringMessage && state.queuedMessages);
  expect(waitingIn(old.views.get(session))).toEqual(waitingIn(now.states.get(defaultChat)));
  await page.getByRole('button', { name: 'Allow once' }).click();
  const asked = await old.until(session, (state) => state.inputRequests?.length === 1);
  await page.getByText('Go on?').first().waitFor();
  const [
    {
      id: requestId,
      questions: [{ id: question }],
    },
  ] = asked.inputRequests;
  await now.until(defaultChat, (state) => state.status === 24);
  expect(turnsIn(old.views.get(session))).toEqual(turnsIn(now.states.get(defaultChat)));
  old.dispatch({
    type: 'session/inputCompleted',
    session,
    requestId,
    response: 'accept',
    answers: { [question]: { state: 'submitted', value: { kind: 'boolean', value: true } } },
  });

  const over = (turns: number) => (state: Loose) =>
    state.turns.length >= turns && state.activeTurn === undefined;
  const agree = async (turns: number) => {
    const [mine, theirs] = [await old.until(session, over(turns)), await now.until(defaultChat, over(turns))];
    expect(turnsIn(mine)).toEqual(turnsIn(theirs));
    expect(waitingIn(mine)).toEqual(waitingIn(theirs));
  };
  await agree(2);
  await page.locator('.prose', { hasText: 'Queued.' }).first().waitFor();
  await field(page).fill('say From the page.');
  await page.keyboard.press('Enter');
  await page.locator('.prose', { hasText: 'From the page.' }).first().waitFor();
  await agree(3);
  expect(
    old.views.get(session).turns.map((turn: Loose) => [turn.userMessage.text.split('\n')[0], turn.state]),
  ).toEqual([
    ['say First.', 'complete'],
    ['say Queued.', 'complete'],
    ['say From the page.', 'complete'],
  ]);
  expect([...old.problems, ...complaints]).toEqual([]);
  await old.close();
});
