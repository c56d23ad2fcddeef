// What ECA's own integration suite plays, on a real host with a provider and a server of tools on loopback.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '../../kit/bundle.ts';
import type { Bundle } from '../../kit/bundle.ts';
import { listenMcp } from '../../kit/mcpServer.ts';
import type { Listening } from '../../kit/mcpServer.ts';
import type { Loose, ReceivedNotification, Wire } from '../../kit/wire.ts';
import { verifies } from '../eca.ts';
import { ending, first, formats, opening, startRig } from './formats.ts';
import type { Rig } from './formats.ts';
import { content, inShort, isContent, isFinished } from './words.ts';

let rig: Rig;
let remote: Listening;
let raw: Bundle;
let eca: Wire;
/** What the editor answers to what we ask it. */
let answers: (method: string, params: Loose) => unknown = () => new Promise(() => {});

beforeAll(async () => {
  remote = await listenMcp(() => undefined);
  raw = await bundle(join(import.meta.dirname, '..', '..', 'kit', 'mcpRawServer.ts'));
  rig = await startRig({
    capabilities: { editor: { definition: true, references: true } },
    answers: (method, params) => answers(method, params),
  });
  ({ eca } = rig);
  await eca.request('mcp/addServer', { name: 'remote', url: remote.url });
  await eca.wait(
    ({ method, params }) =>
      method === 'tool/serverUpdated' &&
      params.name === 'remote' &&
      params.status === 'running' &&
      params.prompts?.length > 0,
  );
});

afterAll(async () => {
  await rig.close();
  await remote.close();
  raw.dispose();
});

const mine = (chat: string, fits: (said: ReceivedNotification) => boolean) => (said: ReceivedNotification) =>
  said.params?.chatId === chat && fits(said);
const prompt = (message: string, more: Parameters<Rig['prompt']>[2] = {}) =>
  rig.prompt('openai', message, more);
const lastAsked = () =>
  rig.fake.requests.findLast(({ asked }) => asked && !/title generator/i.test(asked.system));

test(`ECA: ${verifies('mcp.connects', 'mcp.native-first')}`, () => {
  const servers = eca.said
    .filter(({ method }) => method === 'tool/serverUpdated')
    .map(({ params }) => params);
  expect(servers[0]).toMatchObject({ type: 'native', name: 'ECA', status: 'running' });
  const own = servers.filter(({ name }) => name === 'remote');
  expect(own[0]).toMatchObject({
    type: 'mcp',
    status: 'starting',
    url: remote.url,
    command: null,
    args: null,
    disabled: false,
    hasAuth: false,
  });
  expect(own.at(-1)).toMatchObject({
    status: 'running',
    instructions: 'Add before you multiply.',
    tools: expect.arrayContaining([expect.objectContaining({ name: 'add', disabled: false })]) as Loose[],
  });
});

describe.each(formats)('$name', ({ provider }) => {
  test(`ECA: ${verifies('mcp.call', 'mcp.instructions', 'tool.origin')}`, async () => {
    const { words, said } = await rig.prompt(provider, 'TOOL:remote__add {"a":1,"b":2}');
    expect(words).toEqual([
      ...opening,
      '"Generating"',
      'assistant toolCallPrepare',
      'assistant toolCallRun',
      '"Waiting for tool call approval"',
      'assistant toolCallRunning',
      '"Calling tool"',
      'assistant toolCalled',
      '"Generating"',
      'assistant text',
      ...ending,
    ]);
    expect(first(said, 'toolCalled')).toMatchObject({
      name: 'add',
      server: 'remote',
      origin: 'mcp',
      error: null,
      arguments: { a: 1, b: 2 },
      outputs: [{ type: 'text', text: '1 and 2 make 3' }],
    });
    expect(lastAsked()?.asked).toMatchObject({
      results: ['1 and 2 make 3\n'],
      system: expect.stringMatching(
        /<mcp-server-instruction name="remote">\s+Add before you multiply\./,
      ) as string,
    });
  });

  test(`ECA: ${verifies('body.names', 'body.results', 'usage.calls', 'editor.able')}`, async () => {
    rig.asked();
    const { chat, said } = await rig.prompt(
      provider,
      `TOOL:directory_tree ${JSON.stringify({ path: rig.home.workspace })}`,
    );
    await rig.prompt(provider, 'And now?', { chat });
    const requests = rig.asked();
    const own = requests.map(
      ({ asked }) =>
        asked?.tools.filter(({ name }) => !/^(?:remote|raw\w+?)__/.test(name)).map(({ name }) => name) ?? [],
    );
    expect(
      own.every(
        (names) => names.includes('eca__directory_tree') && names.every((name) => name.startsWith('eca__')),
      ),
    ).toBe(true);
    // What this editor cannot tell about code no model asks for.
    expect(own[0]?.filter((name) => name.includes('editor'))).toEqual([
      'eca__editor_definition',
      'eca__editor_references',
    ]);
    // In the history of the turn, and of the next one, the call goes by the name that was offered.
    expect(requests.map(({ body }) => JSON.stringify(body).split('"eca__directory_tree"').length)).toEqual([
      2,
      expect.toSatisfy((count: number) => count > 2),
      expect.toSatisfy((count: number) => count > 2),
    ]);
    expect(requests.some(({ body }) => JSON.stringify(body).includes('"directory_tree"'))).toBe(false);
    expect(requests[1]?.asked?.results).toEqual([expect.stringMatching(/ files\n$/)]);
    const called = first(said, 'toolCalled');
    expect(called).toMatchObject({
      name: 'directory_tree',
      server: 'eca',
      origin: 'native',
      error: false,
      outputs: [{ text: expect.stringMatching(/ files$/) as string }],
    });
    const fills = said
      .filter(isContent('usage'))
      .map((each) =>
        content(each)['contextBreakdown'].categories.some(({ name }: Loose) => name === 'Tool calls'),
      );
    expect(fills).toEqual([false, true]);
  });

  test(`ECA: ${verifies('mcp.image')}`, async () => {
    const { said } = await rig.prompt(provider, 'TOOL:remote__picture {}');
    const kinds = said.map((each) => content(each).type);
    expect(kinds[kinds.indexOf('toolCalled') + 1]).toBe('image');
    expect(first(said, 'image')).toEqual({ type: 'image', mediaType: 'image/png', base64: 'iVBORw0KGgo=' });
  });

  test(`ECA: ${verifies('image.invalid', 'image.stays')}`, async () => {
    const hasPicture = (body: unknown) => JSON.stringify(body).includes('iVBORw0KGgo=');
    rig.answer(({ body }) =>
      !hasPicture(body)
        ? undefined
        : [
            {
              fail: {
                status: 400,
                message: 'messages.2.content.1.image: the image is 4x4, which is less than 100 pixels',
              },
            },
          ],
    );
    rig.asked();
    const { chat, words, text, said } = await rig.prompt(provider, 'TOOL:remote__picture {}');
    const told = words.slice(words.indexOf('assistant toolCalled'));
    expect(told.filter((word) => !word.startsWith('"'))).toEqual([
      'assistant toolCalled',
      'assistant image',
      'system text',
      'assistant text',
      ...ending,
    ]);
    expect(
      said.find(({ params }) => params.role === 'system' && params.content.type === 'text')?.params.content
        .text,
    ).toContain('rejected an image');
    expect(rig.asked().map(({ body }) => hasPicture(body))).toEqual([false, true, false]);
    expect(JSON.stringify(lastAsked()?.body)).toContain('[image removed: rejected by the LLM provider]');
    expect(text).not.toBe('');
    // It stays away from this model.
    await rig.prompt(provider, 'Go on.', { chat });
    rig.answer(undefined);
    expect(rig.asked().map(({ body }) => hasPicture(body))).toEqual([false]);
  });

  test(`ECA: ${verifies('compact.order', 'compact.unasked')}`, async () => {
    const { chat } = await rig.prompt(provider, 'Remember that the sky is green.');
    rig.answer(({ asked }) =>
      asked?.prompt.includes('compact_chat')
        ? [{ call: 'compact_chat', input: { summary: 'The sky is green.' } }]
        : undefined,
    );
    rig.asked();
    const from = eca.said.length;
    const { words, said } = await rig.prompt(provider, '/compact', { chat });
    rig.answer(undefined);
    expect(words).toEqual([
      'user text',
      'status running',
      '"Waiting model"',
      '"Generating"',
      'assistant toolCallPrepare',
      'assistant toolCallRun',
      'assistant toolCallRunning',
      '"Calling tool"',
      'assistant toolCalled',
      '"Generating"',
      ...ending,
      ...(words.at(-1) === 'system text' ? ['system text'] : []),
    ]);
    expect(first(said, 'toolCalled')).toMatchObject({
      name: 'compact_chat',
      outputs: [{ type: 'text', text: 'Compacted successfully!' }],
    });
    expect(said.flatMap((each) => content(each).summary ?? [])).toEqual(
      said.filter((each) => content(each).type?.startsWith('toolCall')).map(() => 'Compacting...'),
    );
    await eca.wait(mine(chat, isContent('text', { text: 'Compacted chat' })), from);
    await eca.wait(
      mine(chat, isContent('usage')),
      eca.said.findLastIndex(isContent('text', { text: 'Compacted chat' })),
    );
    const told = eca.said
      .slice(from)
      .filter(mine(chat, ({ method }) => method === 'chat/contentReceived'))
      .map((each) => content(each).type)
      // A title comes when it is ready.
      .filter((type) => type !== 'progress' && type !== 'metadata');
    const prepared = told.filter((type) => type === 'toolCallPrepare');
    expect(told).toEqual([
      'text',
      ...prepared,
      'usage',
      'toolCallRun',
      'toolCallRunning',
      'toolCalled',
      'text',
      'usage',
    ]);
    // Some providers send calls in one piece.
    expect(
      said
        .filter(isContent('toolCallPrepare'))
        .map((each) => content(each).argumentsText)
        .join(''),
    ).toBe(prepared.length === 1 ? '' : '{"summary":"The sky is green."}');
    expect(rig.asked()).toHaveLength(1);
    await rig.prompt(provider, 'What colour is it?', { chat });
    expect(JSON.stringify(lastAsked()?.body)).toContain('The sky is green.');
    const unasked = await rig.prompt(provider, 'TOOL:compact_chat {"summary":"It is gone."}', { chat });
    expect(first(unasked.said, 'toolCalled')).toMatchObject({ name: 'compact_chat', error: true });
    expect(JSON.stringify(lastAsked()?.body)).toContain('What colour is it?');
  });

  test(`ECA: ${verifies('subagent.end-to-end', 'subagent.named')}`, async () => {
    const call = {
      agent: 'explorer',
      task: `TOOL:directory_tree ${JSON.stringify({ path: rig.home.workspace })}`,
      activity: 'looking',
    };
    rig.answer(({ asked }) =>
      asked?.prompt === 'Find out' && asked.results.length === 0
        ? [{ call: 'spawn_agent', input: call, id: `spawn_${provider}` }]
        : undefined,
    );
    const { chat, said, text } = await rig.prompt(provider, 'Find out');
    // A provider that numbers its calls in every chat anew has given this name before, and the client hears
    // the right one from the start.
    const again = await rig.prompt(provider, 'Find out');
    rig.answer(undefined);
    const { subagentChatId } = first(again.said, 'toolCallRun', { name: 'spawn_agent' }).details;
    expect(
      new Set(
        again.said.flatMap(({ params }) => (params.parentChatId === again.chat ? [params.chatId] : [])),
      ),
    ).toEqual(new Set([subagentChatId]));
    const { id } = first(said, 'toolCallRun', { name: 'spawn_agent' });
    const inside = said.filter(({ params }) => params.parentChatId === chat);
    expect(new Set(inside.map(({ params }) => params.chatId))).toEqual(new Set([`subagent-${id}`]));
    expect(inside.map((each) => content(each).type)).toEqual(
      expect.arrayContaining(['text', 'toolCallRun', 'toolCalled', 'progress']),
    );
    const called = first(said, 'toolCalled', { name: 'spawn_agent' });
    expect(called).toMatchObject({
      summary: 'explorer: looking',
      error: false,
      details: {
        type: 'subagent',
        subagentChatId: `subagent-${id}`,
        model: `${provider}/fake-large`,
        agentName: 'explorer',
        step: 2,
      },
    });
    expect(called.outputs[0].text).toMatch(/^## Agent 'explorer' Result/);
    expect(text).toContain("## Agent 'explorer' Result");
    expect(said.filter(isContent('progress', { text: 'Waiting subagent' })).length).toBeGreaterThan(0);
  });

  test(`ECA: ${verifies('subagent.retry', 'retry.progress')}`, async () => {
    const task = `TOOL:directory_tree ${JSON.stringify({ path: rig.home.workspace })}`;
    let failed = false;
    rig.answer(({ asked }) => {
      if (asked?.prompt === 'Find out slowly')
        return asked.results.length === 0
          ? [{ call: 'spawn_agent', input: { agent: 'explorer', task } }]
          : undefined;
      if (failed || asked?.results.length === 0) return undefined;
      failed = true;
      return [
        {
          fail: {
            status: provider === 'anthropic' ? 529 : 503,
            message: 'Overloaded',
            headers: { 'retry-after': '0' },
          },
        },
      ];
    });
    const { said, words } = await rig.prompt(provider, 'Find out slowly');
    rig.answer(undefined);
    const inside = said.filter(({ params }) => params.parentChatId !== undefined);
    expect(
      inside.some(
        (each) =>
          isContent('progress')(each) && /^⏳ Provider overloaded.*Retrying/.test(String(content(each).text)),
      ),
    ).toBe(true);
    expect(inside.filter(isContent('toolCalled', { name: 'directory_tree' }))).toHaveLength(1);
    expect(first(said, 'toolCalled', { name: 'spawn_agent' })).toMatchObject({ error: false });
    expect([
      words.slice(-3),
      said.filter((each) => isFinished(each) && each.params.parentChatId === undefined).length,
    ]).toEqual([['assistant text', ...ending], 1]);
  });

  test(`ECA: ${verifies('mcp.list-changed')}`, async () => {
    const from = eca.said.length;
    const server = `raw${provider}`;
    await eca.request('mcp/addServer', { name: server, command: process.execPath, args: [raw.path] });
    await eca.wait(
      ({ method, params }) =>
        method === 'tool/serverUpdated' && params.name === server && params.status === 'running',
      from,
    );
    rig.asked();
    await rig.prompt(provider, `TOOL:${server}__grow {}`);
    const offered = rig
      .asked()
      .map(({ asked }) => asked?.tools.some(({ name }) => name === `${server}__grown`));
    expect(offered).toEqual([false, true]);
    await eca.wait(
      ({ method, params }) =>
        method === 'tool/serverUpdated' &&
        params.name === server &&
        params.tools?.some(({ name }: Loose) => name === 'grown'),
      from,
    );
    const { said } = await rig.prompt(provider, `TOOL:${server}__grown {}`);
    expect(first(said, 'toolCalled')).toMatchObject({ name: 'grown', server, error: null });
  });

  test(`ECA: ${verifies('editor.nav')}`, async () => {
    const file = rig.put('workspace/nav.ts', 'const one = 1;\nuse(one);\n');
    const heard: Loose[] = [];
    answers = (method, params) => {
      heard.push([method, params]);
      if (method === 'editor/getDefinition')
        return {
          status: 'success',
          locations: [
            {
              uri: `file://${file}`,
              range: { start: { line: 1, character: 7 }, end: { line: 1, character: 10 } },
            },
          ],
        };
      return { status: 'error', message: 'The index is gone.' };
    };
    const call = { path: file, line: 2, symbol: 'one' };
    const found = first(
      (await rig.prompt(provider, `TOOL:editor_definition ${JSON.stringify(call)}`)).said,
      'toolCalled',
    );
    const failed = first(
      (await rig.prompt(provider, `TOOL:editor_references ${JSON.stringify(call)}`)).said,
      'toolCalled',
    );
    expect(heard).toEqual([
      ['editor/getDefinition', { uri: `file://${file}`, position: { line: 2, character: 5 } }],
      [
        'editor/getReferences',
        { uri: `file://${file}`, position: { line: 2, character: 5 }, includeDeclaration: false },
      ],
    ]);
    expect([found.error, found.outputs[0].text]).toEqual([false, expect.stringContaining(`${file}:1:7`)]);
    expect([failed.error, failed.outputs[0].text]).toEqual([
      true,
      'Editor failed to find references: The index is gone. Use eca__grep as fallback.',
    ]);
  });

  test(`ECA: ${verifies('jobs.life')}`, async () => {
    const from = eca.said.length;
    const { chat } = await rig.prompt(
      provider,
      'TOOL:shell_command {"command":"sleep 60","background":"sleeper"}',
    );
    const { params } = await eca.wait(
      ({ method, params: { jobs } }) =>
        method === 'jobs/updated' && jobs.some(({ chatId }: Loose) => chatId === chat),
      from,
    );
    const job = params.jobs.at(-1);
    expect(job).toMatchObject({
      type: 'shell',
      status: 'running',
      label: 'sleep 60',
      summary: 'sleeper',
      exitCode: null,
      chatId: chat,
      toolCallId: expect.any(String) as string,
      startedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      elapsed: expect.stringMatching(/^\d+s$/) as string,
    });
    expect(
      (await eca.request('jobs/list', {})).jobs.filter(({ status }: Loose) => status === 'running'),
    ).toMatchObject([{ id: job.id, chatId: chat }]);
    expect(await eca.request('jobs/readOutput', { jobId: job.id })).toEqual({
      lines: [],
      status: 'running',
      exitCode: null,
    });
    expect(await eca.request('jobs/kill', { jobId: job.id })).toEqual({ killed: true });
    await eca.wait(
      (said) =>
        said.method === 'jobs/updated' &&
        said.params.jobs.some(({ id, status }: Loose) => id === job.id && status === 'killed'),
      from,
    );
    expect(await eca.request('jobs/kill', { jobId: job.id })).toEqual({ killed: false });
    expect(await eca.request('jobs/readOutput', { jobId: 'job-99' })).toEqual({
      lines: [],
      status: null,
      exitCode: null,
    });
  });

  test(`ECA: ${verifies('assist.real')}`, async () => {
    const from = eca.said.length;
    eca.notify('chat/selectedModelChanged', { model: `${provider}/fake-large` });
    const range = { start: { line: 1, character: 1 }, end: { line: 1, character: 4 } };
    const { model } = await eca.request('rewrite/prompt', {
      id: 'r1',
      text: 'abc',
      prompt: 'upper',
      path: `${rig.home.workspace}/a.txt`,
      range,
    });
    await eca.wait(
      ({ method, params }) => method === 'rewrite/contentReceived' && params.content.type === 'finished',
      from,
    );
    const kinds = eca.said
      .slice(from)
      .filter(({ method }) => method === 'rewrite/contentReceived')
      .map(({ params }) => params.content.type);
    expect([model, kinds[0], kinds.includes('text'), kinds.at(-1)]).toEqual([
      `${provider}/fake-large`,
      'started',
      true,
      'finished',
    ]);
    expect(lastAsked()?.asked).toMatchObject({
      prompt: 'upper',
      tools: [],
      system: expect.stringContaining('abc') as string,
    });
    const { items } = await eca.request('completion/inline', {
      'doc-text': 'def f',
      'doc-version': 3,
      position: { line: 1, character: 6 },
    });
    expect(items).toEqual([
      {
        text: expect.stringMatching(/.+/) as string,
        docVersion: 3,
        range: { start: { line: 1, character: 6 }, end: { line: 1, character: 6 } },
      },
    ]);
    // Nobody has chosen who completes.
    expect(lastAsked()?.body['model']).toBe('gpt-4.1');
  });

  test(`ECA: ${verifies('chat.list-open')}`, async () => {
    const { chat: one } = await rig.prompt(provider, 'First');
    // The title comes when it is ready, and is news of its chat.
    const titleOf = async (chat: string) =>
      (await eca.request('chat/list', {})).chats.find(({ id }: Loose) => id === chat)?.title;
    await expect.poll(() => titleOf(one)).toEqual(expect.any(String));
    const { chat: two } = await rig.prompt(provider, 'Second');
    await expect.poll(() => titleOf(two)).toEqual(expect.any(String));
    const { chats: all } = await eca.request('chat/list', {});
    expect(all.slice(0, 2).map(({ id }: Loose) => id)).toEqual([two, one]);
    expect((await eca.request('chat/list', { limit: 1 })).chats).toHaveLength(1);
    expect(all[0]).toMatchObject({ status: 'idle', messageCount: 2, model: `${provider}/fake-large` });
    const from = eca.said.length;
    expect(await eca.request('chat/open', { chatId: one })).toMatchObject({
      found: true,
      chatId: one,
      selection: { model: `${provider}/fake-large`, trust: false },
    });
    expect(inShort(eca.said.slice(from)).slice(0, 4)).toEqual([
      'chat/cleared',
      'chat/opened',
      'user text',
      'assistant text',
    ]);
  });
});

test(`ECA: ${verifies('mcp.prompts', 'mcp.resources', 'command.order-all')}`, async () => {
  const { commands } = await eca.request('chat/queryCommands', { query: '' });
  expect(commands[0]).toEqual({
    name: 'remote:greet',
    description: 'Greets.',
    type: 'mcpPrompt',
    arguments: [expect.objectContaining({ name: 'who', required: true })],
  });
  // What else our agent and the host take comes last; /continue and /cost clients have by other means.
  expect(commands.filter(({ type }: Loose) => type === 'native').map(({ name }: Loose) => name)).toEqual([
    'init',
    'login',
    'model',
    'skills',
    'skill-create',
    'costs',
    'context',
    'compact',
    'fork',
    'resume',
    'export',
    'import',
    'remote',
    'config',
    'doctor',
    'debug-chat',
    'repo-map-show',
    'rules',
    'prompt-show',
    'sync-system-prompt',
    'subagents',
    'plugins',
    'plugin-install',
    'plugin-uninstall',
    'hooks',
    'undo',
    'redo',
    'help',
    'mode',
    'permissions',
    'effort',
    'trust',
  ]);
  const filtered = (await eca.request('chat/queryCommands', { query: 'CO' })).commands;
  expect(filtered.map(({ name }: Loose) => name)).toEqual([
    'login',
    'skill-create',
    'costs',
    'context',
    'compact',
    'remote',
    'config',
    'subagents',
    'plugins',
    'help',
  ]);
  expect(
    commands
      .filter(({ arguments: given }: Loose) => given?.[0]?.required)
      .map(({ name, arguments: given }: Loose) => [name, ...given.map((each: Loose) => each.name)]),
  ).toEqual([
    ['remote:greet', 'who'],
    ['skill-create', 'name', 'prompt'],
    ['plugin-install', 'plugin'],
    ['plugin-uninstall', 'plugin'],
  ]);
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

test('ECA: only chats that began in an ECA client speak to models as ECA does', async () => {
  rig.asked();
  const { code, out } = await rig.home.run(
    'run',
    '--model',
    'openai/fake-large',
    `TOOL:directory_tree ${JSON.stringify({ path: rig.home.workspace })}`,
  ).done;
  expect([code, out]).toEqual([0, expect.stringContaining('The tool said:')]);
  const requests = rig.asked();
  expect(
    requests.map(({ asked }) => [
      asked?.tools.some(({ name }) => name === 'directory_tree'),
      asked?.tools.some(({ name }) => name.startsWith('eca__')),
    ]),
  ).toEqual([
    [true, false],
    [true, false],
  ]);
  expect(requests[1]?.asked?.results).toEqual([expect.stringMatching(/ files$/)]);
  expect(requests[0]?.asked?.system).toContain('You are Parley');
});

test(`ECA: ${verifies('command.init')}`, async () => {
  const from = eca.said.length;
  const { chat } = await prompt('/init');
  await eca.wait(({ method, params }) => method === 'chat/cleared' && params.chatId === chat, from);
  expect(lastAsked()?.asked?.prompt).toContain('write an AGENTS.md');
  expect(await eca.request('chat/history', { chatId: chat })).toMatchObject({
    contents: [],
    meta: { total: 0 },
  });
  await prompt('What now?', { chat });
  expect(JSON.stringify(lastAsked()?.body)).not.toContain('/init');
  // Where more was said meanwhile, the model forgets all the same.
  let write = () => {};
  const waits = new Promise<void>((resolve) => (write = resolve));
  rig.answer(({ asked }) =>
    asked?.prompt.includes('write an AGENTS.md')
      ? [{ text: 'I write' }, { until: waits }, { text: ' it.' }]
      : undefined,
  );
  const more = 'init-more';
  await eca.request('chat/prompt', { chatId: more, message: '/init', model: 'openai/fake-large' });
  await eca.request('chat/prompt', { chatId: more, message: 'And what is it for?' });
  write();
  await eca.wait(mine(more, isContent('text', { text: 'And what is it for?\n' })));
  await eca.wait(
    mine(more, isFinished),
    eca.said.findLastIndex(mine(more, isContent('text', { text: 'And what is it for?\n' }))),
  );
  expect(JSON.stringify(lastAsked()?.body)).toContain('And what is it for?');
  expect(JSON.stringify(lastAsked()?.body)).not.toMatch(/write an AGENTS.md|I write/);
  // One that was stopped can be gone on with.
  rig.answer(() => [{ text: 'I look' }, { until: new Promise(() => {}) }]);
  const stopped = 'init-stopped';
  await eca.request('chat/prompt', { chatId: stopped, message: '/init', model: 'openai/fake-large' });
  eca.notify('chat/promptStop', { chatId: stopped });
  await eca.wait(mine(stopped, isFinished));
  rig.answer(undefined);
  expect((await eca.request('chat/history', { chatId: stopped })).meta.total).toBeGreaterThan(0);
});
