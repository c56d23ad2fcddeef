// What the ECA configuration of a user does to a connection.
import { afterEach, expect, test } from 'vitest';
import { content, ecaClient } from '../../../../test/kit/ecaClient.ts';
import type { EcaClient } from '../../../../test/kit/ecaClient.ts';
import { rig } from '../../../../test/kit/host.ts';
import type { Rig } from '../../../../test/kit/host.ts';
import type { ClientConfiguration, ConfigurationSources } from '../options.ts';

let made: Rig;
let client: EcaClient;
let sources: ConfigurationSources | undefined;
let change: (now: ClientConfiguration) => void;
let left = false;
/** The order that each turn was asked to keep. */
let orders: (true | undefined)[] = [];
let end: () => Promise<unknown> = () => Promise.resolve();

afterEach(async () => {
  await client.close();
  await made.close();
});

async function start(initializationOptions: object = {}): Promise<void> {
  made = await rig();
  orders = [];
  made.scripts.set('*', async (turn) => {
    orders.push(turn.workspace.workbench()?.fixedOrder);
    turn.report({ kind: 'text.added', item: turn.session.turn, channel: 'answer', text: 're' });
  });
  client = ecaClient(made.host, {
    configure: (given, changed) => {
      sources = given;
      change = changed;
      return { end: () => end(), move: () => {}, leave: () => void (left = true) };
    },
  });
  await client.request('initialize', {
    initializationOptions,
    workspaceFolders: [{ uri: 'file:///w', name: 'w' }],
  });
  client.notify('initialized', {});
  await client.until(
    ({ method, params }) =>
      method === '$/progress' && params?.['type'] === 'finish' && params['taskId'] === 'models',
  );
  client.news();
}

test('is read from what the client sends and its folders, told when it changes, and left with the client', async () => {
  await start({ defaultModel: 'x', 'some-key': 1 });
  expect(sources).toEqual({ roots: ['/w'], initial: { defaultModel: 'x', 'some-key': 1 } });
  change({ welcomeMessage: 'Hello', problems: [] });
  change({ welcomeMessage: 'Hello', problems: [{ message: '/x is broken' }] });
  change({ welcomeMessage: 'Hello', problems: [{ message: '/x is broken' }] });
  await client.request('jobs/list');
  // The whole configuration: an editor may keep only the last one.
  const whole = { models: ['script/one'], selectModel: 'script/one', selectAgent: 'script' };
  expect(client.wire.findLast(({ method }) => method === 'config/updated')?.params).toMatchObject({
    chat: { ...whole, agents: ['script'], welcomeMessage: 'Hello' },
  });
  expect(client.news().slice(1, -1)).toEqual(['$/showMessage {"type":"warning","message":"/x is broken"}']);
  await client.close();
  expect(left).toBe(true);
});

test('missing trust is told once, not again in chats', async () => {
  await start();
  made.scripts.set('*', async (turn) => {
    for (const text of ['/w is not trusted', 'Something else.'])
      turn.report({ kind: 'notice.added', level: 'info', text });
  });
  change({ problems: [{ message: '/w is not trusted', untrusted: true }] });
  change({ problems: [{ message: '/w is not trusted', untrusted: true }] });
  for (const chatId of ['c', 'd']) {
    await client.request('chat/prompt', { chatId, message: 'hi' });
    await client.until(
      (message) => content('progress', 'finished')(message) && message.params?.['chatId'] === chatId,
    );
  }
  const told = client.wire.filter((message) => JSON.stringify(message).includes('not trusted'));
  expect(told.map(({ method }) => method)).toEqual(['$/showMessage']);
  expect(client.wire.filter((message) => JSON.stringify(message).includes('Something else')).length).toBe(2);
});

test('new chats may be trusted by it, and the client is told', async () => {
  await start();
  change({ trust: true, problems: [] });
  await client.request('chat/prompt', { chatId: 'c', message: 'hi' });
  await client.until(({ method, params }) => method === 'config/updated' && params?.['chatId'] === 'c');
  expect(made.host.opened('c')?.state.options).toEqual({ trust: true });
});

test('in tests a prompt is over when it is answered, for the client that asks for it alone', async () => {
  await start({ env: 'test' });
  await client.request('chat/prompt', { chatId: 'c', message: 'hi' });
  expect(client.wire.findIndex(content('progress', 'finished'))).toBeLessThan(client.wire.length - 1);
  expect(client.wire.at(-1)?.result).toMatchObject({ status: 'prompting' });
  const other = ecaClient(made.host);
  await other.request('initialize', { workspaceFolders: [{ uri: 'file:///w', name: 'w' }] });
  await other.request('chat/prompt', { chatId: 'd', message: 'hi' });
  await other.until(content('progress', 'finished'));
  await other.close();
  expect(orders).toEqual([true, undefined]);
});

test('the answer to shutdown comes after what is to happen at the end, and does not wait for what hangs', async () => {
  await start();
  let over = () => {};
  end = () =>
    new Promise<void>((resolve) => {
      over = resolve;
    });
  const answered = client.request('shutdown');
  await client.request('jobs/list');
  expect(client.news()).toEqual(['result {"jobs":[]}']);
  over();
  expect(await answered).toMatchObject({ result: null });
  end = () => new Promise(() => {});
  expect(await client.request('shutdown')).toMatchObject({ result: null });
});
