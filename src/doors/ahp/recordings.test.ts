// What a real VS Code said, said to our host: every recorded step must be able to go on.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attach } from '../../../test/kit/ahp.ts';
import type { AhpClient } from '../../../test/kit/ahp.ts';
import { rig } from '../../../test/kit/host.ts';
import type { Rig } from '../../../test/kit/host.ts';
import type { Loose } from '../../../test/kit/wire.ts';

const folder = join(
  import.meta.dirname,
  '..',
  '..',
  '..',
  '..',
  'shared',
  'conformance',
  'ahp',
  'recordings',
  'vscode-1.139-client',
);

test('there are recordings', () => {
  expect(readdirSync(folder)).toEqual([
    'vscode-ask.jsonl',
    'vscode-drop.jsonl',
    'vscode-tool.jsonl',
    'vscode-web-client.jsonl',
  ]);
});

test.each(readdirSync(folder))('%s', async (file) => {
  const on = await rig();
  const reconnected = teach(on);
  const said = readFileSync(join(folder, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => readLine(line));
  const steps = said.filter(({ dir }) => dir === 'C>S').map(({ m }) => m);
  let client = attach(on.host);
  const clients = [client];
  const turns: string[] = [];
  for (const { id, method, params } of steps) {
    if (method === 'initialize' || method === 'reconnect') {
      const old = client;
      await old.close();
      client = attach(on.host, { id: params.clientId }, method === 'reconnect' ? old : undefined);
      clients.push(client);
      if (method === 'reconnect') params.lastSeenServerSeq = old.lastSeen();
    }
    const result: unknown =
      id === undefined ? await dispatched(client, method, params) : await client.request(method, params);
    expect(result).toEqual(id === undefined ? undefined : (answers[method] ?? null));
    if (method === 'reconnect') reconnected();
    if (params?.action?.type === 'chat/turnStarted') turns.push(params.action.turnId);
    if (params?.action?.type === 'chat/turnStarted' && file === 'vscode-drop.jsonl')
      await client.wait(({ params: heard }) => heard?.action?.content === 'chunk2 ');
  }
  for (const turnId of turns)
    await client.wait(
      ({ params }) => params?.action?.type === 'chat/turnComplete' && params.action.turnId === turnId,
    );
  expect(turns).toHaveLength(1);
  for (const [channel, view] of client.views) {
    const fresh = (await client.peer.request('subscribe', { channel })) as Loose;
    expect(view).toEqual(fresh.snapshot.state);
  }
  expect(clients.flatMap(({ problems }) => problems)).toEqual([]);
  expect(on.problems).toEqual([]);
  await client.close();
  await on.close();
});

function readLine(line: string): Loose {
  return JSON.parse(
    line.replaceAll('stub:/', 'script:/').replaceAll('"provider":"stub"', '"provider":"script"'),
  );
}

/**
 * Dispatches as recorded, after what a person would have waited for; an action on a followed
 * channel comes back accepted.
 */
async function dispatched(client: AhpClient, method: string, params: Loose): Promise<void> {
  if (params.action?.type === 'chat/toolCallConfirmed') await client.action('chat/toolCallReady');
  if (params.action?.type === 'chat/inputCompleted')
    params.action.requestId = (await client.action('chat/inputRequested')).params.action.request.id;
  const from = client.said.length;
  client.notify(method, params);
  if (method !== 'dispatchAction' || !client.views.has(params.channel)) return;
  const echo = await client.wait(
    ({ method: heard, params: given }) =>
      heard === 'action' &&
      given.origin?.clientSeq === params.clientSeq &&
      given.action.type === params.action.type,
    from,
  );
  expect(echo.params).toMatchObject({
    channel: params.channel,
    origin: { clientId: client.id, clientSeq: params.clientSeq },
  });
  expect(echo.params.rejectionReason).toBeUndefined();
}

const answers: { readonly [method: string]: unknown } = {
  initialize: expect.objectContaining({
    protocolVersion: '0.9.0',
    snapshots: [expect.objectContaining({ resource: 'ahp-root://' })],
  }),
  reconnect: expect.objectContaining({ type: 'replay', missing: [] }),
  listSessions: { items: expect.any(Array) },
  resolveSessionConfig: {
    schema: { type: 'object', properties: { permissions: expect.any(Object) } },
    values: {},
    _meta: { permissions: 'ask', model: 'script/one' },
  },
  subscribe: {
    snapshot: { resource: expect.any(String), state: expect.any(Object), fromSeq: expect.any(Number) },
  },
};

/**
 * The agent does what the recorded one did. Returns the call that lets a turn go on after
 * the connection was cut.
 */
function teach({ scripts }: Rig): () => void {
  let goOn = () => {};
  const reconnected = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  scripts.set('*', async (turn) => {
    const { text } = turn.message;
    if (text.includes('ask'))
      await turn.ask({
        kind: 'question',
        message: 'Need info',
        questions: [
          {
            id: 'color',
            message: 'Which color?',
            answer: {
              type: 'one',
              choices: [
                { id: 'r', label: 'Red' },
                { id: 'b', label: 'Blue' },
              ],
              freeform: true,
            },
          },
        ],
      });
    if (text.includes('tool')) {
      turn.report({
        kind: 'tool.started',
        tool: 'tc1',
        name: 'shell',
        title: 'Run command',
        toolKind: 'execute',
        source: 'native',
      });
      turn.report({ kind: 'tool.input', tool: 'tc1', text: '{"command":"ls' });
      turn.report({
        kind: 'tool.ready',
        tool: 'tc1',
        input: { command: 'ls -la' },
        title: 'Run `ls -la`',
        toolKind: 'execute',
      });
      await turn.approve({
        tool: 'tc1',
        intent: {
          name: 'shell',
          toolKind: 'execute',
          input: { command: 'ls -la' },
          paths: [],
          command: 'ls -la',
        },
        title: 'Run in terminal',
      });
      turn.report({
        kind: 'tool.ended',
        tool: 'tc1',
        result: { status: 'done', content: [{ type: 'text', text: 'total 0' }] },
      });
    }
    for (let i = 0; i < 6; i += 1) {
      if (i === 3 && text.includes('drop')) await reconnected;
      turn.report({ kind: 'text.added', item: 'p1', channel: 'answer', text: `chunk${i} ` });
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  return goOn;
}
