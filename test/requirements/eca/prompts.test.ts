// Sections 3.3 to 3.6 and 4: prompts, contents, calls, stopping and steering.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifies } from '../eca.ts';
import { editor, Editor, hello, newChat, place, shell } from './harness.ts';
import { content, inShort, isContent, isFinished } from './words.ts';
import type { Loose } from '../../kit/wire.ts';

const whenever = (word: string) => word !== 'system usage' && word !== 'system metadata';

test(`ECA: ${verifies('prompt.result', 'prompt.echo', 'prompt.extras', 'order.plain', 'order.finished', 'content.usage', 'content.title')}`, async () => {
  const client = await editor();
  const chat = newChat();
  const said = await client.prompt(chat, 'say Hello there.\nusage 100 20', {
    model: null,
    agent: 'code',
    contexts: [],
    requestId: 9,
  });
  expect(inShort(said).filter(whenever)).toEqual([
    'chat/opened',
    'user text',
    'status running',
    '"Waiting model"',
    'answer',
    '"Generating"',
    'assistant text',
    'status idle',
    'finished',
  ]);
  expect(said.find(({ method }) => method === undefined)?.result).toEqual({
    chatId: chat,
    model: 'scripted/scripted',
    status: 'prompting',
  });
  const echo = content(said.find(isContent('text')) ?? {});
  expect(echo).toEqual({
    type: 'text',
    text: 'say Hello there.\nusage 100 20\n',
    contentId: expect.any(String) as string,
  });
  expect(said.filter(isFinished).length).toBe(1);
  expect(content(said.find(isContent('usage')) ?? {})).toMatchObject({
    sessionTokens: expect.any(Number) as number,
    limit: { context: 100_000 },
  });
  await client.until((message) => isContent('metadata')(message) && message.params.chatId === chat);
});

test(`ECA: ${verifies('prompt.bad-id', 'prompt.no-id', 'prompt.client-id', 'client.cli')}`, async () => {
  const client = new Editor();
  await client.ask('initialize', hello({ processId: null }));
  client.notify('initialized', {});
  for (const chatId of ['', 'has blank', 'subagent-x', 'x'.repeat(257), 'tab\t']) {
    expect((await client.ask('chat/prompt', { chatId, message: 'hi' })).result).toEqual({
      chatId,
      model: 'error',
      status: 'error',
    });
  }
  expect(client.heard.filter(({ method }) => method?.startsWith('chat/'))).toEqual([]);
  const made = (await client.ask('chat/prompt', { message: 'hi' })).result.chatId as string;
  await client.until(isFinished);
  expect(made).toMatch(/\S{8,}/);
  expect(client.heard.some(({ method }) => method === 'chat/opened')).toBe(false);
  const own = newChat();
  expect(inShort(await client.prompt(own, 'hi'))[0]).toBe('chat/opened');
  expect(inShort(await client.prompt(own, 'again'))[0]).toBe('user text');
});

test(`ECA: ${verifies('content.reasoning')}`, async () => {
  const client = await editor();
  const said = await client.prompt(newChat(), 'reason Hm, well.\nsay Done.');
  const parts = said.map(content).filter(({ type }) => type?.startsWith('reason'));
  expect(parts.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1])).toEqual([
    'reasonStarted',
    'reasonText',
    'reasonFinished',
  ]);
  expect(new Set(parts.map(({ id }) => id)).size).toBe(1);
  expect(parts.at(-1).totalTimeMs).toBeTypeOf('number');
});

async function asked(command: string): Promise<{ client: Editor; chat: string; from: number; run: Loose }> {
  const client = await editor();
  const chat = newChat();
  const from = client.heard.length;
  await client.ask('chat/prompt', { chatId: chat, message: `say Look.\nusage 10 2\n${shell(command)}` });
  const run = content(await client.until(isContent('toolCallRun'), from));
  return { client, chat, from, run };
}

test(`ECA: ${verifies('tool.states', 'tool.approve', 'order.tool', 'tool.shell')}`, async () => {
  const { client, chat, from, run } = await asked('echo hi && ls');
  expect(run).toMatchObject({
    name: 'shell_command',
    server: 'eca',
    origin: 'native',
    manualApproval: true,
    arguments: { command: 'echo hi && ls' },
    summary: '$ echo hi && ls',
  });
  expect(run.details).toMatchObject({
    type: 'shellCommand',
    commands: [
      { command: 'echo', args: ['hi'] },
      { command: 'ls', args: [] },
    ],
  });
  client.notify('chat/toolCallApprove', { chatId: chat, toolCallId: run.id });
  await client.until(isFinished, from);
  const words = inShort(client.heard.slice(from)).filter(whenever);
  expect(words.slice(words.indexOf('assistant toolCallPrepare'))).toEqual([
    'assistant toolCallPrepare',
    'assistant toolCallRun',
    '"Waiting for tool call approval"',
    'assistant toolCallRunning',
    '"Calling tool"',
    'assistant toolCalled',
    '"Generating"',
    'assistant text',
    'status idle',
    'finished',
  ]);
  const called = content(client.heard.slice(from).find(isContent('toolCalled')) ?? {});
  expect(called).toMatchObject({
    id: run.id,
    error: false,
    outputs: [
      { type: 'text', text: 'Exit code: 0' },
      { type: 'text', text: expect.stringContaining('hi') as string },
    ],
    totalTimeMs: expect.any(Number) as number,
  });
});

test(`ECA: ${verifies('tool.save', 'tool.auto', 'tool.json')}`, async () => {
  const { client, chat, from, run } = await asked('echo \'{"a":1}\'');
  client.notify('chat/toolCallApprove', { chatId: chat, toolCallId: run.id, save: 'session' });
  await client.until(isFinished, from);
  const said = await client.prompt(chat, shell('echo \'{"a":1}\''));
  expect(content(said.find(isContent('toolCallRun')) ?? {})).toMatchObject({ manualApproval: false });
  expect(inShort(said)).not.toContain('"Waiting for tool call approval"');
  const elsewhere = await client.prompt(newChat(), shell('echo \'{"a":1}\''));
  expect(content(elsewhere.find(isContent('toolCallRun')) ?? {})).toMatchObject({ manualApproval: false });
  const read = await client.prompt(
    chat,
    `tool read_file ${JSON.stringify({ path: join(place().workspace, 'src/a.txt') })}`,
  );
  expect(content(read.find(isContent('toolCallRun')) ?? {})).toMatchObject({
    manualApproval: false,
    name: 'read_file',
  });
  expect(content(read.find(isContent('toolCalled')) ?? {})).toMatchObject({
    outputs: [{ type: 'text', text: expect.stringContaining('one\ntwo') as string }],
  });
  const path = join(place().workspace, `${chat}.json`);
  writeFileSync(path, '{"a":[1]}');
  const json = await client.prompt(chat, `tool read_file ${JSON.stringify({ path })}`);
  expect(content(json.find(isContent('toolCalled')) ?? {}).details).toEqual({
    type: 'jsonOutputs',
    jsons: ['{\n  "a": [\n    1\n  ]\n}'],
  });
});

test(`ECA: ${verifies('tool.reject', 'tool.unknown-id')}`, async () => {
  const { client, chat, from, run } = await asked('echo no');
  client.notify('chat/toolCallApprove', { chatId: chat, toolCallId: 'nobody knows it' });
  client.notify('chat/toolCallReject', { chatId: chat, toolCallId: run.id });
  await client.until(isFinished, from);
  expect(content(client.heard.slice(from).find(isContent('toolCallRejected')) ?? {})).toMatchObject({
    id: run.id,
    name: 'shell_command',
    reason: 'userChoiceDeny',
    arguments: { command: 'echo no' },
  });
  const words = inShort(client.heard.slice(from)).filter(whenever);
  expect(
    words
      .slice(words.indexOf('"Waiting for tool call approval"') + 1)
      .filter((word) => word !== '$/showMessage'),
  ).toEqual(['assistant toolCallRejected', 'system text', 'status idle', 'finished']);
});

test('ECA: a file that exists is overwritten, not created', async () => {
  const client = await editor();
  const path = join(place().workspace, 'there.txt');
  writeFileSync(path, 'old\n');
  const from = client.heard.length;
  await client.ask('chat/prompt', {
    chatId: newChat(),
    message: `tool write_file ${JSON.stringify({ path, content: 'new\n' })}`,
  });
  expect(content(await client.until(isContent('toolCallRun'), from)).summary).toBe('Overwriting');
});

test(`ECA: ${verifies('tool.edit')}`, async () => {
  const client = await editor();
  const chat = newChat();
  const path = join(place().workspace, `made-${chat}.txt`);
  const from = client.heard.length;
  await client.ask('chat/prompt', {
    chatId: chat,
    message: `tool write_file ${JSON.stringify({ path, content: 'new\n' })}`,
  });
  const run = content(await client.until(isContent('toolCallRun'), from));
  expect(run.summary).toBe('Creating');
  expect(run.details).toEqual({
    type: 'fileChange',
    path,
    diff: expect.stringContaining('+new') as string,
    linesAdded: 1,
    linesRemoved: 0,
  });
  client.notify('chat/toolCallApprove', { chatId: chat, toolCallId: run.id });
  await client.until(isFinished, from);
  expect(readFileSync(path, 'utf8')).toBe('new\n');
});

test(`ECA: ${verifies('stop.order', 'stop.idle')}`, async () => {
  const { client, chat, from, run } = await asked('sleep 20');
  client.notify('chat/promptStop', { chatId: chat });
  await client.until(isContent('toolCallRejected'), from);
  const words = inShort(client.heard.slice(from));
  expect(words.slice(words.indexOf('"Waiting for tool call approval"') + 1)).toEqual([
    'system text',
    'status stopping',
    'finished',
    'assistant toolCallRejected',
  ]);
  expect(content(client.heard.find(isContent('toolCallRejected')) ?? {})).toMatchObject({
    id: run.id,
    reason: 'userPromptStop',
  });
  expect(client.heard.some(isContent('text', { text: '\nPrompt stopped\n' }))).toBe(true);
  const before = client.heard.length;
  client.notify('chat/promptStop', { chatId: chat });
  await client.ask('jobs/list');
  expect(client.heard.slice(before).length).toBe(1);
});

test(`ECA: ${verifies('steer.echo')}`, async () => {
  const { client, chat, from, run } = await asked('echo steered');
  client.notify('chat/promptSteer', { chatId: chat, message: 'this way' });
  client.notify('chat/toolCallApprove', { chatId: chat, toolCallId: run.id });
  await client.until(isFinished, from);
  const said = client.heard.slice(from);
  const at = (fits: (message: Loose) => boolean) => said.findIndex(fits);
  expect(at(isContent('toolCalled'))).toBeLessThan(at(isContent('text', { text: 'this way\n' })));
  expect(said.filter(isFinished).length).toBe(1);
});

test(`ECA: ${verifies('error.provider')}`, async () => {
  const client = await editor();
  const said = await client.prompt(newChat(), 'fail auth The key is wrong.');
  expect(inShort(said).filter(whenever).slice(-3)).toEqual(['system text', 'status idle', 'finished']);
  expect(content(said.findLast(isContent('text')) ?? {}).text).toMatch(/^\n\n.*The key is wrong\./);
  expect(said.find(({ method }) => method === undefined)?.result.status).toBe('prompting');
});
