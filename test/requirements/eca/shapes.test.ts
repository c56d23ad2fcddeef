// Sections 3 and 4 in detail, on a real host with a provider on loopback: what reaches the model, what a call
// shows, and what follows from a configuration.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ecaClient } from '../../kit/clients.ts';
import type { Loose, ReceivedNotification } from '../../kit/wire.ts';
import { verifies } from '../eca.ts';
import { ending, first, opening, startRig } from './formats.ts';
import type { Rig } from './formats.ts';
import { mcpSample } from './mcpSample.ts';
import { content, inShort, isContent } from './words.ts';

let rig: Rig;
let answers: (method: string, params: Loose) => unknown = () => new Promise(() => {});

beforeAll(async () => {
  rig = await startRig({
    capabilities: { chatCapabilities: { askQuestion: true }, editor: { diagnostics: true } },
    answers: (method, params) => answers(method, params),
    config: {
      agent: {
        reader: {
          mode: 'primary',
          description: 'Reads',
          defaultModel: 'openai/fake-large',
          disabledTools: ['write_file'],
        },
        build: { maxSteps: 50 },
      },
      disabledTools: ['git'],
      welcomeMessage: 'Hello you',
    },
  });
});
afterAll(() => rig.close());

const calls = (...all: readonly { readonly name: string; readonly input: Loose }[]) =>
  rig.answer(({ asked }) =>
    asked?.results.length === 0
      ? all.map(({ name, input }, at) => ({ call: name, input, id: `c${at}-${asked.prompt}` }))
      : undefined,
  );
const lastAsked = () => rig.asked().at(-1);

test(`ECA: ${verifies('context.model', 'context.image')}`, async () => {
  const file = rig.put('workspace/seen.txt', 'line one\nline two\nline three\n');
  const picture = rig.put('workspace/dot.png', Buffer.from('89504e470d0a1a0a', 'hex').toString('latin1'));
  const at = { line: 2, character: 3 };
  rig.asked();
  await rig.prompt('anthropic', 'Look at @seen.txt:L1-L1 too', {
    contexts: [
      { type: 'file', path: file, linesRange: { start: 2, end: 2 } },
      { type: 'file', path: picture },
      { type: 'cursor', path: file, position: { start: at, end: at } },
      { type: 'text', label: 'Note', content: 'remember this' },
      { type: 'image', mediaType: 'image/png', base64: 'iVBORw0KGgo=' },
      { type: 'directory', path: rig.home.workspace },
      { type: 'hologram' },
    ],
  });
  const body = JSON.stringify(lastAsked()?.body);
  for (const words of ['line two', 'line one', 'remember this', 'iVBORw0KGgo=', 'seen.txt', 'line 2'])
    expect(body).toContain(words);
  expect(body).not.toContain('line three');
  expect(body.match(/"type":"image"/g)?.length).toBe(2);
});

test(`ECA: ${verifies('content.breakdown')}`, async () => {
  rig.put('workspace/AGENTS.md', 'Be brief. '.repeat(20));
  rig.put('workspace/.eca/rules/style.md', 'Use tabs. '.repeat(20));
  rig.put('workspace/.eca/skills/tidy/SKILL.md', '---\nname: tidy\ndescription: Tidies up\n---\nTidy.');
  await rig.home.run('trust', rig.home.workspace, '--yes').done;
  await rig.eca.request('chat/queryCommands', { query: 'tidy' });
  const { said } = await rig.prompt('openai', 'Hello');
  const usage = content(said.findLast(isContent('usage')) ?? {});
  const { contextBreakdown: parts } = usage;
  expect(parts.categories.map(({ name, color, emoji }: Loose) => `${emoji} ${name} ${color}`)).toEqual([
    '🟦 System prompt #61afef',
    '🟪 Rules #c678dd',
    '🟨 Skills #e5c07b',
    '🟫 AGENTS.md #d19a66',
    '🟧 Tool definitions #e8924a',
    '🟩 Conversation #98c379',
  ]);
  expect([parts.usedTokens, parts.freeColor, parts.freeEmoji]).toEqual([
    usage.sessionTokens,
    '#5c6370',
    '⬜',
  ]);
  const sum = parts.categories.reduce((all: number, { tokens }: Loose) => all + (tokens as number), 0);
  expect(Math.abs(sum - usage.sessionTokens)).toBeLessThan(parts.categories.length);
});

test(`ECA: ${verifies('tool.several')}`, async () => {
  const write = (name: string) => ({
    name: 'write_file',
    input: { path: join(rig.home.workspace, `several-${name}.txt`), content: name },
  });
  calls(write('a'), write('b'), { name: 'directory_tree', input: { path: rig.home.workspace } });
  const { words, said } = await rig.prompt('openai', 'Do all');
  rig.answer(undefined);
  expect(words.slice(0, 4)).toEqual(opening);
  expect(
    said.filter(isContent('toolCallRun', { manualApproval: true })).map((each) => content(each).id),
  ).toEqual(['c0-Do all', 'c1-Do all']);
  const done = said.filter(isContent('toolCalled')).map((each) => content(each).name as string);
  expect(done.toSorted()).toEqual(['directory_tree', 'write_file', 'write_file']);
  // The provider is asked again once, with all results.
  expect(lastAsked()?.asked?.results.length).toBe(3);
  expect(words.slice(-2)).toEqual(ending);
});

test(`ECA: ${verifies('tool.unknown', 'tool.task', 'tool.background', 'tool.json-outputs')}`, async () => {
  calls({ name: 'no_such_tool', input: {} });
  const missing = await rig.prompt('openai', 'Unknown');
  expect(first(missing.said, 'toolCalled')).toMatchObject({ name: 'no_such_tool', error: true });
  calls({
    name: 'task',
    input: {
      op: 'plan',
      tasks: [
        { subject: 'One', description: 'The first', priority: 'high' },
        { subject: 'Two', description: 'The second' },
      ],
    },
  });
  const planned = await rig.prompt('openai', 'Plan');
  expect(first(planned.said, 'toolCalled').details).toMatchObject({
    type: 'task',
    inProgressTaskIds: [],
    summary: { done: 0, inProgress: 0, pending: 2, total: 2 },
    tasks: [
      {
        id: 1,
        subject: 'One',
        description: 'The first',
        status: 'pending',
        priority: 'high',
        isBlocked: false,
      },
      { id: 2, subject: 'Two', priority: 'medium' },
    ],
  });
  calls({ name: 'task', input: { op: 'complete', ids: [1, 2] } });
  await rig.prompt('openai', 'Done', { chat: planned.chat });
  rig.answer(undefined);
  const { said } = await rig.prompt('openai', 'Next', { chat: planned.chat });
  expect(first(said, 'toolCalled')).toMatchObject({
    server: 'eca',
    name: 'task',
    details: { type: 'task', tasks: [] },
  });
  calls({ name: 'shell_command', input: { command: 'sleep 60', background: 'nap' } });
  const job = await rig.prompt('openai', 'Wait in the background');
  rig.answer(undefined);
  expect(first(job.said, 'toolCallRun').details).toMatchObject({ type: 'shellCommand', background: true });
  const { jobs } = await rig.eca.request('jobs/list', {});
  await rig.eca.request('jobs/kill', { jobId: jobs[0].id });
  calls({ name: 'read_file', input: { path: rig.put('workspace/data.json', '{"a":[1]}') } });
  const read = await rig.prompt('openai', 'Read JSON');
  rig.answer(undefined);
  expect(first(read.said, 'toolCalled').details).toEqual({
    type: 'jsonOutputs',
    jsons: [JSON.stringify({ a: [1] }, null, 2)],
  });
});

test(`ECA: ${verifies('question.shape', 'editor.diagnostics')}`, async () => {
  const heard: Loose[] = [];
  answers = (method, params) => {
    heard.push({ method, params });
    if (method === 'chat/askQuestion') return { answer: 'blue', cancelled: false };
    const at = { line: 0, character: 4 };
    return {
      diagnostics: [
        {
          uri: `file://${rig.home.workspace}/x.ts`,
          severity: 'error',
          source: 'ts',
          range: { start: at, end: at },
          code: '2304',
          message: 'Cannot find it',
        },
      ],
    };
  };
  calls({
    name: 'ask_user',
    input: { question: 'Which?', options: [{ label: 'red', description: 'warm' }, { label: 'blue' }] },
  });
  const asked = await rig.prompt('openai', 'Ask me');
  expect(heard[0]).toEqual({
    method: 'chat/askQuestion',
    params: {
      chatId: asked.chat,
      question: 'Which?',
      allowFreeform: true,
      requestId: expect.any(String) as string,
      toolCallId: first(asked.said, 'toolCallRun').id,
      options: [{ label: 'red', description: 'warm' }, { label: 'blue' }],
    },
  });
  expect(first(asked.said, 'toolCalled').outputs).toEqual([{ type: 'text', text: 'User answered: blue' }]);
  calls({ name: 'editor_diagnostics', input: {} });
  const looked = await rig.prompt('openai', 'Any problems?');
  rig.answer(undefined);
  expect(heard.at(-1)).toEqual({ method: 'editor/getDiagnostics', params: {} });
  expect(JSON.stringify(first(looked.said, 'toolCalled').outputs)).toMatch(/x\.ts.*Cannot find it/);
  answers = () => ({ status: 'error', message: 'The handler failed.' });
  calls({ name: 'editor_diagnostics', input: { path: join(rig.home.workspace, 'x.ts') } });
  const failed = await rig.prompt('openai', 'And now?');
  rig.answer(undefined);
  expect(JSON.stringify(first(failed.said, 'toolCalled').outputs)).toContain('The handler failed.');
});

test(`ECA: ${verifies('tools.agent', 'select.keeps-model', 'config.older-agent')}`, async () => {
  const { eca } = rig;
  const off = (said: ReceivedNotification) =>
    (said.params.tools as Loose[])
      .filter(({ disabled }) => disabled)
      .map(({ name }) => name as string)
      .toSorted();
  const native = ({ method, params }: ReceivedNotification) =>
    method === 'tool/serverUpdated' && params.type === 'native';
  await expect
    .poll(() => off(eca.said.findLast(native) ?? { method: '', params: { tools: [] } }))
    .toEqual(['git', 'preview_file_change']);
  const { chat } = await rig.prompt('anthropic', 'Hello');
  const from = eca.said.length;
  eca.notify('chat/selectedAgentChanged', { chatId: chat, agent: 'reader' });
  expect(off(await eca.wait(native, from))).toEqual(['git', 'write_file']);
  expect((await eca.request('chat/open', { chatId: chat })).selection).toMatchObject({
    agent: 'reader',
    model: 'anthropic/fake-large',
  });
  const { params } = eca.said.findLast(
    ({ method, params: given }) => method === 'config/updated' && given.chat.agents !== undefined,
  ) ?? { params: {} };
  expect(params.chat.agents).toEqual(expect.arrayContaining(['code', 'plan', 'reader']));
  expect(params.chat.agents).not.toContain('build');
  expect(
    eca.said.some(
      ({ method, params: given }) => method === 'config/updated' && given.chat.welcomeMessage === 'Hello you',
    ),
  ).toBe(true);
});

test(`ECA: ${verifies('mcp.shapes')}`, async () => {
  const { eca } = rig;
  const script = rig.put('sample.cjs', mcpSample);
  const from = eca.said.length;
  const added = await eca.request('mcp/addServer', { name: 'm1', command: process.execPath, args: [script] });
  expect(added).toEqual({
    server: {
      name: 'm1',
      command: process.execPath,
      args: [script],
      url: null,
      status: 'starting',
      disabled: false,
      hasAuth: false,
      tools: null,
      prompts: null,
      resources: null,
      instructions: null,
    },
  });
  const wordOf = ({ method, params }: ReceivedNotification) =>
    method === 'tool/serverUpdated' && params.name === 'm1'
      ? String(params.status)
      : method === 'tool/serverRemoved'
        ? `removed ${params.name}`
        : '';
  let at = from;
  const reaches = async (status: string) => {
    at = eca.said.indexOf(await eca.wait((said) => wordOf(said) === status, at)) + 1;
  };
  await reaches('running');
  // It runs as soon as its tools are known; its prompts and resources may follow.
  const complete = await eca.wait(
    (said) => wordOf(said) === 'running' && said.params.prompts !== null && said.params.resources !== null,
    from,
  );
  expect(complete.params).toEqual({
    type: 'mcp',
    name: 'm1',
    command: process.execPath,
    args: [script],
    url: null,
    status: 'running',
    disabled: false,
    hasAuth: false,
    instructions: null,
    tools: [],
    resources: [],
    prompts: [
      {
        name: 'my-prompt',
        description: 'desc',
        arguments: [{ name: 'some-arg-1', description: 'd', required: true }],
      },
    ],
  });
  await expect(eca.request('mcp/addServer', { name: 'm1', command: 'x' })).rejects.toMatchObject({
    code: 'invalid_request',
    message: "MCP server 'm1' already exists",
    data: { serverName: 'm1' },
  });
  for (const [action, status] of [
    ['stop', 'stopped'],
    ['start', 'running'],
    ['disable', 'disabled'],
    ['enable', 'running'],
  ] as const) {
    eca.notify(`mcp/${action}Server`, { name: 'm1' });
    await reaches(status);
  }
  expect(await eca.request('mcp/updateServer', { name: 'm1', command: 'no-such-program-here' })).toEqual({});
  await reaches('failed');
  expect(await eca.request('mcp/removeServer', { name: 'm1' })).toEqual({ name: 'm1', removed: true });
  await reaches('removed m1');
  expect(
    eca.said
      .slice(from)
      .map(wordOf)
      .filter((status, index, all) => status !== '' && status !== all[index - 1]),
  ).toEqual([
    'starting',
    'running',
    'stopping',
    'stopped',
    'starting',
    'running',
    'stopping',
    'stopped',
    'disabled',
    'starting',
    'running',
    'stopping',
    'stopped',
    'starting',
    'failed',
    'removed m1',
  ]);
});

test(`ECA: ${verifies('command.work', 'command.resume')}`, async () => {
  const { chat } = await rig.prompt('openai', 'Remember me');
  const told = async (message: string, inChat = chat) => {
    const { said } = await rig.prompt('openai', message, { chat: inChat });
    return said
      .flatMap((each) =>
        isContent('text')(each) && each.params.role === 'system' ? [String(content(each).text)] : [],
      )
      .join('');
  };
  expect(await told('/doctor')).toContain('Agents:');
  expect(await told('/costs')).toMatch(/Total input tokens: 1\d\d/);
  expect(await told('/context')).toContain('🟦 System prompt');
  expect(await told('/config')).toMatch(
    /"model": "openai\/fake-large"[^]*\nmodes\.reader\.description = "Reads" {2}\(.*config\.json\)/,
  );
  expect(await told('/model')).toContain('* openai/fake-large');
  expect(await told('/prompt-show')).toMatch(
    /# Instructions \(System prompt\)\n\nYou are ECA, [^]*Tool schemas are sent separately/,
  );
  expect(
    rig.fake.requests.findLast(({ asked }) => asked && !/title generator/i.test(asked.system))?.asked?.system,
  ).toMatch(/^You are ECA, /);
  expect(await told('/rules')).toContain('style');
  expect(await told('/subagents')).toContain('explorer');
  expect(await told('/remote')).toContain('in a browser');
  expect(await told('/export out.json')).toContain('Exported to');
  expect(JSON.parse(readFileSync(join(rig.home.workspace, 'out.json'), 'utf8'))).toMatchObject({ id: chat });
  await rig.eca.request('chat/delete', { chatId: chat });
  const other = (await rig.prompt('openai', 'Another')).chat;
  expect(await told('/import out.json', other)).toContain(`as chat ${chat}`);
  const from = rig.eca.said.length;
  expect(await told('/resume', other)).toMatch(/1\. .*\(/);
  expect(await told(`/resume ${chat}`, other)).toContain('Resumed');
  expect(
    rig.eca.said
      .slice(from)
      .some(({ params }) => params?.chatId === other && params.content?.text === '\nRemember me'),
  ).toBe(true);
  expect((await rig.eca.request('chat/list', {})).chats.map(({ id }: Loose) => id as string)).not.toContain(
    chat,
  );
  expect((await rig.prompt('openai', 'And now?', { chat: other })).chat).toBe(other);
});

test(`ECA: ${verifies('content.url')}`, async () => {
  rig.answer(() => [
    { text: 'So it is.' },
    { cite: 'https://a.example/x', title: 'A page' },
    { cite: 'http://b.example/', title: '' },
  ]);
  const { chat, said } = await rig.prompt('anthropic', 'Look it up');
  const sources = [
    { type: 'url', title: 'A page', url: 'https://a.example/x' },
    { type: 'url', title: 'http://b.example/', url: 'http://b.example/' },
  ];
  const shown = (all: readonly ReceivedNotification[]) =>
    all
      .filter(
        ({ params }) =>
          params?.chatId === chat &&
          params.role === 'assistant' &&
          ['text', 'url'].includes(params.content.type as string),
      )
      .map(content);
  const words = (all: readonly ReceivedNotification[]) =>
    shown(all)
      .slice(0, -sources.length)
      .map(({ text }: Loose) => text as string)
      .join('');
  expect([words(said), shown(said).slice(-sources.length)]).toEqual(['So it is.', sources]);
  const from = rig.eca.said.length;
  await rig.eca.request('chat/open', { chatId: chat });
  expect(shown(rig.eca.said.slice(from))).toEqual([{ type: 'text', text: '\nSo it is.' }, ...sources]);
  rig.answer(undefined);
});

test(`ECA: ${verifies('tool.provider', 'content.image')}`, async () => {
  rig.answer(() => [
    { search: 'weather', found: [{ url: 'https://a.example/x', title: 'A page' }] },
    { picture: 'iVBORw0KGgoAAAANSUhEUg==' },
    { text: 'There.' },
  ]);
  const { chat, said } = await rig.prompt('openai', 'Draw the weather');
  const shown = (all: readonly ReceivedNotification[], of = chat) =>
    all
      .filter(
        ({ params }) =>
          params?.chatId === of &&
          params.role === 'assistant' &&
          ['toolCalled', 'image'].includes(params.content.type as string),
      )
      .map(content);
  const called = { type: 'toolCalled', server: 'llm', origin: 'server', error: false };
  const live = shown(said);
  expect(live).toMatchObject([
    { ...called, name: 'web_search', arguments: { query: 'weather' } },
    { ...called, name: 'image_generation', outputs: [] },
    { type: 'image', mediaType: 'image/png', base64: 'iVBORw0KGgoAAAANSUhEUg==' },
  ]);
  expect(said.filter(isContent('toolCallRun')).map((each) => content(each).manualApproval)).toEqual([
    false,
    false,
  ]);
  const from = rig.eca.said.length;
  await rig.eca.request('chat/open', { chatId: chat });
  expect(shown(rig.eca.said.slice(from))).toEqual(live);
  rig.answer(undefined);
  await rig.prompt('openai', '/export drawn.json', { chat });
  await rig.eca.request('chat/delete', { chatId: chat });
  const other = (await rig.prompt('openai', '/import drawn.json')).chat;
  const again = rig.eca.said.length;
  await rig.prompt('openai', `/resume ${chat}`, { chat: other });
  const names = shown(rig.eca.said.slice(again), other).map(({ type, name, server, base64 }: Loose) => ({
    type,
    name,
    server,
    base64,
  }));
  expect(names).toEqual(
    live.map(({ type, name, server, base64 }: Loose) => ({ type, name, server, base64 })),
  );
});

test(`ECA: ${verifies('client.web')}`, async () => {
  const own = await startRig({ config: { remote: { enabled: true, password: 'open sesame' } } });
  await own.eca.wait(
    ({ method, params }) =>
      method === '$/progress' && params.taskId === 'remote-server' && params.type === 'finish',
  );
  const { chat, said } = await own.prompt('openai', '/remote');
  const address =
    /eca-web is at (\S+) with/.exec(
      said
        .filter(isContent('text'))
        .map((each) => String(content(each).text))
        .join(''),
    )?.[1] ?? '';
  const ask = (path: string, options: RequestInit = {}) =>
    fetch(`${address}/api/v1/${path}`, {
      ...options,
      headers: { authorization: 'Bearer open sesame', 'content-type': 'application/json' },
      signal: AbortSignal.timeout(15_000),
    });
  expect(await (await fetch(`${address}/api/v1/health`)).json()).toMatchObject({ status: 'ok' });
  expect(await (await ask('session')).json()).toMatchObject({
    protocolVersion: '1.0',
    workspaceFolders: [own.home.workspace],
  });
  const events = (await ask('events')).body?.pipeThrough(new TextDecoderStream()).getReader();
  expect(
    (
      await ask(`chats/${chat}/prompt`, {
        method: 'POST',
        body: JSON.stringify({ message: 'From a browser', model: 'openai/fake-large' }),
      })
    ).ok,
  ).toBe(true);
  let heard = '';
  for (let over = false; !over && !heard.includes('"finished"');) {
    const piece = await events?.read();
    heard += piece?.value ?? '';
    over = piece?.done ?? true;
  }
  expect(heard).toMatch(/^event: session:connected\n[^]*event: chat:content-received\n[^]*From a browser/);
  await events?.cancel();
  await own.close();
});

test(`ECA: ${verifies('chat.worktrees')}`, async () => {
  const run = (...args: string[]) => execFileSync('git', args, { cwd: rig.home.workspace, stdio: 'ignore' });
  run('init', '-q');
  run('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-q', '--allow-empty', '-m', 'x');
  run('worktree', 'add', '-q', join(rig.home.dir, 'linked'), '-b', 'other');
  const { chat } = await rig.prompt('openai', 'In the main tree');
  const other = await ecaClient({ ...rig.home, workspace: join(rig.home.dir, 'linked') });
  expect((await other.request('chat/list', {})).chats.map(({ id }: Loose) => id as string)).toContain(chat);
  await other.close();
});

test(`ECA: ${verifies('life.options', 'life.env-test', 'mcp.folded-name', 'life.agent')}`, async () => {
  const script = rig.put('sample.cjs', mcpSample);
  const own = await startRig({
    args: ['--standalone'],
    config: { disabledTools: ['grep'] },
    initial: {
      'pure-config': true,
      env: 'test',
      chatBehavior: 'plan',
      'default-model': 'my-custom/bar2',
      'mcp-servers': { 'mcp-server-sample': { command: process.execPath, args: [script] } },
      providers: {
        myCustom: { api: 'openai-chat', url: rig.fake.url, key: 'k', models: { foo1: {}, bar2: {} } },
      },
    },
  });
  // The first push has it all: a client that chooses from it at once chooses what there is.
  const { chat } = own.eca.said.find(({ method }) => method === 'config/updated')?.params ?? {};
  expect(chat).toMatchObject({
    selectModel: 'my-custom/bar2',
    defaultModel: 'my-custom/bar2',
    selectAgent: 'plan',
    models: expect.arrayContaining(['my-custom/bar2', 'my-custom/foo1']) as string[],
  });
  expect(chat.models).toEqual(chat.models.toSorted());
  await own.eca.wait(
    ({ method, params }) =>
      method === 'tool/serverUpdated' && params.name === 'mcpServerSample' && params.prompts?.length > 0,
  );
  expect((await own.eca.request('chat/queryCommands', { query: 'my-prompt' })).commands).toMatchObject([
    { name: 'mcpServerSample:my-prompt', type: 'mcpPrompt' },
  ]);
  expect(
    own.eca.said
      .findLast(({ method, params }) => method === 'tool/serverUpdated' && params.type === 'native')
      ?.params.tools.find(({ name }: Loose) => name === 'grep').disabled,
  ).toBe(false);
  const from = own.eca.said.length;
  expect(
    await own.eca.request('chat/prompt', {
      chatId: 'c',
      message: 'Tell me a joke',
      model: 'bar2',
      agent: 'code',
    }),
  ).toEqual({ chatId: 'c', model: 'my-custom/bar2', status: 'prompting' });
  // All of it was said before the answer, the title in front.
  expect(
    inShort(
      own.eca.said.slice(from).filter((each) => !isContent('usage')(each) && each.params?.chatId === 'c'),
    ),
  ).toEqual([
    'chat/opened',
    'user text',
    'system metadata',
    'status running',
    '"Waiting model"',
    '"Generating"',
    'assistant text',
    ...ending,
  ]);
  // With its third message a chat is named anew, and that comes first, too.
  await own.eca.request('chat/prompt', { chatId: 'c', message: 'Another one', model: 'bar2' });
  const later = own.eca.said.length;
  await own.eca.request('chat/prompt', { chatId: 'c', message: 'And one more', model: 'bar2' });
  expect(
    inShort(own.eca.said.slice(later).filter(({ params }) => params?.chatId === 'c')).slice(0, 4),
  ).toEqual(['user text', 'system metadata', 'status running', '"Waiting model"']);
  await own.close();
});
