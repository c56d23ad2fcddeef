import { describe, expect, test } from 'vitest';
import { closing, connect, sessionOf, start } from '../../../../test/kit/acpDoor.ts';
import { rig } from '../../../../test/kit/host.ts';
import { extensionsLimit } from './extensions.ts';

const id = 'S';

/** Method, params, code and message; every one is answered, and the connection lives. */
const calls: readonly (readonly [string, unknown, number, string])[] = [
  ['nothing/known', {}, -32601, 'There is no method nothing/known.'],
  ['_vendor/extension', {}, -32601, 'There is no method _vendor/extension.'],
  ['constructor', {}, -32601, 'There is no method constructor.'],
  [
    'session/fork',
    { sessionId: id },
    -32602,
    'Invalid params: cwd: Invalid input: expected string, received undefined',
  ],
  ['session/fork', { sessionId: 'none', cwd: '/w' }, -32002, 'There is no session none.'],
  ['session/set_title', { sessionId: 'none', title: 'x' }, -32002, 'There is no session none.'],
  ['session/archive', { sessionId: 'none' }, -32002, 'There is no session none.'],
  ['session/status', { sessionId: 'none' }, -32002, 'There is no session none.'],
  [
    'session/list',
    { archived: 'some' },
    -32602,
    'Invalid params: archived: Invalid option: expected one of "exclude"|"include"|"only"',
  ],
  ['session/cancel', { sessionId: id }, -32601, 'There is no method session/cancel.'],
  [
    'initialize',
    {},
    -32602,
    'Invalid params: protocolVersion: Invalid input: expected number, received undefined',
  ],
  [
    'initialize',
    { protocolVersion: '1' },
    -32602,
    'Invalid params: protocolVersion: Invalid input: expected number, received string',
  ],
  [
    'initialize',
    { protocolVersion: 65_536 },
    -32602,
    'Invalid params: protocolVersion: Too big: expected number to be <=65535',
  ],
  ['authenticate', { methodId: 'key' }, -32602, 'Unknown sign-in method key.'],
  [
    'authenticate',
    {},
    -32602,
    'Invalid params: methodId: Invalid input: expected string, received undefined',
  ],
  [
    'session/new',
    undefined,
    -32602,
    'Invalid params: cwd: Invalid input: expected string, received undefined',
  ],
  ['session/new', [], -32602, 'Invalid params: Invalid input: expected object, received array'],
  ['session/new', { cwd: 'w', mcpServers: [] }, -32602, 'cwd must be an absolute path, not "w".'],
  ['session/new', { cwd: '', mcpServers: [] }, -32602, 'cwd must be an absolute path, not "".'],
  ['session/new', { cwd: '/w\0', mcpServers: [] }, -32602, 'cwd must be an absolute path, not "/w\0".'],
  [
    'session/new',
    { cwd: '/w', mcpServers: [], additionalDirectories: ['x'] },
    -32602,
    'additionalDirectories must be an absolute path, not "x".',
  ],
  [
    'session/new',
    { cwd: '/w', mcpServers: [{ name: 'x' }] },
    -32602,
    'Invalid params: mcpServers.0: Invalid input',
  ],
  ['session/load', { sessionId: 'none', cwd: '/w', mcpServers: [] }, -32002, 'There is no session none.'],
  [
    'session/load',
    { sessionId: '__proto__', cwd: '/w', mcpServers: [] },
    -32002,
    'There is no session __proto__.',
  ],
  ['session/load', { sessionId: '$host', cwd: '/w', mcpServers: [] }, -32002, 'There is no session $host.'],
  [
    'session/load',
    { cwd: '/w', mcpServers: [] },
    -32602,
    'Invalid params: sessionId: Invalid input: expected string, received undefined',
  ],
  ['session/resume', { sessionId: 'none', cwd: '/w' }, -32002, 'There is no session none.'],
  ['session/resume', { sessionId: id, cwd: './w' }, -32602, 'cwd must be an absolute path, not "./w".'],
  ['session/close', { sessionId: 'none' }, -32002, 'There is no session none.'],
  ['session/list', { cursor: 'x' }, -32602, 'Invalid cursor. Start again without one.'],
  [
    'session/list',
    { cursor: 5 },
    -32602,
    'Invalid params: cursor: Invalid input: expected string, received number',
  ],
  [
    'session/prompt',
    { sessionId: 'none', prompt: [{ type: 'text', text: 'x' }] },
    -32002,
    'There is no session none.',
  ],
  ['session/prompt', { sessionId: id, prompt: [] }, -32602, 'The prompt is empty.'],
  [
    'session/prompt',
    { sessionId: id, prompt: [{ type: 'text', text: ' \n' }] },
    -32602,
    'The prompt is empty.',
  ],
  [
    'session/prompt',
    { sessionId: id, prompt: 'x' },
    -32602,
    'Invalid params: prompt: Invalid input: expected array, received string',
  ],
  [
    'session/prompt',
    { sessionId: id, prompt: [{ type: 'video' }] },
    -32602,
    "Invalid params: prompt.0.type: Invalid discriminator value. Expected 'text' | 'image' | 'audio' | " +
      "'resource_link' | 'resource'",
  ],
  [
    'session/prompt',
    { sessionId: id, prompt: [{ type: 'text' }] },
    -32602,
    'Invalid params: prompt.0.text: Invalid input: expected string, received undefined',
  ],
  [
    'session/prompt',
    {
      sessionId: id,
      prompt: [{ type: 'resource', resource: { uri: 'x:y', blob: 'AA', mimeType: 'application/pdf' } }],
    },
    -32602,
    'This agent does not support application/pdf as an embedded resource; link to it instead.',
  ],
  ['session/set_mode', { sessionId: id, modeId: 'code' }, -32602, 'This session has no option mode.'],
  [
    'session/set_model',
    { sessionId: id, modelId: 'none' },
    -32602,
    'none is not a value of the option model.',
  ],
  [
    'session/set_config_option',
    { sessionId: id, configId: 'model', type: 'boolean', value: true },
    -32602,
    'true is not a value of the option model.',
  ],
  [
    'session/set_config_option',
    { sessionId: id, configId: 'speed', value: 'x' },
    -32602,
    'This session has no option speed.',
  ],
  [
    'session/set_config_option',
    { sessionId: id, configId: 'model' },
    -32602,
    'Invalid params: value: Invalid input',
  ],
];

test.each(calls)('%s %j', async (...[method, params, code, message]) => {
  const client = await connect(await start());
  const sessionId = await client.newSession();
  const named = JSON.parse(
    JSON.stringify(params ?? null).replaceAll(`"${id}"`, JSON.stringify(sessionId)),
  ) as object | null;
  const missing = code === -32002 && { data: { sessionId: (params as { sessionId: string }).sessionId } };
  expect(await client.failure(method, named ?? undefined)).toMatchObject({ code, message, ...missing });
  expect(await client.prompt(sessionId, 'still here')).toEqual({ stopReason: 'end_turn' });
});

test.each(['session/new', 'session/prompt'])('%s with extensions that are too large', async (method) => {
  const on = await start();
  const client = await connect(on);
  const sessionId = await client.newSession();
  const prompt = [{ type: 'text', text: 'x' }];
  const params = { sessionId, prompt, cwd: '/w', mcpServers: [], _meta: { x: 'x'.repeat(extensionsLimit) } };
  expect(await client.failure(method, params)).toMatchObject({
    code: -32602,
    message: '_meta has more than 262144 characters.',
  });
  expect(on.host.summaries().map((session) => session.id)).toEqual([sessionId]);
  expect(sessionOf(on, sessionId).state.chats[sessionId]?.turns).toEqual([]);
});

test('a new session in a folder that is not there', async () => {
  const folders = new Set(['/w', '/v']);
  const paths = { canonical: (path: string) => path, isFolder: (path: string) => folders.has(path) };
  const on = closing(await rig(undefined, { paths }));
  const client = await connect(on);
  for (const wrong of [{ cwd: '/gone' }, { cwd: '/w', additionalDirectories: ['/v', '/gone'] }])
    expect(await client.failure('session/new', { mcpServers: [], ...wrong })).toMatchObject({
      code: -32602,
      message: 'There is no folder /gone.',
      data: { path: '/gone' },
    });
  expect(on.host.summaries()).toEqual([]);
  // What was said there can still be read when its folder has gone.
  const sessionId = await client.newSession({ cwd: '/v' });
  folders.delete('/v');
  await (await connect(on)).call('session/load', { sessionId, cwd: '/v', mcpServers: [] });
});

describe('lines that are no proper message', () => {
  const lines: readonly (readonly [string, object | undefined])[] = [
    ['{"jsonrpc":"2.0","id":9,', { id: null, error: { code: -32700 } }],
    ['[{"jsonrpc":"2.0","id":9,"method":"session/list"}]', { id: null, error: { code: -32600 } }],
    ['7', { id: null, error: { code: -32600 } }],
    ['{"id":9,"method":"session/list"}', { id: 9, error: { code: -32600 } }],
    ['{"jsonrpc":"2.0","id":9,"method":"session/list","params":7}', { id: 9, error: { code: -32602 } }],
    ['{"jsonrpc":"2.0","id":"a-b","method":"session/list"}', { id: 'a-b', result: { sessions: [] } }],
    ['{"jsonrpc":"2.0","id":null,"method":"session/list"}', { id: null, result: { sessions: [] } }],
    ['{"jsonrpc":"2.0","method":"_unknown/notification","params":{}}', undefined],
    ['{"jsonrpc":"2.0","method":"session/cancel","params":7}', undefined],
    ['{"jsonrpc":"2.0","method":"session/cancel"}', undefined],
    ['{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":99}}', undefined],
    ['{"jsonrpc":"2.0","id":99,"result":{}}', undefined],
  ];

  test.each(lines)('%s', async (line, expected) => {
    const client = await connect(await start());
    const before = client.sent.length;
    client.peer.sendRaw(line);
    await client.call('session/list');
    expect(client.sent.slice(before)).toMatchObject([
      ...(expected ? [expected] : []),
      { result: { sessions: [] } },
    ]);
  });
});

test('what the schema forgives is forgiven', async () => {
  const client = await connect(await start(), {}, { clientCapabilities: 'none', clientInfo: 7, _meta: [] });
  const sessionId = await client.newSession({
    mcpServers: null,
    additionalDirectories: null,
    _meta: 'x',
    unknown: true,
  });
  expect(
    await client.call('session/prompt', {
      sessionId,
      prompt: [{ type: 'text', text: 'x', annotations: 5, _meta: 5 }],
      _meta: 7,
    }),
  ).toEqual({ stopReason: 'end_turn' });
});
