// An external agent as clients of each protocol see it, through the real program: signing in, its
// terminals, its settings.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { afterAll, afterEach, expect, test } from 'vitest';
import { acpEditor, ahpClient, ecaClient } from '../kit/clients.ts';
import type { AhpClient } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Home, Served } from '../kit/parley.ts';
import { addReference, disposeReference, referenceBundle } from '../kit/reference/program.ts';
import type { Switches } from '../kit/reference/switches.ts';
import type { Loose, ReceivedNotification } from '../kit/wire.ts';
import { eventually } from '../kit/patience.ts';

let home: Home;

afterAll(disposeReference);
afterEach(() => home.dispose());

async function hostWith(switches: Switches): Promise<Served> {
  home = newHome();
  await addReference(home, { directory: join(home.dir, 'reference'), ...switches });
  return home.serve();
}

async function begin(ahp: AhpClient): Promise<string> {
  await ahp.request('createSession', {
    channel: 'ref:/s',
    provider: 'ref',
    workingDirectories: [`file://${home.workspace}`],
  });
  const { defaultChat } = await ahp.subscribe('ref:/s');
  await ahp.subscribe(defaultChat);
  return defaultChat;
}

function say(ahp: AhpClient, chat: string, text: string): void {
  ahp.dispatch(chat, {
    type: 'chat/turnStarted',
    turnId: `t-${text}`,
    startedAt: new Date(0).toISOString(),
    message: { text, origin: { kind: 'user' } },
  });
}

const terminalsIn = (turn: Loose): Loose[] =>
  (turn?.responseParts ?? [])
    .flatMap(({ toolCall }: Loose) => toolCall?.content ?? [])
    .filter(({ type }: Loose) => type === 'terminal');

test('somebody signs in in a terminal that the console shows, while editors of other protocols read along', async () => {
  const ahp = await ahpClient(
    await hostWith({
      start: 'login',
      authMethods: [{ type: 'terminal', id: 'term', name: 'In a terminal', args: ['login', 'us'] }],
    }),
  );
  const chat = await begin(ahp);
  say(ahp, chat, 'say Hello');
  const {
    inputNeeded: [needed],
  } = await ahp.until('ref:/s', ({ inputNeeded }) => inputNeeded?.length === 1);
  const editor = await acpEditor(home);
  const { sessions } = await editor.agent.request(methods.agent.session.list, {});
  await editor.agent.request(methods.agent.session.load, {
    sessionId: sessions[0]?.sessionId ?? '',
    cwd: home.workspace,
    mcpServers: [],
  });
  ahp.dispatch(chat, {
    type: 'chat/inputCompleted',
    requestId: needed.request.id,
    response: 'accept',
    answers: { method: { state: 'submitted', value: { kind: 'selected', value: 'term' } } },
  });
  const { activeTurn } = await ahp.until(chat, (now) => terminalsIn(now.activeTurn).length === 1);
  const [{ resource }] = terminalsIn(activeTurn);
  expect((await ahp.subscribe(resource)).title).toBe('Sign in to The reference: In a terminal');
  expect(
    (await ahp.until('ahp-root://', ({ terminals }) => terminals?.length === 1)).terminals[0],
  ).toMatchObject({ resource });
  await ahp.until(resource, (state) => JSON.stringify(state.content).includes('Your word: '));
  ahp.dispatch(resource, { type: 'terminal/input', data: 'sesame\r' });
  const {
    turns: [turn],
  } = await ahp.until(chat, ({ turns }) => turns.length === 1);
  expect(turn).toMatchObject({ state: 'complete' });
  expect(JSON.stringify(turn.responseParts)).toContain('Hello');
  expect(JSON.stringify(editor.updates)).toContain('Welcome to us on a terminal.');
  expect(editor.problems).toEqual([]);
  await editor.close();
  await ahp.close();
});

test('an agent that does not stop is said to be waited for in the console and in editors', async () => {
  const ahp = await ahpClient(await hostWith({ quirks: ['ignores-cancel'] }));
  const waits = 'Waiting up to 10 seconds for The reference to stop; then it is ended.';
  const chat = await begin(ahp);
  say(ahp, chat, 'say begun\nhang');
  await ahp.until(chat, ({ activeTurn }) => JSON.stringify(activeTurn ?? '').includes('begun'));
  const editor = await acpEditor(home);
  const { sessions } = await editor.agent.request(methods.agent.session.list, {});
  const [{ sessionId } = { sessionId: '' }] = sessions;
  const where = { sessionId, cwd: home.workspace, mcpServers: [] };
  await editor.agent.request(methods.agent.session.load, where);
  const eca = await ecaClient(home);
  await eca.request('chat/open', { chatId: sessionId });
  await editor.agent.notify(methods.agent.session.cancel, { sessionId });
  const { turns, activeTurn } = await ahp.until(chat, ({ activity }) => activity === waits);
  expect([turns.map(({ state }: Loose) => state), activeTurn]).toEqual([['cancelled'], undefined]);
  expect((await ahp.until('ref:/s', ({ activity }) => activity === waits)).status % 32).toBe(1);
  const progress = (state: string) => (said: ReceivedNotification) =>
    said.params?.content?.type === 'progress' && said.params.content.state === state;
  await eca.wait((said) => progress('running')(said) && said.params.content.text === waits);
  const from = eca.said.length;
  await eventually(() => JSON.stringify(editor.updates).includes(waits), 'the words in the editor');
  const late = await acpEditor(home);
  await late.agent.request(methods.agent.session.load, where);
  await eventually(() => JSON.stringify(late.updates).includes(waits), 'the words in an editor that comes');
  await ahp.until(chat, ({ activity }) => activity === undefined);
  await eca.wait(progress('finished'), from);
  await Promise.all([editor.close(), late.close(), eca.close(), ahp.close()]);
});

test('a terminal that an agent creates is live for everybody', async () => {
  const ahp = await ahpClient(await hostWith({}));
  const chat = await begin(ahp);
  say(ahp, chat, 'call terminal/create {"command":"cat","args":["-u"]}\nhang');
  const { activeTurn: asking } = await ahp.until(chat, ({ activeTurn }) =>
    JSON.stringify(activeTurn ?? '').includes('pending-confirmation'),
  );
  const { toolCallId } = asking.responseParts.find(({ toolCall }: Loose) => toolCall).toolCall;
  ahp.dispatch(chat, {
    type: 'chat/toolCallConfirmed',
    turnId: asking.id,
    toolCallId,
    approved: true,
    confirmed: 'user-action',
  });
  const { activeTurn } = await ahp.until(chat, (now) => terminalsIn(now.activeTurn).length === 1);
  const [{ resource }] = terminalsIn(activeTurn);
  await ahp.subscribe(resource);
  ahp.dispatch(resource, { type: 'terminal/input', data: 'from the console\r' });
  await ahp.until(resource, (state) => JSON.stringify(state.content).split('from the console').length > 2);
  ahp.dispatch(chat, { type: 'chat/turnCancelled', turnId: activeTurn.id, duration: 0 });
  expect((await ahp.until(resource, ({ lifecycle }) => lifecycle.status === 'exited')).title).toBe('cat -u');
  await ahp.close();
});

test('what an agent did to a file, of which it told only a part, is taken back from the console, and not over what somebody wrote since', async () => {
  const ahp = await ahpClient(await hostWith({}));
  const chat = await begin(ahp);
  const path = join(home.workspace, 'a.txt');
  writeFileSync(path, 'one\ntwo\n');
  const edit = [
    `put ${path} "one\\n2\\n"`,
    `update ${JSON.stringify({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Edit', kind: 'edit', status: 'completed', content: [{ type: 'diff', path, oldText: 'two', newText: '2' }] })}`,
  ].join('\n');
  say(ahp, chat, edit);
  await ahp.until(chat, ({ turns }) => turns.length === 1);
  const {
    changesets: [{ uriTemplate }],
  } = await ahp.until('ref:/s', ({ changesets }) => changesets?.length > 0);
  const undo = () =>
    ahp.request('invokeChangesetOperation', {
      channel: uriTemplate.replace(/\/\{.*$/, ''),
      operationId: 'undo',
    });
  writeFileSync(path, 'one\n2\nthree\n');
  await expect(undo()).rejects.toThrow('The file was edited since and was skipped.');
  writeFileSync(path, 'one\n2\n');
  expect(await undo()).toEqual({});
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  await ahp.close();
});

test('what an agent offers is known in every door before anybody has spoken to it, and after a restart at once', async () => {
  const offering: Switches = { offers: ['options'], quirks: ['speaks-early'], can: ['delete'] };
  const host = await hostWith(offering);
  const ahp = await ahpClient(host);
  await begin(ahp);
  const offered = (state: Loose) =>
    state.agents.find(({ provider }: Loose) => provider === 'ref')?.models.map(({ id }: Loose) => id);
  expect(offered(await ahp.until('ahp-root://', (state) => offered(state).length > 0))).toEqual([
    'large',
    'small',
  ]);
  const { schema } = await ahp.request('resolveSessionConfig', {
    channel: 'ref:/x',
    provider: 'ref',
    workingDirectories: [],
  });
  expect([Object.keys(schema.properties), schema.properties.mode.enum]).toEqual([
    expect.arrayContaining(['mode', 'effort', 'fast']),
    ['ask', 'plan'],
  ]);
  await ahp.close();
  await host.kill('SIGKILL');
  const again = await ahpClient(await home.serve());
  expect(offered(again.states.get('ahp-root://'))).toEqual(['large', 'small']);

  const editor = await acpEditor(home, undefined, ['--agent', 'ref']);
  const { configOptions, modes, sessionId } = await editor.agent.request(methods.agent.session.new, {
    cwd: home.workspace,
    mcpServers: [],
  });
  expect(configOptions?.map(({ id }) => id)).toEqual([
    'mode',
    'permissions',
    'model',
    'agent',
    'effort',
    'fast',
  ]);
  expect(modes?.availableModes.map(({ id }) => id)).toEqual(['ask', 'plan']);
  await eventually(
    () => editor.updates.some(({ update }) => update.sessionUpdate === 'available_commands_update'),
    'the commands of the agent',
  );
  await editor.agent.request(methods.agent.session.setConfigOption, {
    sessionId,
    configId: 'effort',
    value: 'high',
  });
  await editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: 'plan' });
  await editor.agent.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [{ type: 'text', text: 'settings' }],
  });
  expect(
    editor.updates
      .flatMap(({ update }) =>
        update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
          ? [update.content.text]
          : [],
      )
      .join(''),
  ).toContain('"effort":"high"');

  const eca = await ecaClient(home);
  const { params } = await eca.wait(
    ({ method, params: told }) => method === 'config/updated' && told.chat?.agents?.includes('ref/plan'),
  );
  expect(params.chat.models).toEqual(expect.arrayContaining(['large', 'small']));
  await eca.request('chat/prompt', {
    chatId: 'c',
    message: '/tidy all of it',
    agent: 'ref/plan',
    model: 'small',
  });
  await eca.wait(({ params: told }) => JSON.stringify(told ?? '').includes('You said: /tidy all of it'));
  const { commands } = await eca.request('chat/queryCommands', { chatId: 'c', query: 'Tidies up.' });
  expect(commands).toEqual([
    { name: 'tidy', description: 'Tidies up.', type: 'native', arguments: [{ name: 'where' }] },
  ]);
  const all = (await eca.request('chat/queryCommands', { chatId: 'c', query: '' })).commands as Loose[];
  const names = all.map(({ name }) => name as string);
  expect(names).toEqual(expect.arrayContaining(['help', 'undo', 'redo', 'permissions', 'trust']));
  expect(names).toHaveLength(new Set(names).size);
  expect(all.filter(({ description }) => !description)).toEqual([]);
  await eca.close();
  await editor.close();
  await again.close();
});

test('the servers of tools in the settings are given to the agent, with programs found and secrets put in', async () => {
  home = newHome();
  mkdirSync(join(home.dir, 'home'), { recursive: true });
  writeFileSync(
    join(home.dir, 'home', 'config.jsonc'),
    JSON.stringify({
      agents: {
        ref: {
          command: process.execPath,
          args: [(await referenceBundle()).path],
          env: { REFERENCE_AGENT: '{"can":["http"]}' },
        },
      },
      mcpServers: {
        near: { command: 'sh', args: ['-c', 'cat'], env: { KEY: '${env:SERVER_KEY}' } },
        far: { url: 'https://tools.example/mcp', headers: { 'x-key': '${env:SERVER_KEY}' } },
        off: { command: 'sh', disabled: true },
        unknown: { command: 'sh', env: { KEY: '${env:NOT_THERE}' } },
      },
    }),
  );
  home.env['SERVER_KEY'] = 'secret';
  const { code, out } = await home.run('run', '--agent', 'ref', 'servers').done;
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual([
    {
      type: 'http',
      name: 'far',
      url: 'https://tools.example/mcp',
      headers: [{ name: 'x-key', value: 'secret' }],
    },
    {
      name: 'near',
      command: expect.stringMatching(/^\/.*\/sh$/) as string,
      args: ['-c', 'cat'],
      env: [{ name: 'KEY', value: 'secret' }],
    },
  ]);
});
