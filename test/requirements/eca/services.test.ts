// Sections 3.11 to 3.14: what a client manages beside its chats.
import { expect, test } from 'vitest';
import { verifies } from '../eca.ts';
import { editor } from './harness.ts';

test(`ECA: ${verifies('tools.native')}`, async () => {
  const client = await editor();
  const { params } = client.heard.find(({ method }) => method === 'tool/serverUpdated') ?? {};
  expect(params).toMatchObject({ type: 'native', name: 'ECA', status: 'running' });
  expect(params.tools).toContainEqual({
    name: 'read_file',
    description: expect.any(String) as string,
    parameters: expect.objectContaining({ type: 'object', required: ['path'] }) as object,
    disabled: false,
  });
});

test(`ECA: ${verifies('mcp.errors')}`, async () => {
  const client = await editor();
  expect((await client.ask('mcp/removeServer', { name: 'zzz' })).error).toEqual({
    code: 'invalid_request',
    message: "MCP server 'zzz' does not exist",
    data: { serverName: 'zzz' },
  });
  expect((await client.ask('mcp/updateServer', { name: 'zzz', command: 'x' })).error.code).toBe(
    'invalid_request',
  );
  for (const action of ['start', 'stop', 'connect', 'logout', 'disable', 'enable']) {
    const from = client.heard.length;
    client.notify(`mcp/${action}Server`, { name: 'zzz' });
    expect((await client.until(({ method }) => method === '$/showMessage', from)).params.type).toBe(
      'warning',
    );
  }
});

test(`ECA: ${verifies('providers.list', 'providers.login')}`, async () => {
  const client = await editor();
  const { providers } = (await client.ask('providers/list', {})).result;
  const mistral = providers.find(({ id }: { id: string }) => id === 'mistral');
  expect(mistral).toMatchObject({
    id: 'mistral',
    label: 'Mistral',
    configured: false,
    auth: { status: 'unauthenticated' },
    login: { methods: [{ key: 'api-key', label: expect.any(String) as string }] },
    models: [],
  });
  expect((await client.ask('providers/login', { provider: 'mistral' })).result).toEqual({
    action: 'input',
    fields: [{ key: 'api-key', label: 'API Key', type: 'secret' }],
  });
  const from = client.heard.length;
  expect(
    (await client.ask('providers/loginInput', { provider: 'mistral', data: { 'api-key': 'sk-test' } }))
      .result,
  ).toEqual({ action: 'done' });
  const told = client.heard.slice(from);
  expect(told.findIndex(({ method }) => method === 'providers/updated')).toBeLessThan(
    told.findIndex(({ method }) => method === undefined),
  );
  expect(told.find(({ method }) => method === 'providers/updated')?.params.auth).toMatchObject({
    status: 'authenticated',
    source: 'login',
  });
  expect((await client.ask('providers/logout', { provider: 'mistral' })).result).toEqual({});
});

test(`ECA: ${verifies('jobs.shapes')}`, async () => {
  const client = await editor();
  expect((await client.ask('jobs/list')).result).toEqual({ jobs: [] });
  expect((await client.ask('jobs/kill', { jobId: 'job-1' })).result).toEqual({ killed: false });
  expect((await client.ask('jobs/readOutput', { 'job-id': 'job-1' })).result).toEqual({
    lines: [],
    status: null,
    exitCode: null,
  });
});

test(`ECA: ${verifies('assist.completion', 'assist.rewrite')}`, async () => {
  const client = await editor();
  const position = { line: 1, character: 4 };
  const { items } = (await client.ask('completion/inline', { 'doc-text': 'say', 'doc-version': 7, position }))
    .result;
  expect(items).toEqual([
    { text: expect.any(String) as string, docVersion: 7, range: { start: position, end: position } },
  ]);
  const answer = await client.ask('rewrite/prompt', {
    id: 'r1',
    text: 'abc',
    prompt: 'upper',
    range: { start: position, end: position },
  });
  expect(answer.result).toEqual({ status: 'prompting', model: 'scripted/scripted' });
  await client.until(
    ({ method, params }) => method === 'rewrite/contentReceived' && params.content.type === 'finished',
  );
  const types = client.heard
    .filter(({ method }) => method === 'rewrite/contentReceived')
    .map(({ params }) => String(params.content.type));
  expect([...new Set(types)]).toEqual(['started', 'text', 'finished']);
});
