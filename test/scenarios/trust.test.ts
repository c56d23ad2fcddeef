// A folder that brings a program: the user is asked once, in whichever client is there, before it may run.
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acpProcess } from '../kit/acpClient.ts';
import { ahpClient, ecaClient } from '../kit/clients.ts';
import type { AhpClient } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Home, Served } from '../kit/parley.ts';
import type { Loose, Wire } from '../kit/wire.ts';

let home: Home;
let host: Served;

beforeAll(async () => {
  home = newHome();
  host = await home.serve();
});
afterAll(() => home.dispose());

/** A folder whose settings run a script before each message, and again after each tool call. */
function hostile(path: string): string {
  mkdirSync(join(path, '.parley'), { recursive: true });
  const hook = (on: string) => ({ on, command: './hook.sh' });
  const hooks = { before: hook('preRequest'), after: hook('postToolCall') };
  writeFileSync(join(path, '.parley', 'config.jsonc'), JSON.stringify({ hooks }));
  writeFileSync(join(path, 'hook.sh'), '#!/bin/sh\ntouch ran\n', { mode: 0o755 });
  return realpathSync(path);
}

const finished = (eca: Wire, from = 0) =>
  eca.wait(
    ({ method, params }) =>
      method === 'chat/contentReceived' &&
      params.content.type === 'progress' &&
      params.content.state === 'finished',
    from,
  );
const ran = (folder: string) => existsSync(join(folder, 'ran'));
const decisions = async () => (await home.run('trust', '--list').done).out;

test('parley run goes on untrusted and says so', async () => {
  const folder = hostile(home.dir);
  const { code, out, err } = await home.run('run', 'say Hello.').done;
  expect([code, out.trim(), ran(folder)]).toEqual([0, 'Hello.', false]);
  expect(err).toContain('is not trusted, so it has no effect on hooks');
});

test('an ECA client asks; trust takes effect with this message and is listed', async () => {
  const folder = hostile(home.workspace);
  const questions: Loose[] = [];
  const eca = await ecaClient(home, {
    capabilities: { askQuestion: true },
    answers: (method, params) => {
      questions.push({ method, params });
      return { answer: 'Trust', cancelled: false };
    },
  });
  await eca.request('chat/prompt', { chatId: 'c', message: 'say Hello.' });
  await finished(eca);
  expect(questions).toMatchObject([
    {
      method: 'chat/askQuestion',
      params: {
        question: expect.stringContaining('hooks.before.command = "./hook.sh"'),
        options: [{ label: 'Trust' }, { label: 'This time' }, { label: 'Never' }],
      },
    },
  ]);
  expect(ran(folder)).toBe(true);
  expect(await decisions()).toContain(`trusted  ${folder}\n`);
  await eca.close();
});

test('an ECA client whose user dismisses the question is neither asked nor told again', async () => {
  const folder = hostile(join(home.dir, 'dismissed'));
  let questions = 0;
  const open = () =>
    ecaClient(
      { ...home, workspace: folder },
      {
        capabilities: { askQuestion: true },
        answers: () => {
          questions += 1;
          return { answer: null, cancelled: true };
        },
      },
    );
  const counts: unknown[] = [];
  for (const chatId of ['first', 'second']) {
    const eca = await open();
    await eca.request('chat/prompt', { chatId, message: 'say Hello.' });
    await finished(eca);
    counts.push([questions, JSON.stringify(eca.said).includes('is not trusted')]);
    await eca.close();
  }
  expect(counts).toEqual([
    [1, true],
    [1, false],
  ]);
  expect(ran(folder)).toBe(false);
  expect(await decisions()).toContain(`not now  ${folder}\n`);
});

test('an ECA client that cannot ask goes on untrusted, says so once, and trusts by command', async () => {
  const folder = hostile(join(home.dir, 'plain'));
  const eca = await ecaClient({ ...home, workspace: folder });
  const said: Loose[] = [];
  const send = async (chatId: string, message: string) => {
    const from = eca.said.length;
    await eca.request('chat/prompt', { chatId, message });
    await finished(eca, from);
    said.push(...eca.said.slice(from));
    return JSON.stringify(eca.said.slice(from));
  };
  await eca.wait(
    ({ method, params }) =>
      method === '$/showMessage' && params.message.includes('is not trusted, so it has no effect on hooks'),
  );
  for (const chat of ['p', 'q']) await send(chat, 'say Hello.');
  expect(JSON.stringify(said)).not.toContain('is not trusted');
  expect(await send('p', '/trust')).toContain('./hook.sh');
  expect(ran(folder)).toBe(false);
  expect(await send('p', '/trust yes')).toContain('trusted as shown');
  await send('p', 'say Hello.');
  expect(ran(folder)).toBe(true);
  await eca.close();
});

test('a folder that only sets variables is shown and trusted by the command as by parley trust', async () => {
  const folder = join(home.dir, 'variables');
  mkdirSync(folder);
  writeFileSync(join(folder, '.envrc'), 'export A=1\n');
  const eca = await ecaClient({ ...home, workspace: folder });
  const send = async (message: string) => {
    const from = eca.said.length;
    await eca.request('chat/prompt', { chatId: 'v', message });
    await finished(eca, from);
    return JSON.stringify(eca.said.slice(from));
  };
  expect(await send('say Hello.')).not.toContain('trust');
  const line = 'variables for external agents: .envrc';
  expect(await send('/trust')).toContain(line);
  const shown = await home.run('trust', folder).done;
  expect([shown.code, shown.out]).toEqual([1, expect.stringContaining(`  ${line}\n`)]);
  expect(await send('/trust yes')).toContain('trusted as shown');
  expect(await decisions()).toContain(`trusted  ${realpathSync(folder)}\n`);
  expect(await send('/trust')).toContain('There is nothing to decide');
  await eca.close();
});

test('an ACP client asks with options; never is remembered and listed', async () => {
  const folder = hostile(join(home.dir, 'acp'));
  const client = acpProcess(home);
  await client.initialize();
  const asked: Loose[] = [];
  client.permission = (params) => {
    asked.push(params);
    const never = params.options.find(({ name }) => name === 'Never');
    return Promise.resolve({ outcome: { outcome: 'selected', optionId: never?.optionId ?? '' } });
  };
  for (const count of [1, 2]) {
    const session = await client.newSession({ cwd: folder });
    expect(await client.prompt(session, 'say Hello.')).toMatchObject({ stopReason: 'end_turn' });
    expect([count, asked.length, ran(folder)]).toEqual([count, 1, false]);
  }
  expect(asked[0]).toMatchObject({
    toolCall: {
      title: 'Do you trust this folder?',
      content: [{ content: { text: expect.stringContaining('hooks.before.command = "./hook.sh"') } }],
    },
  });
  expect(await decisions()).toContain(`never    ${folder}\n`);
  await client.close();
});

/** Starts a turn in a new session of a folder; resolves with its question, or without one at the end. */
async function askedInAhp(ahp: AhpClient, id: string, folder: string): Promise<Loose> {
  const session = `${ahp.states.get('ahp-root://')?.['agents'][0].provider}:/${id}`;
  await ahp.request('createSession', { channel: session, workingDirectories: [`file://${folder}`] });
  const { defaultChat: chat } = await ahp.subscribe(session);
  await ahp.subscribe(chat);
  ahp.dispatch(chat, {
    type: 'chat/turnStarted',
    turnId: id,
    startedAt: new Date(0).toISOString(),
    message: { text: 'say Hello.', origin: { kind: 'user' } },
  });
  const requestIn = ({ activeTurn }: Loose) =>
    activeTurn?.responseParts.find(({ kind }: Loose) => kind === 'inputRequest')?.request;
  const state = await ahp.until(chat, (now) => requestIn(now) ?? now.turns.length > 0);
  return { chat, request: requestIn(state) };
}

test('an AHP client whose user closes the question is not asked again', async () => {
  const folder = hostile(join(home.dir, 'closed'));
  const ahp = await ahpClient(host);
  const { chat, request } = await askedInAhp(ahp, 'closing', folder);
  ahp.dispatch(chat, { type: 'chat/inputCompleted', requestId: request.id, response: 'cancel' });
  await ahp.until(chat, ({ turns }) => turns.length > 0);
  expect(await askedInAhp(ahp, 'closed', folder)).toMatchObject({ request: undefined });
  expect(ran(folder)).toBe(false);
  expect(await decisions()).toContain(`not now  ${folder}\n`);
  await ahp.close();
});

test('an ACP client whose user closes the form is not asked again', async () => {
  const folder = hostile(join(home.dir, 'closedForm'));
  const client = acpProcess(home);
  const asked: Loose[] = [];
  client.answer = (method, params) => {
    asked.push([method, params]);
    return Promise.resolve({ action: 'cancel' });
  };
  await client.initialize({ clientCapabilities: { elicitation: { form: {} } } });
  for (const count of [1, 2]) {
    const session = await client.newSession({ cwd: folder });
    expect(await client.prompt(session, 'say Hello.')).toMatchObject({ stopReason: 'end_turn' });
    expect([count, asked.length, ran(folder)]).toEqual([count, 1, false]);
  }
  await client.close();
});

test('an AHP client trusts this time; a script that changes during the turn does not run and is asked about', async () => {
  const folder = hostile(join(home.dir, 'ahp'));
  const ahp = await ahpClient(host);
  const session = `${ahp.states.get('ahp-root://')?.['agents'][0].provider}:/trusting`;
  await ahp.request('createSession', { channel: session, workingDirectories: [`file://${folder}`] });
  const { defaultChat } = await ahp.subscribe(session);
  await ahp.subscribe(defaultChat);
  const rewrite = "printf '#!/bin/sh\\ntouch evil\\n' > hook.sh";
  ahp.dispatch(defaultChat, {
    type: 'chat/turnStarted',
    turnId: 't1',
    startedAt: new Date(0).toISOString(),
    message: {
      text: `tool shell_command ${JSON.stringify({ command: rewrite })}`,
      origin: { kind: 'user' },
    },
  });
  const requestIn = (state: Loose, except?: string) =>
    (state.activeTurn?.responseParts ?? state.turns.at(-1)?.responseParts ?? []).find(
      ({ kind, request }: Loose) => kind === 'inputRequest' && request.id !== except,
    )?.request;
  const first = requestIn(await ahp.until(defaultChat, (state) => requestIn(state)));
  expect([first.message, ran(folder)]).toEqual([expect.stringContaining('need your trust'), false]);
  expect(first).toMatchObject({ _meta: { about: 'trust', needs: 'control' } });
  ahp.dispatch(defaultChat, {
    type: 'chat/inputCompleted',
    requestId: first.id,
    response: 'accept',
    answers: { decision: { state: 'submitted', value: { kind: 'selected', value: 'once' } } },
  });
  const call = ({ activeTurn }: Loose) =>
    activeTurn?.responseParts.find(({ toolCall }: Loose) => toolCall?.status === 'pending-confirmation')
      ?.toolCall;
  const { toolCallId } = call(await ahp.until(defaultChat, call));
  expect(ran(folder)).toBe(true);
  ahp.dispatch(defaultChat, {
    type: 'chat/toolCallConfirmed',
    turnId: 't1',
    toolCallId,
    approved: true,
    confirmed: 'user-action',
  });
  const again = requestIn(await ahp.until(defaultChat, (state) => requestIn(state, first.id)), first.id);
  expect(again.message).toContain('has changed since you trusted it');
  await ahp.until(defaultChat, ({ activeTurn }) => activeTurn === undefined);
  expect(existsSync(join(folder, 'evil'))).toBe(false);
  expect(await decisions()).not.toContain(folder);
  await ahp.close();
});
