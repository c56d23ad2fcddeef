// The founding scenario: one session, started over ECA, approved over AHP, gone on with over ACP,
// all at the same time.
import { methods } from '@agentclientprotocol/sdk';
import { expect } from 'vitest';
import { acpEditor, ahpClient, ecaClient } from './clients.ts';
import type { Home } from './parley.ts';
import type { Loose, ReceivedNotification } from './wire.ts';

/** Plays it on the real program of a home, wherever that is installed. */
export async function foundingScenario(home: Home): Promise<void> {
  const host = await home.serve();

  const eca = await ecaClient(home);
  const ahp = await ahpClient(host);
  const prompted = await eca.request('chat/prompt', {
    chatId: 'founding',
    message:
      'say Let me look.\ntool shell_command {"command":"echo over > made.txt; echo hello from the shell"}',
  });
  expect(prompted).toMatchObject({ chatId: 'founding', status: 'prompting' });

  const added = await ahp.wait(({ method }) => method === 'root/sessionAdded');
  const session = added.params.summary.resource as string;
  const { defaultChat } = await ahp.subscribe(session);
  await ahp.subscribe(defaultChat);
  const asking = await ahp.until(defaultChat, (state) =>
    state.activeTurn?.responseParts.some((part: Loose) => part.toolCall?.status === 'pending-confirmation'),
  );
  const part = asking.activeTurn.responseParts.find((one: Loose) => one.kind === 'toolCall');
  const run = await eca.wait(isContent('toolCallRun'));
  expect(content(run)).toMatchObject({ name: 'shell_command', manualApproval: true });
  const toolCallId = content(run).id as string;

  const seq = ahp.dispatch(defaultChat, {
    type: 'chat/toolCallConfirmed',
    turnId: asking.activeTurn.id,
    toolCallId: part.toolCall.toolCallId,
    approved: true,
    confirmed: 'user-action',
    selectedOptionId: part.toolCall.options.find((option: Loose) => option.kind === 'approve').id,
  });
  const echo = await ahp.wait(
    ({ method, params }) => method === 'action' && params.origin?.clientSeq === seq,
  );
  expect(echo.params.rejectionReason).toBeUndefined();
  await eca.wait(isContent('toolCallRunning', { id: toolCallId }));
  const called = await eca.wait(isContent('toolCalled', { id: toolCallId }));
  expect(JSON.stringify(content(called).outputs)).toContain('hello from the shell');
  await eca.wait(finished);

  const heard = eca.said.length;
  eca.notify('chat/toolCallApprove', { chatId: 'founding', toolCallId });
  const late = await eca.wait(({ method }) => method === '$/showMessage', heard);
  expect(late.params.message).toMatch(/already/i);
  const late2 = ahp.dispatch(defaultChat, {
    type: 'chat/toolCallConfirmed',
    turnId: asking.activeTurn.id,
    toolCallId: part.toolCall.toolCallId,
    approved: false,
    reason: 'denied',
  });
  const refused = await ahp.wait(
    ({ method, params }) => method === 'action' && params.origin?.clientSeq === late2,
  );
  expect(refused.params.rejectionReason).toMatch(/.+/);

  const acp = await acpEditor(home);
  const { sessions } = await acp.agent.request(methods.agent.session.list, {});
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual(['founding']);
  await acp.agent.request(methods.agent.session.load, {
    sessionId: 'founding',
    cwd: home.workspace,
    mcpServers: [],
  });
  const replay = JSON.stringify(acp.updates);
  for (const words of [
    'Let me look.',
    'echo hello from the shell',
    'hello from the shell',
    'shell_command: done.',
  ])
    expect(replay).toContain(words);

  const [beforeEca, beforeAcp] = [eca.said.length, acp.updates.length];
  const answer = await acp.agent.request(methods.agent.session.prompt, {
    sessionId: 'founding',
    prompt: [{ type: 'text', text: 'say Hello to all three of you.' }],
  });
  expect(answer.stopReason).toBe('end_turn');
  const spoken = acp.updates
    .slice(beforeAcp)
    .flatMap(({ update }: Loose) =>
      update.sessionUpdate === 'agent_message_chunk' ? [update.content.text] : [],
    )
    .join('');
  expect(spoken).toContain('Hello to all three of you.');
  await eca.wait(finished, beforeEca);
  const toEca = eca.said.slice(beforeEca);
  expect(
    toEca
      .flatMap((said) =>
        content(said).type === 'text' && said.params.role === 'assistant' ? [content(said).text] : [],
      )
      .join(''),
  ).toContain('Hello to all three of you.');
  expect(
    toEca.some((said) => said.params?.role === 'user' && content(said).text?.includes('say Hello')),
  ).toBe(true);
  const after = await ahp.until(defaultChat, (state) => state.turns.length === 2);
  expect(JSON.stringify(after.turns[1].responseParts)).toContain('Hello to all three of you.');

  const fresh = await ahpClient(host);
  expect(await fresh.subscribe(defaultChat)).toEqual(ahp.states.get(defaultChat));
  expect(acp.problems).toEqual([]);
  await Promise.all([acp.close(), eca.close(), ahp.close(), fresh.close()]);
}

const content = ({ method, params }: ReceivedNotification): Loose =>
  method === 'chat/contentReceived' ? params.content : {};
const isContent =
  (type: string, more: object = {}) =>
  (said: ReceivedNotification) => {
    const given = content(said);
    return given.type === type && Object.entries(more).every(([key, value]) => given[key] === value);
  };
const finished = isContent('progress', { state: 'finished' });
