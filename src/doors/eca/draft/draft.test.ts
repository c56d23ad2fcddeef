// A client of the first draft over a connection in memory, and the pure parts beneath.
import { afterEach, describe, expect, test } from 'vitest';
import { ecaClient } from '../../../../test/kit/ecaClient.ts';
import type { EcaClient } from '../../../../test/kit/ecaClient.ts';
import { rig } from '../../../../test/kit/host.ts';
import type { Rig } from '../../../../test/kit/host.ts';
import { diffTexts } from '../../../base/textDiff.ts';
import { changesIn } from './changes.ts';
import { contextsFrom } from './inbound.ts';

let made: Rig | undefined;
let client: EcaClient;

afterEach(async () => {
  await client?.close();
  await made?.close();
  made = undefined;
});

async function start(): Promise<Rig> {
  const started = await rig();
  made = started;
  client = ecaClient(started.host);
  await client.request('initialize', {
    processId: 1,
    capabilities: { codeAssistant: { chat: true, doc: true, edit: false, fix: false } },
    workspaceFolders: [{ uri: 'file:///w', name: 'w' }],
  });
  client.notify('initialized', {});
  return started;
}

const contents = () =>
  client.wire.flatMap(({ method, params }) => (method === 'chat/contentReceived' ? [params] : []));

test('a prompt is answered in the words of the draft, and nothing newer is sent', async () => {
  const { scripts } = await start();
  scripts.set('hello', async (turn) => {
    expect(turn.message.attachments).toEqual([
      { type: 'file', path: '/w/a', lines: { start: 1, end: 3 } },
      { type: 'text', label: 'js', text: 'x()' },
    ]);
    turn.report({ kind: 'text.added', item: 'i', channel: 'reasoning', text: 'Hm.' });
    turn.report({ kind: 'text.added', item: 'j', channel: 'answer', text: 'See:\n```js\nf()\n```\n' });
    turn.report({ kind: 'usage.reported', usage: { input: 10, output: 2 } });
  });
  const context = [
    { type: 'file', path: '/w/a', selection: { startLine: 1, endLine: 3 } },
    { type: 'code', content: 'x()', language: 'js' },
    { type: 'terminal', whatever: 1 },
  ];
  const { result } = await client.request('chat/prompt', {
    chatId: 'c',
    message: 'hello',
    model: 'gpt-4',
    context,
  });
  expect(result).toEqual({
    chatId: 'c',
    status: 'success',
    resultMessage: 'The message was sent to the model.',
  });
  await client.until(({ params }) => params?.['isComplete'] === true);
  expect(contents()).toEqual([
    {
      chatId: 'c',
      isComplete: false,
      content: {
        type: 'text',
        text: '\nThe model gpt-4 is not available. script/one answers instead.\n',
      },
    },
    { chatId: 'c', isComplete: false, content: { type: 'text', text: 'See:\n```js\nf()\n```\n' } },
    {
      chatId: 'c',
      isComplete: true,
      content: { type: 'text', text: '', codeBlocks: [{ code: 'f()\n', language: 'js' }] },
      metadata: { tokensUsed: 12 },
    },
  ]);
  expect([...new Set(client.wire.flatMap(({ method }) => method ?? []))]).toEqual(['chat/contentReceived']);
});

test('nothing comes behind the last word, also where a stop leaves a call open', async () => {
  const { scripts } = await start();
  scripts.set('run', async (turn) => {
    turn.report({
      kind: 'tool.started',
      tool: 't',
      name: 'shell_command',
      title: 'Running',
      toolKind: 'execute',
      source: 'native',
    });
    turn.report({
      kind: 'tool.ready',
      tool: 't',
      input: { command: 'ls' },
      title: '$ ls',
      toolKind: 'execute',
    });
    await turn.approve({
      tool: 't',
      intent: { name: 'shell_command', toolKind: 'execute', input: { command: 'ls' }, paths: [] },
      title: '$ ls',
    });
  });
  await client.request('chat/prompt', { chatId: 'c', message: 'run' });
  await client.until(({ params }) =>
    String((params?.['content'] as { text?: string } | undefined)?.text).includes('waits for an approval'),
  );
  client.notify('chat/promptStop', { chatId: 'c' });
  await client.until(({ params }) => params?.['isComplete'] === true);
  await client.request('shutdown');
  expect(contents().slice(-2)).toEqual([
    { chatId: 'c', isComplete: false, content: { type: 'text', text: '\nPrompt stopped\n' } },
    { chatId: 'c', isComplete: true, content: { type: 'text', text: '' } },
  ]);
});

test('a change of a file is shown with its changes; other calls that wait are put into words', async () => {
  const { scripts } = await start();
  scripts.set('edit', async (turn) => {
    turn.report({
      kind: 'tool.started',
      tool: 't',
      name: 'edit_file',
      title: 'Editing',
      toolKind: 'edit',
      source: 'native',
    });
    turn.report({
      kind: 'tool.ready',
      tool: 't',
      input: {},
      title: 'Editing a',
      toolKind: 'edit',
      preview: [{ type: 'edit', path: '/w/a', before: 'one\ntwo\n', after: 'one\nTWO\n' }],
    });
    await turn.approve({
      tool: 't',
      intent: { name: 'edit_file', toolKind: 'edit', input: {}, paths: ['/w/a'] },
      title: 'Editing a',
    });
  });
  await client.request('chat/prompt', { chatId: 'c', message: 'edit' });
  await client.until(
    ({ params }) => (params?.['content'] as { type?: string } | undefined)?.type === 'fileChange',
  );
  expect(contents().at(-1)).toEqual({
    chatId: 'c',
    isComplete: false,
    content: {
      type: 'fileChange',
      description: 'Editing a',
      manualApproval: true,
      file: '/w/a',
      changes: [
        {
          kind: 'change',
          content: 'one\nTWO',
          range: { startLine: 1, endLine: 2 },
        },
      ],
    },
  });
});

test('what cannot be sent is told with the answer', async () => {
  await start();
  expect((await client.request('chat/prompt', { chatId: 'c', message: '  ' })).result).toEqual({
    chatId: 'c',
    status: 'connection-error',
    resultMessage: 'The message is empty. Type something, or attach a context.',
  });
  expect((await client.request('chat/prompt', { chatId: 'subagent-x', message: 'hi' })).result).toMatchObject(
    { status: 'connection-error' },
  );
  expect((await client.request('chat/prompt', { chatId: 'c' })).error).toMatchObject({ code: -32602 });
});

describe('changes', () => {
  test.each([
    [null, 'a\nb\n', [{ kind: 'create', content: 'a\nb' }]],
    ['a\n', '', [{ kind: 'delete', range: { startLine: 1, endLine: 1 } }]],
    [
      'a\n',
      'b\n',
      [
        {
          kind: 'change',
          content: 'b',
          range: { startLine: 1, endLine: 1 },
        },
      ],
    ],
  ] as const)('from %j to %j', (before, after, changes) =>
    expect(changesIn(diffTexts(before, after).diff)).toEqual(changes),
  );
});

test('a cursor becomes a context of its own', () => {
  const cursor = { line: 3, character: 4 };
  expect(
    contextsFrom([
      { type: 'file', path: '/a', selection: undefined, cursor },
      { type: 'web', url: 'http://x' },
      undefined,
    ]),
  ).toEqual([
    { type: 'file', path: '/a', linesRange: undefined },
    { type: 'cursor', path: '/a', position: { start: cursor, end: cursor } },
    { type: 'web', url: 'http://x' },
  ]);
});
