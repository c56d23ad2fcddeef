// An approval that is open when the host ends is open again in every client, and its answer is used: the call
// runs, and the turn goes on. Questions: src/agents/native/turn/calls/unfinishedCalls.test.ts.
import { methods } from '@agentclientprotocol/sdk';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { acpEditor, ahpClient, ecaClient } from '../kit/clients.ts';
import type { AhpClient } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import { addReference, disposeReference } from '../kit/reference/program.ts';
import type { Loose } from '../kit/wire.ts';

let home: Home;
beforeEach(() => {
  home = newHome();
});
afterEach(() => home.dispose());
afterAll(disposeReference);

/** Of the host that runs now. */
const hostPid = () =>
  (JSON.parse(readFileSync(join(home.env['PARLEY_HOME'] ?? '', 'host.json'), 'utf8')) as { pid: number }).pid;
const written = () => join(home.workspace, 'x.txt');
const write = 'say May I?\ntool write_file {"path":"x.txt","content":"approved"}\nsay It is done.';
const toolOf = (state: Loose) =>
  state.activeTurn?.responseParts.find((part: Loose) => part.kind === 'toolCall')?.toolCall;
const isAsking = (state: Loose) => toolOf(state)?.status === 'pending-confirmation';
const spokenOf = (turn: Loose): string =>
  turn.responseParts.flatMap((part: Loose) => (part.kind === 'markdown' ? [part.content] : [])).join('');

async function prompt(ahp: AhpClient, id: string, text: string): Promise<string> {
  const session = `parley:/${id}`;
  await ahp.request('createSession', { channel: session, workingDirectories: [`file://${home.workspace}`] });
  const { defaultChat: chat } = await ahp.subscribe(session);
  await ahp.subscribe(chat);
  ahp.dispatch(chat, {
    type: 'chat/turnStarted',
    turnId: `${id}#1`,
    startedAt: new Date(0).toISOString(),
    message: { text, origin: { kind: 'user' } },
  });
  return chat;
}

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'an open approval survives %s: every client has it, and the call runs after the answer',
  { timeout: 120_000 },
  async (signal) => {
    rmSync(written(), { force: true });
    const id = `ask-${signal}`;
    const first = await home.serve();
    const before = await ahpClient(first);
    const chat = await prompt(before, id, write);
    const asked = toolOf(await before.until(chat, isAsking));
    await first.kill(signal);

    const host = await home.serve();
    const ahp = await ahpClient(host);
    const state = await ahp.subscribe(chat);
    expect(toolOf(state)).toMatchObject({ toolCallId: asked.toolCallId, status: 'pending-confirmation' });
    expect(state.turns).toEqual([]);
    const eca = await ecaClient(home);
    await eca.request('chat/open', { chatId: id });
    await eca.wait(
      ({ method, params }) => method === 'chat/contentReceived' && params.content.manualApproval === true,
    );
    const editor = await acpEditor(home);
    await editor.agent.request(methods.agent.session.load, {
      sessionId: id,
      cwd: home.workspace,
      mcpServers: [],
    });
    await expect.poll(() => editor.asked).toHaveLength(1);
    expect(existsSync(written())).toBe(false);
    ahp.dispatch(chat, {
      type: 'chat/toolCallConfirmed',
      turnId: `${id}#1`,
      toolCallId: asked.toolCallId,
      approved: true,
      confirmed: 'user-action',
      selectedOptionId: asked.options[0].id,
    });
    const { turns } = await ahp.until(chat, (now) => now.turns.length === 1);
    expect(turns[0]).toMatchObject({ state: 'complete' });
    expect(spokenOf(turns[0])).toMatch(/^May I\?\s+write_file: done\.\s+It is done\.\s*$/);
    expect(readFileSync(written(), 'utf8')).toBe('approved');
    await Promise.all([eca.close(), editor.close(), ahp.close()]);
    await host.kill();
  },
);

test(
  'an editor is not asked twice: the answer to the open permission goes to the next host',
  { timeout: 120_000 },
  async () => {
    rmSync(written(), { force: true });
    const host = await home.serve();
    let answer: (outcome: Loose) => void = () => {};
    const answered = new Promise<Loose>((resolve) => {
      answer = resolve;
    });
    const editor = await acpEditor(home, () => answered);
    const { sessionId } = await editor.agent.request(methods.agent.session.new, {
      cwd: home.workspace,
      mcpServers: [],
    });
    const prompted = editor.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: 'text', text: write }],
    });
    await expect.poll(() => editor.asked).toHaveLength(1);
    await host.killAlone();
    answer({ outcome: { outcome: 'selected', optionId: editor.asked[0].options[0].optionId } });
    expect(await prompted).toMatchObject({ stopReason: 'end_turn' });
    expect(editor.asked).toHaveLength(1);
    expect(readFileSync(written(), 'utf8')).toBe('approved');
    await editor.close();
  },
);

test.each([
  ['a question', 'tool ask_user {"question":"Which?","options":[{"label":"red"}]}\nsay Chosen.'],
  [
    'a call in a subagent',
    `tool spawn_agent ${JSON.stringify({ agent: 'general', task: write })}\nsay Done.`,
  ],
])('the next host does not show again what waits for %s', { timeout: 120_000 }, async (_, message) => {
  rmSync(written(), { force: true });
  const host = await home.serve();
  const answers: ((answer: Loose) => void)[] = [];
  const eca = await ecaClient(home, {
    capabilities: { askQuestion: true },
    answers: (method) =>
      method === 'chat/askQuestion' ? new Promise((resolve) => answers.push(resolve)) : null,
  });
  const approvals = () => eca.said.filter(({ params }) => params?.content?.manualApproval === true);
  await eca.request('chat/prompt', { chatId: 'q', message });
  await vi.waitFor(() => expect(answers.length + approvals().length).toBe(1), { timeout: 100_000 });
  await host.killAlone();
  answers[0]?.({ answer: 'red', cancelled: false });
  for (const { params } of approvals())
    eca.notify('chat/toolCallApprove', { chatId: params.chatId, toolCallId: params.content.id });
  await eca.wait(({ params }) => params?.chatId === 'q' && params.content?.state === 'finished');
  const told = eca.said.flatMap(({ params }) =>
    String(params?.content?.type).startsWith('toolCall') ? [JSON.stringify(params)] : [],
  );
  expect(told.length).toBeGreaterThan(2);
  expect(told).toEqual([...new Set(told)]);
  await eca.close();
});

test(
  'an answer in the moment in which the host is stopped: the next host is started and gets it',
  { timeout: 120_000 },
  async () => {
    const host = await home.serve();
    let answer: (outcome: Loose) => void = () => {};
    const answered = new Promise<Loose>((resolve) => {
      answer = resolve;
    });
    const editor = await acpEditor(home, () => answered);
    const { sessionId } = await editor.agent.request(methods.agent.session.new, {
      cwd: home.workspace,
      mcpServers: [],
    });
    const prompted = editor.agent
      .request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text: write }] })
      .then(
        ({ stopReason }) => stopReason,
        (error: Loose) => error.data.code,
      );
    await expect.poll(() => editor.asked).toHaveLength(1);
    process.kill(host.pid, 'SIGSTOP');
    process.kill(host.pid, 'SIGTERM');
    answer({ outcome: { outcome: 'selected', optionId: editor.asked[0].options[0].optionId } });
    // The pipe has written the answer to the host, which will not read it any more.
    await new Promise((resolve) => setTimeout(resolve, 500));
    process.kill(host.pid, 'SIGCONT');
    expect(['end_turn', 'interrupted']).toContain(await prompted);
    expect(editor.asked).toHaveLength(1);
    await editor.close();
  },
);

test('an external agent that dies with its host goes on with the answer', { timeout: 120_000 }, async () => {
  const memory = join(home.workspace, '..', 'reference');
  await addReference(home, { directory: memory, can: ['resume'] });
  const host = await home.serve();
  let answer: (outcome: Loose) => void = () => {};
  const answered = new Promise<Loose>((resolve) => {
    answer = resolve;
  });
  const editor = await acpEditor(home, () => answered);
  const { sessionId } = await editor.agent.request(methods.agent.session.new, {
    cwd: home.workspace,
    mcpServers: [],
  });
  await editor.agent.request(methods.agent.session.setConfigOption, {
    sessionId,
    configId: 'agent',
    value: 'ref',
  });
  const prompted = editor.agent.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [{ type: 'text', text: 'shell touch x.txt' }],
  });
  await expect.poll(() => editor.asked).toHaveLength(1);
  await host.killAlone();
  answer({ outcome: { outcome: 'selected', optionId: editor.asked[0].options[0].optionId } });
  expect(await prompted).toMatchObject({ stopReason: 'end_turn' });
  expect(editor.asked).toHaveLength(1);
  expect(existsSync(written())).toBe(true);
  await editor.close();
});

test(
  'a sign-in in a chat goes on with the next host: what was answered meanwhile counts',
  { timeout: 120_000 },
  async () => {
    const host = await home.serve();
    const questions: Loose[] = [];
    const answers: ((answer: Loose) => void)[] = [];
    const eca = await ecaClient(home, {
      capabilities: { askQuestion: true },
      answers: (method, params) => {
        if (method !== 'chat/askQuestion') return null;
        questions.push(params);
        return new Promise((resolve) => answers.push(resolve));
      },
    });
    const asked = async (count: number) => {
      await vi.waitFor(() => expect(answers).toHaveLength(count), { timeout: 100_000 });
      return answers[count - 1] ?? (() => {});
    };
    const statuses = () =>
      eca.said.flatMap(({ method, params }) => (method === 'chat/statusChanged' ? [params.status] : []));
    expect(await eca.request('chat/prompt', { chatId: 'l', message: '/login' })).toMatchObject({
      status: 'prompting',
    });
    const chooseProvider = await asked(1);
    await host.killAlone();
    chooseProvider({ answer: 'anthropic', cancelled: false });
    const chooseMethod = await asked(2);
    expect(questions.map(({ question }) => question)).toEqual([
      'Which provider?',
      'How do you want to sign in?',
    ]);
    chooseMethod({ answer: 'manual', cancelled: false });
    await eca.wait(
      ({ method, params }) =>
        method === 'chat/contentReceived' && String(params.content.text).includes('Enter API Key'),
    );
    const second = hostPid();
    process.kill(second, 'SIGKILL');
    await vi.waitFor(() => expect(hostPid()).not.toBe(second), { timeout: 100_000 });
    expect(await eca.request('chat/prompt', { chatId: 'l', message: 'sk-of-the-test' })).toEqual({
      chatId: 'l',
      status: 'idle',
    });
    expect(statuses().at(-1)).toBe('idle');
    expect(JSON.stringify(eca.said)).toContain('Signed in to anthropic.');
    expect(JSON.stringify(eca.said)).not.toContain('sk-of-the-test');
    expect(answers).toHaveLength(2);
    await eca.close();
  },
);

test('a permission mode that is chosen while there is no host is set by the next one', async () => {
  const host = await home.serve();
  let choose = (_: Loose) => {};
  const asked = new Promise<Loose>((resolve) => {
    choose = resolve;
  });
  const questions: Loose[] = [];
  const eca = await ecaClient(home, {
    capabilities: { askQuestion: true },
    answers: (method, params) => (method === 'chat/askQuestion' ? (questions.push(params), asked) : null),
  });
  await eca.request('chat/prompt', { chatId: 'm', message: '/permissions' });
  await vi.waitFor(() => expect(questions).toHaveLength(1), { timeout: 100_000 });
  await host.killAlone();
  choose({ answer: 'Plan', cancelled: false });
  const said = ({ method, params }: Loose) =>
    method === 'chat/contentReceived' && String(params.content.text).includes('The permission mode is plan');
  await eca.wait(said);
  expect(questions).toHaveLength(1);
  await eca.close();
});
