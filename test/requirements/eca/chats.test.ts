// Sections 3.7 to 3.10, 5 and 7: queries, commands, chats, selection, several editors, the first draft.
import { expect, test } from 'vitest';
import { verifies } from '../eca.ts';
import { editor, Editor, hello, newChat, place, shell } from './harness.ts';
import { content, inShort, isContent, isFinished } from './words.ts';

test(`ECA: ${verifies('query.chat', 'query.context', 'query.files', 'query.commands', 'context.kinds')}`, async () => {
  const client = await editor();
  const { workspace } = place();
  const all = (await client.ask('chat/queryContext', { query: 'a.t', contexts: [] })).result;
  expect(all).toEqual({
    chatId: null,
    contexts: [
      { type: 'repoMap' },
      { type: 'cursor' },
      { type: 'directory', path: workspace },
      { type: 'file', path: `${workspace}/src/a.txt` },
    ],
  });
  const less = (
    await client.ask('chat/queryContext', {
      chatId: 'c',
      query: 'a.t',
      contexts: [{ type: 'file', path: `${workspace}/src/a.txt` }, { type: 'repoMap' }],
    })
  ).result;
  expect(less).toEqual({
    chatId: 'c',
    contexts: [{ type: 'cursor' }, { type: 'directory', path: workspace }],
  });
  expect((await client.ask('chat/queryFiles', { query: 'src/' })).result).toEqual({
    chatId: null,
    files: [{ type: 'file', path: `${workspace}/src/a.txt` }],
  });
  const { commands } = (await client.ask('chat/queryCommands', { query: '' })).result;
  expect(commands.slice(0, 6).map(({ name }: { name: string }) => name)).toEqual([
    'init',
    'login',
    'model',
    'skills',
    'skill-create',
    'costs',
  ]);
  expect((await client.ask('chat/queryCommands', { query: 'say HI' })).result.commands).toEqual([
    {
      name: 'greet',
      description: 'Say hi',
      type: 'custom-prompt',
      arguments: [{ name: 'arg1', required: true }],
    },
  ]);
  const at = { line: 1, character: 2 };
  const contexts = [
    { type: 'file', path: '/x', linesRange: { start: 1, end: 2 } },
    { type: 'directory', path: '/' },
    { type: 'web', url: 'http://x' },
    { type: 'repoMap' },
    { type: 'cursor', path: '/x', position: { start: at, end: at } },
    { type: 'mcpResource', uri: 'x:y', name: 'n', description: 'd', mimeType: 'm', server: 's' },
    { type: 'image', mediaType: 'image/png', base64: 'AA==' },
    { type: 'text', label: 'l', content: 'c' },
    { type: 'newer', what: 1 },
  ];
  expect(inShort(await client.prompt(newChat(), 'say ok', { contexts }))).toContain(
    '"Parsing given context"',
  );
});

test(`ECA: ${verifies('command.order', 'command.custom')}`, async () => {
  const client = await editor();
  const chat = newChat();
  await client.prompt(chat, 'usage 10 2');
  const from = client.heard.length;
  await client.ask('chat/prompt', { chatId: chat, message: '/costs' });
  expect(inShort(client.heard.slice(from))).toEqual([
    'user text',
    'system text',
    'status idle',
    'finished',
    'answer',
  ]);
  const custom = await client.prompt(chat, '/greet Bob');
  expect(custom.map((message) => content(message).text ?? '').join('')).toContain('Hi Bob');
  const unknown = await client.prompt(chat, '/nosuch thing');
  expect(unknown.map((message) => content(message).text ?? '').join('')).toContain('You said: /nosuch thing');
});

test(`ECA: ${verifies('chat.list', 'chat.update', 'chat.history', 'chat.rollback', 'chat.flags', 'chat.fork', 'chat.clear', 'chat.delete')}`, async () => {
  const client = await editor();
  const chat = newChat();
  // Editors do this to a chat that they have only made up yet.
  for (const [method, params] of [
    ['chat/update', { trust: true }],
    ['chat/clear', { messages: true }],
  ] as const)
    expect((await client.ask(method, { chatId: chat, ...params })).result).toEqual({});
  for (const words of ['one', 'two', 'three']) await client.prompt(chat, `say ${words}`);
  const step = async (method: string, params: object) => {
    const from = client.heard.length;
    const { result } = await client.ask(method, { chatId: chat, ...params });
    return { result, words: inShort(client.heard.slice(from)), said: client.heard.slice(from) };
  };
  expect((await step('chat/update', { title: 'Renamed' })).words).toEqual(['system metadata', 'answer']);
  const row = (await client.ask('chat/list', { sortBy: 'updatedAt' })).result.chats.find(
    ({ id }: { id: string }) => id === chat,
  );
  expect(row).toMatchObject({
    id: chat,
    title: 'Renamed',
    status: 'idle',
    messageCount: 6,
    createdAt: expect.any(Number) as number,
    updatedAt: expect.any(Number) as number,
    model: 'scripted/scripted',
  });
  expect((await client.ask('chat/list', { limit: 1 })).result.chats.length).toBe(1);
  const page = (await step('chat/history', { limit: 2 })).result;
  expect(page.meta).toEqual({
    total: 6,
    returned: 2,
    beforeCursor: expect.any(String) as string,
    afterCursor: null,
    compactionCursor: null,
  });
  expect(
    (await step('chat/history', { limit: 2, before: page.meta.beforeCursor })).result.contents[0].content
      .text,
  ).toBe('\nsay two');
  const ids = client.heard
    .filter(
      (message) =>
        isContent('text')(message) && message.params.role === 'user' && message.params.chatId === chat,
    )
    .map((message) => String(content(message).contentId));
  const flagged = await step('chat/addFlag', { contentId: ids[0], text: 'here' });
  expect(flagged.words.slice(0, 3)).toEqual(['chat/cleared', 'user text', 'system flag']);
  const flag = content(flagged.said.find(isContent('flag')) ?? {}).contentId as string;
  const forked = await step('chat/fork', { contentId: ids[1] });
  expect(forked.words.filter((word) => word !== 'system usage')).toEqual([
    'chat/opened',
    'user text',
    'system flag',
    'assistant text',
    'user text',
    'system metadata',
    'system text',
    'answer',
  ]);
  expect(forked.said[0]?.params.title).toBe('Renamed (2)');
  // Clients offer it at flags, and then point at the flag.
  expect(
    (await step('chat/fork', { contentId: flag })).words.filter((word) => word !== 'system usage'),
  ).toEqual(['chat/opened', 'user text', 'system flag', 'system metadata', 'system text', 'answer']);
  expect((await step('chat/removeFlag', { contentId: flag })).words).toEqual(['answer']);
  expect(
    (await step('chat/rollback', { contentId: ids[1], include: ['messages', 'tools'] })).words.filter(
      (word) => word !== 'system usage',
    ),
  ).toEqual(['chat/cleared', 'user text', 'assistant text', 'system metadata', 'answer']);
  expect(
    (await step('chat/clear', { messages: true })).words.filter((word) => !/usage|metadata/.test(word)),
  ).toEqual(['chat/cleared', 'answer']);
  expect((await step('chat/delete', {})).words).toEqual(['chat/deleted', 'answer']);
});

test(`ECA: ${verifies('chat.open', 'chat.not-found', 'replay.texts', 'client.webview')}`, async () => {
  const first = await editor();
  const chat = newChat();
  await first.prompt(
    chat,
    `say Hello.\ntool read_file ${JSON.stringify({ path: `${place().workspace}/src/a.txt` })}`,
  );
  await first.close();
  const client = await editor();
  const from = client.heard.length;
  const { result } = await client.ask('chat/open', { chatId: chat });
  const words = inShort(client.heard.slice(from));
  expect(words.filter((word) => word !== 'system usage')).toEqual([
    'chat/cleared',
    'chat/opened',
    'user text',
    'assistant text',
    'assistant toolCallPrepare',
    'assistant toolCallRun',
    'assistant toolCallRunning',
    'assistant toolCalled',
    'assistant text',
    'system metadata',
    'config/updated',
    'config/updated',
    'answer',
  ]);
  expect(content(client.heard.slice(from).find(isContent('text')) ?? {}).text).toMatch(/^\nsay Hello/);
  expect(result).toMatchObject({
    found: true,
    chatId: chat,
    selection: {
      model: 'scripted/scripted',
      agent: expect.any(String) as string,
      variant: null,
      variants: [],
      trust: false,
    },
    meta: { afterCursor: null },
  });
  expect((await client.ask('chat/open', { chatId: 'nope' })).result).toEqual({ found: false });
});

test(`ECA: ${verifies('select.model', 'select.agent')}`, async () => {
  const client = await editor();
  const chat = newChat();
  await client.prompt(chat, 'say hi');
  let from = client.heard.length;
  client.notify('chat/selectedModelChanged', { chatId: chat, model: 'demo/demo', variant: null });
  expect((await client.until(({ method }) => method === 'config/updated', from)).params).toEqual({
    chatId: chat,
    chat: { variants: [], selectVariant: null },
  });
  for (const [method, params] of [
    ['chat/selectedAgentChanged', { chatId: chat, agent: 'code' }],
    ['chat/selectedBehaviorChanged', { behavior: 'code' }],
  ] as const) {
    from = client.heard.length;
    client.notify(method, params);
    expect((await client.until((message) => message.method === 'tool/serverUpdated', from)).params.type).toBe(
      'native',
    );
  }
});

test('ECA: a configuration for all chats is whole, and a chat then gets its own selection again', async () => {
  const client = await editor();
  const chat = newChat();
  await client.prompt(chat, 'say hi');
  client.notify('chat/selectedModelChanged', { chatId: chat, model: 'demo/demo', variant: null });
  await client.until(({ method, params }) => method === 'config/updated' && params.chatId === chat);
  const from = client.heard.length;
  client.notify('chat/selectedAgentChanged', { agent: 'plan' });
  const again = await client.until(
    ({ method, params }) => method === 'config/updated' && params.chatId === chat,
    from,
  );
  expect(again.params.chat).toMatchObject({ selectModel: 'demo/demo', selectAgent: 'code' });
  const whole = client.heard
    .slice(from)
    .find(({ method, params }) => method === 'config/updated' && params.chatId === undefined);
  expect(whole?.params.chat).toMatchObject({
    models: expect.arrayContaining(['demo/demo']) as string[],
    agents: expect.arrayContaining(['code', 'plan']) as string[],
    selectAgent: 'plan',
    selectModel: 'scripted/scripted',
    welcomeMessage: expect.any(String) as string,
  });
});

test('ECA: the question about a move names where the file goes, and does not look like a deletion', async () => {
  const client = await editor();
  const chat = newChat();
  const { workspace } = place();
  const move = { source: `${workspace}/src/a.txt`, destination: `${workspace}/other/a.txt` };
  await client.ask('chat/prompt', { chatId: chat, message: `tool move_file ${JSON.stringify(move)}` });
  const { params } = await client.until(isContent('toolCallRun'));
  expect(params.content).toMatchObject({
    summary: 'Moving src/a.txt to other/a.txt',
    arguments: move,
    manualApproval: true,
  });
  expect(params.content.details).toBeUndefined();
  client.notify('chat/toolCallReject', { chatId: chat, toolCallId: params.content.id });
  await client.until(isFinished);
});

test(`ECA: ${verifies('config.first', 'config.no-null', 'client.nvim')}`, async () => {
  const client = await editor();
  const { chat } = client.heard.find(({ method }) => method === 'config/updated')?.params ?? {};
  expect(chat).toMatchObject({
    models: expect.arrayContaining(['scripted/scripted', 'demo/demo']) as string[],
    selectModel: 'scripted/scripted',
    defaultModel: 'scripted/scripted',
    variants: [],
    welcomeMessage: expect.any(String) as string,
  });
  expect([chat.behaviors, chat.selectBehavior, chat.defaultBehavior]).toEqual([
    [...chat.agents, 'explorer', 'general'],
    chat.selectAgent,
    chat.defaultAgent,
  ]);
  expect(Object.entries(chat).filter(([key, value]) => value === null && key !== 'selectVariant')).toEqual(
    [],
  );
});

test(`ECA: ${verifies('workspace.folders', 'chat.trust')}`, async () => {
  const client = await editor();
  const chat = newChat();
  client.notify('workspace/didChangeWorkspaceFolders', {
    event: { added: [{ uri: 'file:///tmp/another', name: 'x' }], removed: [] },
  });
  expect(
    (await client.ask('chat/queryContext', { query: 'zzz', contexts: [] })).result.contexts.at(-1),
  ).toEqual({ type: 'directory', path: '/tmp/another' });
  client.notify('workspace/didChangeWorkspaceFolders', {
    event: { added: [], removed: [{ uri: 'file:///tmp/another', name: 'x' }] },
  });
  expect(
    (await client.ask('chat/queryContext', { query: 'zzz', contexts: [] })).result.contexts.at(-1),
  ).toEqual({ type: 'directory', path: place().workspace });
  const said = await client.prompt(chat, shell('echo trusted'), { trust: true });
  expect(content(said.find(isContent('toolCallRun')) ?? {})).toMatchObject({ manualApproval: false });
  const other = await editor();
  await other.ask('chat/open', { chatId: chat });
  const from = other.heard.length;
  await client.ask('chat/update', { chatId: chat, trust: false });
  expect((await other.until(({ method }) => method === 'config/updated', from)).params).toEqual({
    chatId: chat,
    chat: { selectTrust: false },
  });
});

test(`ECA: ${verifies('draft.dialect')}`, async () => {
  const client = new Editor();
  await client.ask(
    'initialize',
    hello({ capabilities: { codeAssistant: { chat: true, doc: true, edit: true, fix: true } } }),
  );
  client.notify('initialized', {});
  const chat = newChat();
  const { result } = await client.ask('chat/prompt', {
    chatId: chat,
    message: 'say Hello.\nusage 10 2',
    context: [{ type: 'code', content: 'x', language: 'js' }],
  });
  expect(result).toEqual({ chatId: chat, status: 'success', resultMessage: expect.any(String) as string });
  const last = await client.until(({ params }) => params?.isComplete === true);
  expect(last.params).toMatchObject({
    chatId: chat,
    content: { type: 'text' },
    metadata: { tokensUsed: expect.any(Number) as number },
  });
  expect([...new Set(client.heard.flatMap(({ method }) => method ?? []))]).toEqual(['chat/contentReceived']);
});

test(`ECA: ${verifies('client.two')}`, async () => {
  const [first, second] = [await editor(), await editor({ clientInfo: { name: 'vscode' } })];
  const chat = newChat();
  await first.ask('chat/prompt', { chatId: chat, message: shell('echo both') });
  await first.until(isContent('toolCallRun'));
  await second.ask('chat/open', { chatId: chat });
  const run = content(await second.until(isContent('toolCallRun')));
  second.notify('chat/toolCallApprove', { chatId: chat, toolCallId: run.id });
  await Promise.all([first.until(isFinished), second.until(isFinished)]);
  first.notify('chat/toolCallReject', { chatId: chat, toolCallId: run.id });
  expect((await first.until(({ method }) => method === '$/showMessage')).params.message).toMatch(
    /already.*vscode/,
  );
  await second.ask('chat/prompt', { chatId: chat, message: 'stream 3\nhang' });
  const from = second.heard.length;
  first.notify('chat/promptStop', { chatId: chat });
  await second.until(isFinished, from);
  expect(second.heard.slice(from).some(isContent('text', { text: '\nPrompt stopped\n' }))).toBe(true);
});
