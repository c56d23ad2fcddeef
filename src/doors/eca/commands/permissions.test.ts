// The permission mode in ECA clients: chosen by a question, told when somebody else chooses it, red if full.
import { afterEach, expect, test } from 'vitest';
import { content, greetedClient } from '../../../../test/kit/ecaClient.ts';
import type { EcaClient } from '../../../../test/kit/ecaClient.ts';
import { testClient, testWorld } from '../../../../test/kit/host.ts';
import { MemoryStore } from '../../../../test/kit/memoryStore.ts';
import { Host } from '../../../host/host.ts';
import type { Settings } from '../../../host/settings/settings.ts';
import { sessionCommands } from '../../../host/turns/sessionCommands.ts';

let host: Host;
let client: EcaClient;

afterEach(async () => {
  await client.close();
  await host.close();
});

async function start(asks: boolean, settings?: Settings): Promise<void> {
  const agent = {
    info: { id: 'a', name: 'A', description: '', models: [], commands: sessionCommands },
    open: () =>
      Promise.resolve({
        ref: 'x',
        prompt: () => Promise.resolve({ kind: 'completed' } as const),
        close: () => Promise.resolve(),
      }),
  };
  host = await Host.start({ ...testWorld(new MemoryStore()), ...(settings ? { settings } : {}) }, [agent]);
  client = await greetedClient(host, { name: 'emacs', ...(asks ? { asks } : {}) });
  host.create({ id: 'c', roots: ['/w'] }, testClient);
  await client.request('chat/open', { chatId: 'c' });
  client.news();
}

const mode = () => host.opened('c')?.head.autonomy;
const isQuestion = ({ method }: { readonly method?: string }) => method === 'chat/askQuestion';

/** Types the command, and gives what the client is asked. */
async function asked(): Promise<{ readonly id?: unknown; readonly options: unknown }> {
  await client.request('chat/prompt', { chatId: 'c', message: '/permissions' });
  const { id, params } = await client.until(isQuestion);
  return { id, options: params?.['options'] };
}

test('a client that asks lets its user choose among the five modes', async () => {
  await start(true);
  const { id, options } = await asked();
  expect(options).toEqual([
    { label: 'Plan', description: 'Changes nothing.' },
    { label: 'Ask', description: 'Everything but reading in the workspace asks. (in use)' },
    { label: 'Edits', description: 'Edits in the workspace run unasked.' },
    { label: 'Auto', description: 'Edits, and commands inside the sandbox, run unasked.' },
    { label: '🔴 Full', description: 'Everything runs unasked, with your rights.' },
  ]);
  client.send({ jsonrpc: '2.0', id, result: { answer: '🔴 Full', cancelled: false } });
  const text =
    '\n🔴 The permission mode is full, chosen by emacs. Everything runs unasked, with your rights.\n';
  await client.until(content('text', text));
  expect(mode()).toMatchObject({ level: 'full', by: { name: 'emacs' } });
});

test.each([
  ['cancelled', { answer: null, cancelled: true }],
  ['answered with another word', { answer: 'everything', cancelled: false }],
])('a choice that is %s changes nothing', async (_, result) => {
  await start(true);
  const { id } = await asked();
  client.send({ jsonrpc: '2.0', id, result });
  await client.request('chat/queryCommands', { query: '' });
  expect(mode()).toBeUndefined();
});

test('a mode can be typed, and is listed for a client that cannot ask', async () => {
  await start(false);
  const { result } = await client.request('chat/queryCommands', { query: 'permissions' });
  expect(result).toMatchObject({ commands: [{ name: 'permissions', arguments: [{ name: 'mode' }] }] });
  await client.request('chat/prompt', { chatId: 'c', message: '/permissions edits' });
  await expect.poll(mode).toMatchObject({ level: 'edits', by: { name: 'emacs' } });
  await client.until(content('progress', 'finished'));
  await client.request('chat/prompt', { chatId: 'c', message: '/permissions' });
  await client.until(({ params }) => JSON.stringify(params ?? '').includes('in use, chosen by emacs'));
});

test('a mode that somebody else chose is told, also when the chat is opened again', async () => {
  await start(false);
  const other = { ...testClient, name: 'console', device: 'Phone' };
  host.opened('c')?.dispatch({ kind: 'changeSession', changes: { autonomy: 'full' } }, other);
  const text =
    '\n🔴 The permission mode is full, chosen by console (Phone). Everything runs unasked, with your rights.\n';
  await client.until(content('text', text));
  const from = client.wire.length;
  await client.request('chat/open', { chatId: 'c' });
  expect(client.wire.slice(from).some(content('text', text))).toBe(true);
});

test('a new chat whose mode comes from the settings says so', async () => {
  // Only what a session reads.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const settings = {
    of: () => ({ permissions: { mode: 'edits' }, approvals: [] }),
    problems: () => [],
    watch: () => () => {},
  } as unknown as Settings;
  await start(false, settings);
  await client.request('chat/prompt', { chatId: 'new', message: 'hello' });
  const text =
    '\nThe permission mode is edits, chosen by the settings. Edits in the workspace run unasked.\n';
  const isTold = content('text', text);
  const { params } = await client.until((message) => message.params?.['chatId'] === 'new' && isTold(message));
  expect(params).toMatchObject({ role: 'system' });
});
