// One client and the host, over a connection in memory: what goes over the wire, in which order.
import { describe, expect, test } from 'vitest';
import { content, ecaClient } from '../../../test/kit/ecaClient.ts';
import { says, shell, useEcaHost } from '../../../test/kit/ecaHost.ts';
import { until } from '../../../test/kit/host.ts';
import type { Script } from '../../../test/kit/host.ts';

const folders = [{ uri: 'file:///w', name: 'w' }];
const { start, connect, closeLater } = useEcaHost();

const finished = content('progress', 'finished');

const hangs: Script = (turn) =>
  new Promise((resolve) => turn.signal.addEventListener('abort', () => resolve(undefined)));

describe('handshake', () => {
  test('initialize is answered at once, the rest follows initialized', async () => {
    const { host } = await start();
    const client = ecaClient(host, {
      nativeAgent: {
        tools: () => [{ name: 'read_file', description: 'Reads.', parameters: { type: 'object' } }],
        systemPrompt: () => '',
      },
    });
    closeLater(client);
    const { result } = await client.request('initialize', {
      processId: null,
      capabilities: {},
      workspaceFolders: folders,
    });
    expect(result).toEqual({
      chatWelcomeMessage: expect.stringContaining('# Welcome to ECA!\n\nParley is the server.') as string,
      serverInfo: { name: 'parley', version: '1.2.3' },
    });
    client.news();
    client.notify('initialized');
    await client.until(({ params }) => params?.['type'] === 'finish' && params['taskId'] === 'models');
    const welcome = JSON.stringify((result as { chatWelcomeMessage: string }).chatWelcomeMessage);
    expect(client.news()).toEqual([
      '$/progress {"type":"start","taskId":"models","title":"Syncing models"}',
      ...['plugins","title":"Resolving plugins', 'cleanup","title":"Cleaning up'].flatMap((task) =>
        ['start', 'finish'].map((type) => `$/progress {"type":"${type}","taskId":"${task}"}`),
      ),
      `config/updated {"chat":{"models":["script/one"],"agents":["script"],"behaviors":["script","explorer","general"],"variants":[],"selectVariant":null,"selectModel":"script/one","defaultModel":"script/one","selectAgent":"script","selectBehavior":"script","defaultAgent":"script","defaultBehavior":"script","welcomeMessage":${welcome}}}`,
      '$/progress {"type":"start","taskId":"mcp-servers","title":"Initializing MCP servers"}',
      'tool/serverUpdated {"type":"native","name":"ECA","status":"running","tools":[{"name":"read_file","description":"Reads.","parameters":{"type":"object"},"disabled":false}]}',
      '$/progress {"type":"finish","taskId":"mcp-servers","title":"Initializing MCP servers"}',
      '$/progress {"type":"finish","taskId":"models","title":"Syncing models"}',
    ]);
  });

  test('shutdown is answered with null, exit ends the connection', async () => {
    const codes: number[] = [];
    const client = await connect(await start(), { processes: { exit: (code) => void codes.push(code) } });
    await client.request('shutdown', null);
    expect(client.news()).toEqual(['result null']);
    client.notify('exit', null);
    await client.served;
    expect(codes).toEqual([0]);
  });

  test('shutdown is answered also if exit follows at once', async () => {
    const client = await connect(await start());
    const answered = client.request('shutdown', null);
    client.notify('exit', null);
    expect(await answered).toMatchObject({ result: null });
    await client.served;
  });
});

describe('prompt', () => {
  test('with an id of the client: echo, status, progress, answer, text, end', async () => {
    const client = await connect(await start({ hello: says('Echo') }));
    await client.request('chat/prompt', {
      chatId: 'c',
      message: ' hello ',
      model: 'script/one',
      agent: 'script',
      contexts: [],
    });
    await client.until(finished);
    expect(client.news()).toEqual([
      'chat/opened {"chatId":"c"}',
      'user text "hello\\n"',
      'chat/statusChanged {"chatId":"c","status":"running"}',
      'system progress "Waiting model"',
      'result {"chatId":"c","model":"script/one","status":"prompting"}',
      'system progress "Generating"',
      'assistant text "Echo"',
      'chat/statusChanged {"chatId":"c","status":"idle"}',
      'system progress finished',
    ]);
  });

  test("without an id the host makes one and announces no chat; the workspace is the client's", async () => {
    const made = await start({ hello: says('Echo') });
    const client = await connect(made);
    const { result } = await client.request('chat/prompt', { message: 'hello' });
    await client.until(finished);
    const { chatId } = result as { chatId: string };
    expect(client.news()).toEqual([
      'user text "hello\\n"',
      `chat/statusChanged {"chatId":"${chatId}","status":"running"}`,
      'system progress "Waiting model"',
      `result {"chatId":"${chatId}","model":"script/one","status":"prompting"}`,
      'system progress "Generating"',
      'assistant text "Echo"',
      `chat/statusChanged {"chatId":"${chatId}","status":"idle"}`,
      'system progress finished',
    ]);
    expect(made.host.opened(chatId)?.state.roots).toEqual(['/w']);
  });

  test('a second prompt waits for the first and then runs', async () => {
    let release = () => {};
    const made = await start({
      first: () => new Promise((resolve) => (release = () => resolve())),
      second: says('Two'),
    });
    const client = await connect(made);
    await client.request('chat/prompt', { chatId: 'c', message: 'first' });
    client.news();
    await client.request('chat/prompt', { chatId: 'c', message: 'second' });
    expect(client.news()).toEqual([
      'system progress "Waiting model (1 queued)"',
      'result {"chatId":"c","model":"script/one","status":"prompting"}',
    ]);
    release();
    await until(
      made.host.opened('c') ?? (await made.create()),
      ({ chats }) => chats['c']?.turns.length === 2,
    );
    await client.request('shutdown');
    expect(client.news()).toEqual([
      'chat/statusChanged {"chatId":"c","status":"idle"}',
      'system progress finished',
      'user text "second\\n"',
      'chat/statusChanged {"chatId":"c","status":"running"}',
      'system progress "Waiting model"',
      'system progress "Generating"',
      'assistant text "Two"',
      'chat/statusChanged {"chatId":"c","status":"idle"}',
      'system progress finished',
      'result null',
    ]);
  });

  test('what the agent cannot do is said in the chat, never as an error of the request', async () => {
    const client = await connect(
      await start({
        fail: () => Promise.resolve({ kind: 'failed', problem: { code: 'provider', message: 'No.' } }),
      }),
    );
    const answer = await client.request('chat/prompt', { chatId: 'c', message: 'fail' });
    await client.until(finished);
    expect(answer.error).toBeUndefined();
    expect(client.news().slice(-3)).toEqual([
      'system text "\\n\\nNo."',
      'chat/statusChanged {"chatId":"c","status":"idle"}',
      'system progress finished',
    ]);
  });

  test('contexts become attachments, those of unknown kinds are skipped', async () => {
    const made = await start();
    const client = await connect(made);
    await client.request('chat/prompt', {
      chatId: 'c',
      message: 'look',
      'request-id': 7,
      contexts: [
        { type: 'file', path: '/w/a', lines_range: { start: 1, end: 2 } },
        { type: 'image', mediaType: 'image/png', base64: 'AA' },
        { type: 'hologram', x: 1 },
        {
          type: 'cursor',
          path: '/w/a',
          position: { start: { line: 3, character: 4 }, end: { line: 3, character: 4 } },
        },
      ],
    });
    await client.until(finished);
    expect(client.news().slice(0, 3)).toEqual([
      'chat/opened {"chatId":"c"}',
      'system progress "Parsing given context"',
      'user text "look\\n"',
    ]);
    expect(made.host.opened('c')?.state.chats['c']?.turns[0]?.message.attachments).toEqual([
      { type: 'file', path: '/w/a', lines: { start: 1, end: 2 } },
      { type: 'image', mediaType: 'image/png', data: 'AA' },
      { type: 'cursor', path: '/w/a', line: 3, character: 4 },
    ]);
  });
});

describe('tool calls', () => {
  test('approve: run, wait, running, called, on', async () => {
    const client = await connect(await start({ go: shell }));
    await client.request('chat/prompt', { chatId: 'c', message: 'go' });
    await client.until(content('progress', 'Waiting for tool call approval'));
    client.news();
    client.notify('chat/toolCallApprove', { chatId: 'c', toolCallId: 'x' });
    await client.until(finished);
    expect(client.news()).toEqual([
      'assistant toolCallRunning x',
      'system progress "Calling tool"',
      'assistant toolCalled x',
      'system progress "Generating"',
      'assistant text "Done."',
      'chat/statusChanged {"chatId":"c","status":"idle"}',
      'system progress finished',
    ]);
  });

  test('before the answer: prepared, run with the question, waiting', async () => {
    const client = await connect(await start({ go: shell }));
    await client.request('chat/prompt', { chatId: 'c', message: 'go' });
    await client.until(content('progress', 'Waiting for tool call approval'));
    expect(client.news().slice(5)).toEqual([
      'system progress "Generating"',
      'assistant toolCallPrepare x',
      'assistant toolCallRun x manual=true',
      'system progress "Waiting for tool call approval"',
    ]);
  });

  test('approve and remember: the next call of the same command runs unasked', async () => {
    const made = await start({ go: shell, again: shell });
    const client = await connect(made);
    await client.request('chat/prompt', { chatId: 'c', message: 'go' });
    await client.until(content('progress', 'Waiting for tool call approval'));
    client.notify('chat/toolCallApprove', { chatId: 'c', toolCallId: 'x', save: 'session' });
    await client.until(finished);
    client.news();
    await client.request('chat/prompt', { chatId: 'c', message: 'again' });
    await client.until(finished);
    expect(client.news().slice(3)).toEqual([
      'result {"chatId":"c","model":"script/one","status":"prompting"}',
      'system progress "Generating"',
      'assistant toolCallPrepare x',
      'assistant toolCallRun x manual=false',
      'assistant toolCallRunning x',
      'system progress "Calling tool"',
      'assistant toolCalled x',
      'system progress "Generating"',
      'assistant text "Done."',
      'chat/statusChanged {"chatId":"c","status":"idle"}',
      'system progress finished',
    ]);
  });

  test('approve and remember holds in every chat of the same editor, and in no other', async () => {
    const made = await start({ go: shell, again: shell });
    const [client, other] = [await connect(made), await connect(made)];
    const waits = content('progress', 'Waiting for tool call approval');
    const asks = async (editor: typeof client, chatId: string) => {
      editor.news();
      await editor.request('chat/prompt', { chatId, message: 'again' });
      return waits(await editor.until((said) => finished(said) || waits(said)));
    };
    await client.request('chat/prompt', { chatId: 'c', message: 'go' });
    await client.until(waits);
    client.notify('chat/toolCallApprove', { chatId: 'c', toolCallId: 'x', save: 'session' });
    await client.until(finished);
    expect([await asks(client, 'd'), await asks(client, 'd'), await asks(other, 'e')]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('reject: the agent hears the reason and goes on', async () => {
    const client = await connect(await start({ go: shell }));
    await client.request('chat/prompt', { chatId: 'c', message: 'go' });
    await client.until(content('progress', 'Waiting for tool call approval'));
    client.news();
    client.notify('chat/toolCallReject', { chatId: 'c', toolCallId: 'x', reason: 'Not today.' });
    await client.until(finished);
    expect(client.news()).toEqual([
      'assistant toolCallRejected x userChoiceDeny',
      'system progress "Generating"',
      'assistant text "Refused: Not today."',
      'chat/statusChanged {"chatId":"c","status":"idle"}',
      'system progress finished',
    ]);
  });

  test('stop: text, status, end and the rejected call in one burst', async () => {
    const client = await connect(await start({ go: shell }));
    await client.request('chat/prompt', { chatId: 'c', message: 'go' });
    await client.until(content('progress', 'Waiting for tool call approval'));
    client.news();
    client.notify('chat/promptStop', { chatId: 'c' });
    await client.until(content('toolCallRejected'));
    expect(client.news()).toEqual([
      'system text "\\nPrompt stopped\\n"',
      'chat/statusChanged {"chatId":"c","status":"stopping"}',
      'system progress finished',
      'assistant toolCallRejected x userPromptStop',
    ]);
    client.notify('chat/promptStop', { chatId: 'c' });
    await client.request('shutdown');
    expect(client.news()).toEqual(['result null']);
  });

  test.each(['first', 'next'])(
    'a stop right behind the %s prompt of a chat stops its turn',
    async (which) => {
      const client = await connect(await start({ go: shell, hi: says('Hello.') }));
      if (which === 'next') {
        await client.request('chat/prompt', { chatId: 'c', message: 'hi' });
        await client.until(finished);
        client.news();
      }
      const answer = client.request('chat/prompt', { chatId: 'c', message: 'go' });
      client.notify('chat/promptStop', { chatId: 'c' });
      expect(await answer).toMatchObject({ result: { status: 'prompting' } });
      await client.until(finished);
      expect(client.news()).toContain('system text "\\nPrompt stopped\\n"');
    },
  );
});

describe('steering', () => {
  const takes: Script = async (turn) => {
    await new Promise<void>((resolve) => {
      const look = () => (turn.state().chats['c']?.steering.length === 0 ? setImmediate(look) : resolve());
      look();
    });
    const words = turn.log
      .takeSteering()
      .map(({ text }) => text)
      .join();
    turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: `Heard ${words}` });
  };

  test('a running turn takes it, and it is echoed when it does', async () => {
    const client = await connect(await start({ go: takes }));
    await client.request('chat/prompt', { chatId: 'c', message: 'go' });
    client.news();
    client.notify('chat/promptSteer', { chatId: 'c', message: 'this way' });
    await client.until(finished);
    expect(client.news()).toEqual([
      'user text "this way\\n"',
      'system progress "Generating"',
      'assistant text "Heard this way"',
      'chat/statusChanged {"chatId":"c","status":"idle"}',
      'system progress finished',
    ]);
  });

  test('what was taken back is not heard', async () => {
    const made = await start({ go: hangs });
    const client = await connect(made);
    await client.request('chat/prompt', { chatId: 'c', message: 'go' });
    client.notify('chat/promptSteer', { chatId: 'c', message: 'this way' });
    client.notify('chat/promptSteerRemove', { chatId: 'c' });
    await client.request('shutdown');
    expect(made.host.opened('c')?.head.chats['c']?.steering).toEqual([]);
  });

  test('without a running turn it is nothing', async () => {
    const made = await start();
    const client = await connect(made);
    await client.request('chat/prompt', { chatId: 'c', message: 'go' });
    await client.until(finished);
    client.notify('chat/promptSteer', { chatId: 'c', message: 'this way' });
    await client.request('shutdown');
    expect(made.host.opened('c')?.head.chats['c']?.steering).toEqual([]);
  });
});

describe('bad input', () => {
  check(
    'no/suchMethod',
    {},
    { code: -32601, message: 'Method not found', data: { method: 'no/suchMethod' } },
  );
  check('toString', {}, { code: -32601, message: 'Method not found', data: { method: 'toString' } });
  check(
    'chat/prompt',
    {},
    { code: -32602, message: 'Invalid params: message: Invalid input: expected string, received undefined' },
  );
  check('chat/prompt', [], {
    code: -32602,
    message: 'Invalid params: Invalid input: expected object, received array',
  });
  check(
    'chat/prompt',
    { message: 7 },
    { code: -32602, message: 'Invalid params: message: Invalid input: expected string, received number' },
  );
  check(
    'chat/prompt',
    { message: 'x', chatId: 'subagent-x' },
    { chatId: 'subagent-x', model: 'error', status: 'error' },
  );
  check('chat/prompt', { message: 'x', chatId: '' }, { chatId: '', model: 'error', status: 'error' });
  check('chat/prompt', { message: 'x', chatId: 'a b' }, { chatId: 'a b', model: 'error', status: 'error' });
  check(
    'chat/prompt',
    { message: 'x', chatId: '$host' },
    { chatId: '$host', model: 'error', status: 'error' },
  );
  check(
    'chat/prompt',
    { message: 'x', chatId: 'x'.repeat(257) },
    { chatId: 'x'.repeat(257), model: 'error', status: 'error' },
  );
  check('chat/prompt', { message: '  ', chatId: 'c' }, { chatId: 'c', model: 'error', status: 'error' });
  check('chat/open', { chatId: 'nope' }, { found: false });
  check(
    'chat/open',
    {},
    { code: -32602, message: 'Invalid params: chatId: Invalid input: expected string, received undefined' },
  );
  check('chat/history', { chatId: 'nope' }, { code: 'chat_not_found', message: 'Chat nope not found' });
  check(
    'chat/addFlag',
    { chatId: 'nope', contentId: 'x' },
    { code: 'chat_not_found', message: 'Chat nope not found' },
  );
  check(
    'chat/list',
    { limit: -1 },
    { code: -32602, message: 'Invalid params: limit: Too small: expected number to be >=0' },
  );
  check('chat/list', null, { chats: [] });
  check('chat/delete', { chatId: 'nope' }, {});
  check('initialize', null, {
    chatWelcomeMessage: expect.any(String),
    serverInfo: { name: 'parley', version: '1.2.3' },
  });
  check('chat/queryCommands', { query: 'no such command' }, { chatId: null, commands: [] });
  check('chat/queryFiles', { chatId: 'c', query: 'a' }, { chatId: 'c', files: [] });
  check(
    'chat/queryContext',
    { query: '', contexts: [] },
    { chatId: null, contexts: [{ type: 'repoMap' }, { type: 'cursor' }, { type: 'directory', path: '/w' }] },
  );
  check(
    'chat/queryContext',
    { contexts: [{ type: 'directory', path: '/w' }] },
    { chatId: null, contexts: [{ type: 'repoMap' }, { type: 'cursor' }] },
  );

  test('a bug of ours is answered with the request it broke, and hidden otherwise', async () => {
    const client = await connect(await start(), {
      workspaceFiles: {
        find: () => {
          throw new Error('a secret path');
        },
      },
    });
    const { error } = await client.request('chat/queryFiles', { query: 'a' });
    expect(error).toEqual({
      code: -32603,
      message: 'Internal error',
      data: { id: expect.any(Number) as number, method: 'chat/queryFiles' },
    });
  });

  test('notifications that nobody knows or can read are nothing', async () => {
    const client = await connect(await start());
    client.notify('no/suchNote', {});
    client.notify('chat/toolCallApprove', { chatId: 'c' });
    client.notify('chat/toolCallApprove', { chatId: 'nope', toolCallId: 'x' });
    client.notify('chat/promptStop', { chatId: 'nope' });
    client.send('nonsense');
    await client.request('shutdown');
    expect(client.news()).toEqual([
      'error {"code":-32600,"message":"Message is not an object"}',
      'result null',
    ]);
  });

  function check(method: string, params: unknown, expected: unknown): void {
    test(`${method} ${JSON.stringify(params).slice(0, 60)}`, async () => {
      const client = await connect(await start());
      const { result, error } = await client.request(method, params);
      expect(error ?? result).toEqual(expected);
    });
  }
});
