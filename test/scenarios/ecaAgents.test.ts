// External agents in ECA: each is an agent to choose, with its modes and models, and a chat with one
// works like any other.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle } from '../kit/bundle.ts';
import type { Bundle } from '../kit/bundle.ts';
import { ecaClient } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import type { ReceivedNotification, Wire } from '../kit/wire.ts';

let agent: Bundle;
let home: Home;
let eca: Wire;

beforeAll(async () => {
  agent = await bundle(join(import.meta.dirname, '..', 'kit', 'referenceAgent.ts'));
  home = newHome();
  await home.run(
    'agents',
    'add',
    'ref',
    '--name',
    'The reference',
    '--env',
    `REFERENCE_AGENT=${JSON.stringify({ offers: ['modes', 'models'] })}`,
    '--',
    process.execPath,
    agent.path,
  ).done;
  await home.serve();
  eca = await ecaClient(home);
});

afterAll(async () => {
  await eca.close();
  await home.dispose();
  agent.dispose();
});

const content =
  (type: string, more: object = {}) =>
  ({ params }: ReceivedNotification) =>
    params?.content?.type === type &&
    Object.entries(more).every(([key, value]) => params.content[key] === value);
const isFinished = content('progress', { state: 'finished' });

test('an agent is chosen by its name, its models appear, and choosing one of them chooses the agent', async () => {
  const { params } = await eca.wait(
    ({ method, params: given }) => method === 'config/updated' && given.chat.agents?.includes('ref'),
  );
  expect(params.chat.behaviors).toEqual([...params.chat.agents, 'explorer', 'general']);
  await eca.request('chat/prompt', { chatId: 'with-ref', message: 'hello', agent: 'ref' });
  await eca.wait(isFinished);
  expect(eca.said.some((said) => content('text')(said) && said.params.role === 'assistant')).toBe(true);
  const { params: told } = await eca.wait(
    ({ method, params: given }) =>
      method === 'config/updated' &&
      given.chatId === undefined &&
      given.chat.models?.some((model: string) => model.includes('small')),
  );
  const small = told.chat.models.find((model: string) => model.includes('small')) as string;
  const from = eca.said.length;
  const answer = await eca.request('chat/prompt', {
    chatId: 'by-model',
    message: 'hello again',
    model: small,
  });
  expect(answer).toMatchObject({ chatId: 'by-model', model: small, status: 'prompting' });
  await eca.wait(isFinished, from);
  expect((await eca.request('chat/open', { chatId: 'by-model' })).selection).toMatchObject({
    model: small,
    agent: expect.stringMatching(/^ref/) as string,
  });
});

test('what it asks is asked in the editor', async () => {
  const from = eca.said.length;
  await eca.request('chat/prompt', { chatId: 'asks', message: 'shell echo hi', agent: 'ref' });
  const { params } = await eca.wait(content('toolCallRun', { manualApproval: true }), from);
  eca.notify('chat/toolCallApprove', { chatId: 'asks', toolCallId: params.content.id });
  const called = await eca.wait(content('toolCalled', { id: params.content.id }), from);
  expect(JSON.stringify(called.params.content.outputs)).toContain('hi');
  await eca.wait(isFinished, from);
});
