// Section 3: version, capabilities and sign-in.
import { expect, test } from 'vitest';
import { verifies } from '../acp-agent.ts';
import { place, selected, shell, stranger, working } from './harness.ts';

test(`ACP: ${verifies('init.first')}`, async () => {
  const client = stranger();
  for (const [method, params] of [
    ['session/new', { cwd: place().workspace, mcpServers: [] }],
    ['session/list', {}],
    ['session/prompt', { sessionId: 'x', prompt: [] }],
  ] as const) {
    expect(await client.failure(method, params)).toMatchObject({ code: -32600 });
  }
});

test(`ACP: ${verifies('init.same-version', 'init.own-version')}`, async () => {
  for (const protocolVersion of [1, 0, 2, 65_535]) {
    expect(await stranger().call('initialize', { protocolVersion })).toMatchObject({ protocolVersion: 1 });
  }
});

test(`ACP: ${verifies('init.info')}`, async () => {
  expect(await stranger().call('initialize', { protocolVersion: 1 })).toMatchObject({
    agentInfo: { name: 'parley', title: 'Parley', version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
  });
});

test(`ACP: ${verifies('init.constants')}`, async () => {
  const client = stranger();
  const hello = client.initialize();
  const made = client.newSession({ cwd: place().workspace });
  await Promise.all([hello, made, client.call('session/list')]);
  expect(client.sent[0]).toMatchObject({ result: { protocolVersion: 1 } });
});

test(`ACP: ${verifies('init.forgiving')}`, async () => {
  const { client, sessionId } = await working({
    clientCapabilities: { fs: 7, terminal: 'yes', elicitation: [], session: 'x', auth: null },
    clientInfo: { name: 5 },
  });
  expect(await client.prompt(sessionId, 'say Hello.')).toMatchObject({ stopReason: 'end_turn' });
});

test(`ACP: ${verifies('init.absent', 'init.gated-updates')}`, async () => {
  const { client, sessionId } = await working();
  client.permission = () => selected('allow');
  await client.prompt(
    sessionId,
    'tool write_file {"path":"gated.txt","content":"x"}\ntool read_file {"path":"gated.txt"}',
  );
  await client.prompt(sessionId, shell('echo gated'));
  const methods = new Set(client.sent.flatMap(({ method }) => method ?? []));
  expect(methods).toEqual(new Set(['session/update', 'session/request_permission']));
  const updates = client.updates(sessionId).map(({ sessionUpdate }) => sessionUpdate);
  for (const gated of [
    'notice',
    'compaction_update',
    'compaction_summary_chunk',
    'plan_update',
    'plan_removed',
    'subagent_update',
  ])
    expect(updates).not.toContain(gated);
  expect(JSON.stringify(client.sent)).not.toContain('"type":"boolean"');
});

test(`ACP: ${verifies('init.markers')}`, async () => {
  const { client, sessionId } = await working({
    clientCapabilities: {
      elicitation: {},
      fs: { readTextFile: null },
      terminal: null,
      session: { notices: null, compaction: null },
    },
  });
  client.permission = () => selected('allow');
  await client.prompt(
    sessionId,
    'tool write_file {"path":"marked.txt","content":"x"}\ntool read_file {"path":"marked.txt"}',
  );
  expect(new Set(client.sent.flatMap(({ method }) => method ?? []))).toEqual(
    new Set(['session/update', 'session/request_permission']),
  );
});
