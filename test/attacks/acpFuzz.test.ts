// Thousands of mutated messages of both versions against the real program: it lives, answers or ignores by
// the rules, and works on as before.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acpProcess } from '../kit/acpClient.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';

const everyBlock = [
  { type: 'text', text: 'say x' },
  { type: 'resource_link', uri: 'file:///a#L1-2', name: 'a' },
  { type: 'image', data: 'AA', mimeType: 'image/png' },
];

let home: Home;

beforeAll(async () => {
  home = newHome();
  await home.serve();
});

afterAll(() => home.dispose());

const batch = 200;

const version1 = { count: 10_000, hello: {}, messagesFor: corpus };
const version2 = {
  count: 1_000,
  hello: { protocolVersion: 2, info: { name: 'f', version: '2' }, capabilities: {} },
  messagesFor: corpusOfVersion2,
};

test.each([
  { version: 1, ...version1, endOf: (answer: unknown) => answer },
  // It tells the end of a turn as a state of the session.
  { version: 2, ...version2, endOf: (_: unknown, updates: readonly unknown[]) => updates.at(-1) },
])(
  '$count mutated messages of version $version',
  async ({ count, hello, messagesFor, endOf }) => {
    const client = acpProcess(home);
    await client.initialize(hello);
    const cwd = home.workspace;
    const decoy = await client.newSession({ cwd });
    const messages = fc.sample(mutated(messagesFor(decoy, cwd)), { numRuns: count, seed: 20_261_115 });
    const requests = new Set<unknown>();
    for (let from = 0; from < count; from += batch) {
      messages.slice(from, from + batch).forEach((text, i) => {
        const line = text.replaceAll('"$id"', `"f-${from + i}"`).replaceAll(/[\r\n]/g, ' ');
        const id = idOfRequest(line);
        if (id !== undefined) requests.add(id);
        client.peer.sendRaw(line);
      });
      // Mutated ids may be numbers, which are those of the client's own requests; words are not.
      const ping = `ping-${from}`;
      client.peer.sendRaw(JSON.stringify({ jsonrpc: '2.0', id: ping, method: 'session/list' }));
      await expect
        .poll(() => client.sent.findLast(({ id }) => id === ping), { interval: 5, timeout: 100_000 })
        .toBeDefined();
    }
    const session = await client.newSession({ cwd });
    const answer = await client.prompt(session, 'say Still here.');
    await expect.poll(() => endOf(answer, client.updates(session))).toMatchObject({ stopReason: 'end_turn' });
    expect(JSON.stringify(client.updates(session))).toContain('here.');

    const answers = () =>
      client.sent.filter(
        ({ id, method }) => method === undefined && typeof id === 'string' && !id.startsWith('ping-'),
      );
    const proper = () =>
      answers()
        .filter(({ id }) => requests.has(id))
        .map(({ id }) => id);
    expect(requests.size).toBeGreaterThan(count / 5);
    await expect.poll(() => proper().length, { interval: 100 }).toBe(requests.size);
    expect(new Set(proper())).toEqual(requests);
    expect(
      answers().filter(
        ({ id, error }) => !requests.has(id) && /^f-\d+$/.test(String(id)) && error?.code !== -32600,
      ),
    ).toEqual([]);
    expect(
      client.sent.filter(({ error }) => error?.code === -32603 && error.message === 'Internal error'),
    ).toEqual([]);
    await client.close();
  },
  180_000,
);

/** The id of a proper request of ours; everything else may be answered with a null id or not at all. */
function idOfRequest(line: string): unknown {
  try {
    const { jsonrpc, id, method } = JSON.parse(line) as { [key: string]: unknown };
    return jsonrpc === '2.0' && typeof id === 'string' && /^f-\d+$/.test(id) && typeof method === 'string'
      ? id
      : undefined;
  } catch {
    return undefined;
  }
}

function corpus(sessionId: string, cwd: string): readonly object[] {
  const request = (method: string, params: object) => ({ jsonrpc: '2.0', id: '$id', method, params });
  return [
    request('initialize', {
      protocolVersion: 1,
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        session: { notices: {} },
      },
      clientInfo: { name: 'f', version: '1' },
    }),
    request('authenticate', { methodId: 'x' }),
    request('session/new', {
      cwd,
      mcpServers: [{ name: 'x', command: '/x', args: [], env: [{ name: 'A', value: 'b' }] }],
      additionalDirectories: [cwd],
    }),
    request('session/load', { sessionId, cwd, mcpServers: [] }),
    request('session/resume', { sessionId, cwd }),
    request('session/list', { cwd, cursor: 'WzEsImEiXQ' }),
    request('session/prompt', { sessionId, prompt: everyBlock, _meta: { a: 1 } }),
    request('session/set_mode', { sessionId, modeId: 'x' }),
    request('session/set_config_option', { sessionId, configId: 'model', value: 'scripted/scripted' }),
    request('logout', {}),
    request('auth/status', {}),
    request('providers/set', {
      providerId: 'anthropic',
      apiType: 'anthropic',
      baseUrl: 'http://127.0.0.1:9/v1',
      headers: { a: 'b' },
    }),
    request('session/new', {
      cwd,
      mcpServers: [],
      systemPrompt: { mode: 'append', content: [{ type: 'text', text: 'x' }] },
    }),
    request('session/fork', { sessionId, cwd }),
    request('session/set_title', { sessionId, title: 'x' }),
    request('session/archive', { sessionId: 'another' }),
    request('session/status', { sessionId }),
    request('nes/start', {}),
    request('nes/suggest', {
      sessionId: 'nes',
      uri: 'file:///a',
      version: 1,
      position: { line: 0, character: 0 },
      triggerKind: 'manual',
      context: { diagnostics: [] },
    }),
    request('mcp/message', { connectionId: 'c', method: 'ping' }),
    {
      jsonrpc: '2.0',
      method: 'document/didChange',
      params: { sessionId: 'nes', uri: 'file:///a', version: 2, contentChanges: [{ text: 'x' }] },
    },
    {
      jsonrpc: '2.0',
      method: 'mcp/message',
      params: { serverId: 's', requestId: 'r', method: 'notifications/progress', params: {} },
    },
    request('session/close', { sessionId: 'another' }),
    request('session/delete', { sessionId: 'another' }),
    { jsonrpc: '2.0', method: 'session/cancel', params: { sessionId } },
    { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 'f-7' } },
    { jsonrpc: '2.0', id: 7, result: { outcome: { outcome: 'selected', optionId: 'allow' } } },
    { jsonrpc: '2.0', id: 7, error: { code: 1, message: 'no' } },
  ];
}

function corpusOfVersion2(sessionId: string, cwd: string): readonly object[] {
  const request = (method: string, params: object) => ({ jsonrpc: '2.0', id: '$id', method, params });
  return [
    request('initialize', {
      protocolVersion: 2,
      info: { name: 'f', version: '2' },
      capabilities: { elicitation: { form: {} }, _meta: { a: 1 } },
    }),
    request('auth/login', { methodId: 'x' }),
    request('auth/logout', {}),
    request('session/new', {
      cwd,
      mcpServers: [{ type: 'stdio', name: 'x', command: '/x', args: [], env: [{ name: 'A', value: 'b' }] }],
      additionalDirectories: [cwd],
    }),
    request('session/resume', { sessionId, cwd, mcpServers: [] }),
    request('session/list', { cwd, cursor: 'WzEsImEiXQ' }),
    request('session/prompt', { sessionId, prompt: everyBlock, _meta: { a: 1 } }),
    request('session/set_config_option', { sessionId, configId: 'model', value: 'scripted/scripted' }),
    request('session/fork', { sessionId, cwd }),
    request('session/close', { sessionId: 'another' }),
    request('session/delete', { sessionId: 'another' }),
    request('session/cancel', { sessionId }),
    { jsonrpc: '2.0', method: 'session/cancel', params: { sessionId } },
    { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 'f-7' } },
    { jsonrpc: '2.0', id: 7, result: { outcome: { outcome: 'selected', optionId: 'allow' } } },
    { jsonrpc: '2.0', id: 7, error: { code: 1, message: 'no' } },
  ];
}

/** A message with one value changed, removed or doubled, or its text torn. */
function mutated(messages: readonly object[]): fc.Arbitrary<string> {
  const strange = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom(
      null,
      '',
      0,
      -1,
      1e308,
      [],
      {},
      '__proto__',
      '\u0000',
      '\uD800',
      'a'.repeat(5000),
      [[[[[[]]]]]],
      { constructor: { prototype: 1 } },
    ),
  );
  const changed = fc
    .tuple(fc.constantFrom(...messages), fc.nat(), strange, fc.constantFrom('replace', 'remove', 'add'))
    .map(([message, at, value, how]) => {
      const paths = pathsOf(message);
      return JSON.stringify(withChange(message, paths[at % paths.length] ?? [], { value, how }));
    });
  const torn = fc
    .tuple(fc.constantFrom(...messages), fc.nat(), fc.string({ maxLength: 3 }), fc.nat(3))
    .map(([message, at, noise, gap]) => {
      const text = JSON.stringify(message);
      const cut = at % text.length;
      return text.slice(0, cut) + noise + text.slice(cut + gap);
    });
  const wrapped = fc
    .tuple(fc.constantFrom(...messages), fc.nat(200))
    .map(([message, depth]) => `${'['.repeat(depth)}${JSON.stringify(message)}${']'.repeat(depth)}`);
  return fc.oneof(
    { weight: 8, arbitrary: changed },
    { weight: 2, arbitrary: torn },
    { weight: 1, arbitrary: wrapped },
  );
}

type Path = readonly string[];

function pathsOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [
    ...(path.length > 0 ? [path] : []),
    ...Object.entries(value).flatMap(([key, each]) => pathsOf(each, [...path, key])),
  ];
}

function withChange(
  value: unknown,
  [first, ...rest]: Path,
  change: { readonly value: unknown; readonly how: string },
): unknown {
  if (first === undefined) return change.value;
  if (Array.isArray(value)) {
    const at = Number(first);
    if (rest.length === 0 && change.how === 'remove') return value.filter((_, i) => i !== at);
    return value.map((each: unknown, i) => (i === at ? withChange(each, rest, change) : each));
  }
  const entries = Object.entries(Object(value) as object) as [string, unknown][];
  if (rest.length === 0 && change.how === 'remove')
    return Object.fromEntries(entries.filter(([key]) => key !== first));
  if (rest.length === 0 && change.how === 'add')
    return Object.fromEntries([...entries, ['stranger', change.value]]);
  return Object.fromEntries(
    entries.map(([key, each]) => [key, key === first ? withChange(each, rest, change) : each]),
  );
}
