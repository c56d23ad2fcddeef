// What ECA's own integration suite plays, on a real host with a provider and a server of tools on loopback.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contentLength } from '../../../src/rpc/contentLength.ts';
import { spawned } from '../../kit/clients.ts';
import { fakeProvider } from '../../kit/fakeProvider.ts';
import type { FakeProvider } from '../../kit/fakeProvider.ts';
import { listenMcp } from '../../kit/mcpServer.ts';
import type { Listening } from '../../kit/mcpServer.ts';
import { newHome } from '../../kit/parley.ts';
import type { Home } from '../../kit/parley.ts';
import { wire } from '../../kit/wire.ts';
import type { Loose, Said, Wire } from '../../kit/wire.ts';
import { verifies } from '../eca.ts';
import { content, inShort, isContent, isFinished } from './words.ts';

let home: Home;
let fake: FakeProvider;
let remote: Listening;
let eca: Wire;
let chats = 0;

beforeAll(async () => {
  [fake, remote] = await Promise.all([fakeProvider(), listenMcp(() => undefined)]);
  home = newHome();
  delete home.env['PARLEY_SCRIPTED'];
  for (const provider of ['OPENAI', 'ANTHROPIC']) Object.assign(home.env, { [`${provider}_API_URL`]: fake.url, [`${provider}_API_KEY`]: 'k', [`${provider}_API_MODELS`]: 'fake-large' });
  await home.serve();
  eca = wire(spawned(home, ['server'], contentLength));
  await eca.request('initialize', { processId: process.pid, capabilities: { codeAssistant: { chat: true } }, workspaceFolders: [{ name: 'w', uri: `file://${home.workspace}` }] });
  eca.notify('initialized', {});
  await eca.wait(({ method, params }) => method === '$/progress' && params.taskId === 'models' && params.type === 'finish');
  await eca.request('mcp/addServer', { name: 'remote', url: remote.url });
  await eca.wait(({ method, params }) => method === 'tool/serverUpdated' && params.name === 'remote' && params.status === 'running' && params.prompts?.length > 0);
});

afterAll(async () => {
  await eca.close();
  await home.dispose();
  await Promise.all([fake.close(), remote.close()]);
});

const newChat = () => `suite-${(chats += 1)}`;
const mine = (chat: string, fits: (said: Said) => boolean) => (said: Said) => said.params?.chatId === chat && fits(said);

interface Prompted {
  readonly chat: string;
  readonly said: readonly Said[];
  readonly words: readonly string[];
}

/** Sends a prompt, approves what is asked, and gives what was said until it was over. */
async function prompt(message: string, { chat = newChat(), ...more }: { readonly chat?: string; readonly [member: string]: unknown } = {}): Promise<Prompted> {
  const from = eca.said.length;
  await eca.request('chat/prompt', { chatId: chat, message, model: 'openai/fake-large', ...more });
  const over = mine(chat, isFinished);
  for (let at = from; ; ) {
    const run = mine(chat, isContent('toolCallRun', { manualApproval: true }));
    const found = await eca.wait((said) => over(said) || run(said), at);
    if (over(found)) break;
    eca.notify('chat/toolCallApprove', { chatId: chat, toolCallId: content(found).id });
    at = eca.said.indexOf(found) + 1;
  }
  const said = eca.said.slice(from).filter((each) => each.params?.chatId === chat);
  return { chat, said, words: inShort(said.filter((each) => !isContent('usage')(each) && !isContent('metadata')(each))) };
}

const lastAsked = () => fake.requests.findLast(({ asked }) => asked && !/title generator/i.test(asked.system));
const ending = ['status idle', 'finished'];

test(`ECA: ${verifies('mcp.connects', 'mcp.native-first')}`, () => {
  const servers = eca.said.filter(({ method }) => method === 'tool/serverUpdated').map(({ params }) => params);
  expect(servers[0]).toMatchObject({ type: 'native', name: 'ECA', status: 'running' });
  const own = servers.filter(({ name }) => name === 'remote');
  expect(own[0]).toMatchObject({ type: 'mcp', status: 'starting', url: remote.url, command: null, args: null, disabled: false, hasAuth: false });
  expect(own.at(-1)).toMatchObject({ status: 'running', instructions: 'Add before you multiply.', tools: expect.arrayContaining([expect.objectContaining({ name: 'add', disabled: false })]) as Loose[] });
});

test(`ECA: ${verifies('mcp.call', 'mcp.instructions', 'tool.origin')}`, async () => {
  const { words, said } = await prompt('TOOL:remote__add {"a":1,"b":2}');
  expect(words).toEqual([
    'chat/opened', 'user text', 'status running', '"Waiting model"', '"Generating"', 'assistant toolCallPrepare', 'assistant toolCallRun', '"Waiting for tool call approval"',
    'assistant toolCallRunning', '"Calling tool"', 'assistant toolCalled', '"Generating"', 'assistant text', ...ending,
  ]);
  expect(content(said.find(isContent('toolCalled')) ?? {})).toMatchObject({ name: 'add', server: 'remote', origin: 'mcp', error: false, arguments: { a: 1, b: 2 }, outputs: [{ type: 'text', text: '1 and 2 make 3' }] });
  expect(lastAsked()?.asked).toMatchObject({ results: ['1 and 2 make 3'], system: expect.stringContaining('Add before you multiply.') as string });
});

test(`ECA: ${verifies('mcp.image')}`, async () => {
  const { said } = await prompt('TOOL:remote__picture {}');
  const kinds = said.map((each) => content(each).type);
  expect(kinds[kinds.indexOf('toolCalled') + 1]).toBe('image');
  expect(content(said.find(isContent('image')) ?? {})).toEqual({ type: 'image', mediaType: 'image/png', base64: 'iVBORw0KGgo=' });
});

test(`ECA: ${verifies('mcp.prompts', 'mcp.resources', 'command.order-all')}`, async () => {
  const { commands } = await eca.request('chat/queryCommands', { query: '' });
  expect(commands[0]).toEqual({ name: 'remote:greet', description: 'Greets.', type: 'mcpPrompt', arguments: [expect.objectContaining({ name: 'who', required: true })] });
  // What the agent itself knows comes after what every server has.
  expect(commands.filter(({ type }: Loose) => type === 'native').map(({ name }: Loose) => name).slice(0, 25)).toEqual([
    'init', 'login', 'model', 'skills', 'skill-create', 'costs', 'context', 'compact', 'fork', 'resume', 'export', 'import', 'remote', 'config', 'doctor', 'debug-chat',
    'repo-map-show', 'rules', 'prompt-show', 'sync-system-prompt', 'subagents', 'plugins', 'plugin-install', 'plugin-uninstall', 'hooks',
  ]);
  const filtered = (await eca.request('chat/queryCommands', { query: 'CO' })).commands;
  expect(filtered.length).toBeGreaterThan(3);
  expect(filtered.every(({ name, description }: Loose) => `${name} ${description}`.toLowerCase().includes('co'))).toBe(true);
  await prompt('/remote:greet Ada');
  expect(JSON.stringify(lastAsked()?.body)).toContain('Hello Ada');
  const { said } = await prompt('/remote:greet');
  expect(said.find(isContent('text'))).toBeDefined();
  const { contexts } = await eca.request('chat/queryContext', { query: 'note', contexts: [] });
  const resource = contexts.at(-1);
  expect(resource).toMatchObject({ type: 'mcpResource', uri: 'note://one', name: 'note', server: 'remote' });
  await prompt('Look at this', { contexts: [resource] });
  expect(JSON.stringify(lastAsked()?.body)).toContain('one');
});

test(`ECA: ${verifies('jobs.life')}`, async () => {
  const from = eca.said.length;
  const { chat } = await prompt('TOOL:shell_command {"command":"sleep 60","background":"sleeper"}');
  const { params } = await eca.wait(({ method }) => method === 'jobs/updated', from);
  const [job] = params.jobs;
  expect(job).toMatchObject({ type: 'shell', status: 'running', label: 'sleep 60', summary: 'sleeper', exitCode: null, chatId: chat, toolCallId: expect.any(String) as string, startedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string, elapsed: expect.stringMatching(/^\d+s$/) as string });
  expect((await eca.request('jobs/list', {})).jobs).toMatchObject([{ id: job.id, status: 'running' }]);
  expect(await eca.request('jobs/readOutput', { jobId: job.id })).toEqual({ lines: [], status: 'running', exitCode: null });
  expect(await eca.request('jobs/kill', { jobId: job.id })).toEqual({ killed: true });
  await eca.wait((said) => said.method === 'jobs/updated' && said.params.jobs.some(({ id, status }: Loose) => id === job.id && status === 'killed'), from);
  expect(await eca.request('jobs/kill', { jobId: job.id })).toEqual({ killed: false });
  expect(await eca.request('jobs/readOutput', { jobId: 'job-99' })).toEqual({ lines: [], status: null, exitCode: null });
});

test(`ECA: ${verifies('compact.order')}`, async () => {
  const { chat } = await prompt('Remember that the sky is green.');
  fake.reply = ({ prompt: asked, system }) => /title generator/i.test(system) || !asked.includes('compact_chat') ? undefined : [{ call: 'compact_chat', input: { summary: 'The sky is green.' } }];
  const before = fake.requests.length;
  const { words, said } = await prompt('/compact', { chat });
  fake.reply = undefined;
  expect(words).toEqual([
    'user text', 'status running', '"Waiting model"', '"Generating"', 'assistant toolCallPrepare', 'assistant toolCallRun', 'assistant toolCallRunning', '"Calling tool"', 'assistant toolCalled', '"Generating"', ...ending, ...(words.at(-1) === 'system text' ? ['system text'] : []),
  ]);
  expect(content(said.find(isContent('toolCalled')) ?? {})).toMatchObject({ name: 'compact_chat', outputs: [{ type: 'text', text: 'Compacted successfully!' }] });
  expect(content(await eca.wait(mine(chat, isContent('text', { text: 'Compacted chat' }))))).toBeDefined();
  expect(fake.requests.slice(before).filter(({ asked }) => asked && !/title generator/i.test(asked.system))).toHaveLength(1);
  await prompt('What colour is it?', { chat });
  expect(JSON.stringify(lastAsked()?.body)).toContain('The sky is green.');
});

test(`ECA: ${verifies('retry.progress')}`, async () => {
  const { words, said } = await prompt('FAIL:529 once', { model: 'anthropic/fake-large' });
  expect(words.some((word) => word.startsWith('"⏳'))).toBe(true);
  expect(words.slice(-3)).toEqual(['assistant text', ...ending]);
  expect(said.filter(isFinished)).toHaveLength(1);
});

test(`ECA: ${verifies('assist.real')}`, async () => {
  const from = eca.said.length;
  const range = { start: { line: 1, character: 1 }, end: { line: 1, character: 4 } };
  const { model } = await eca.request('rewrite/prompt', { id: 'r1', text: 'abc', prompt: 'upper', path: `${home.workspace}/a.txt`, range });
  await eca.wait(({ method, params }) => method === 'rewrite/contentReceived' && params.content.type === 'finished', from);
  const kinds = eca.said.slice(from).filter(({ method }) => method === 'rewrite/contentReceived').map(({ params }) => params.content.type);
  expect([typeof model, kinds[0], kinds.includes('text'), kinds.at(-1)]).toEqual(['string', 'started', true, 'finished']);
  const { items } = await eca.request('completion/inline', { 'doc-text': 'def f', 'doc-version': 3, position: { line: 1, character: 6 } });
  expect(items).toEqual([{ text: expect.stringMatching(/.+/) as string, docVersion: 3, range: { start: { line: 1, character: 6 }, end: { line: 1, character: 6 } } }]);
});

test(`ECA: ${verifies('chat.list-open')}`, async () => {
  const [one, two] = [(await prompt('First')).chat, (await prompt('Second')).chat];
  const { chats: all } = await eca.request('chat/list', {});
  expect(all.slice(0, 2).map(({ id }: Loose) => id)).toEqual([two, one]);
  expect((await eca.request('chat/list', { limit: 1 })).chats).toHaveLength(1);
  expect(all[0]).toMatchObject({ status: 'idle', messageCount: 2, model: 'openai/fake-large' });
  const from = eca.said.length;
  expect(await eca.request('chat/open', { chatId: one })).toMatchObject({ found: true, chatId: one, selection: { model: 'openai/fake-large', trust: false } });
  expect(inShort(eca.said.slice(from)).slice(0, 4)).toEqual(['chat/cleared', 'chat/opened', 'user text', 'assistant text']);
});
