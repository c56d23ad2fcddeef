// Section 4: making, opening, listing, closing and setting sessions.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifies } from '../acp-agent.ts';
import { answerAt, editor, kinds, place, selected, shell, spoken, stranger, working } from './harness.ts';

interface Row {
  readonly sessionId: string;
}

test(`ACP: ${verifies('new.ids', 'new.answer-first')}`, async () => {
  const client = await editor();
  const cwd = place().workspace;
  const ids = await Promise.all(Array.from({ length: 5 }, () => client.newSession({ cwd })));
  expect(new Set(ids).size).toBe(5);
  await Promise.all(ids.map((id) => client.prompt(id, 'say Hello.')));
  for (const id of ids) {
    const answer = client.sent.findIndex(
      ({ result }) => (result as Partial<Row> | undefined)?.sessionId === id,
    );
    const update = client.sent.findIndex(({ params }) => params?.sessionId === id);
    expect(answer).toBeLessThan(update);
  }
});

test(`ACP: ${verifies('new.cwd', 'new.cwd-used')}`, async () => {
  const { client, sessionId, cwd } = await working();
  for (const wrong of ['w', './w', '', '../w', join(cwd, 'nowhere'), process.execPath])
    expect(await client.failure('session/new', { cwd: wrong, mcpServers: [] })).toMatchObject({
      code: -32602,
    });
  client.permission = () => selected('allow');
  await client.prompt(sessionId, shell('pwd'));
  expect(JSON.stringify(client.updates(sessionId))).toContain(cwd);
});

test(`ACP: ${verifies('new.mcp-null', 'new.mcp-strict', 'new.mcp-stdio', 'lenient.null')}`, async () => {
  const client = await editor();
  const { workspace: cwd, env } = place();
  expect(await client.newSession({ cwd, mcpServers: null, additionalDirectories: null })).toEqual(
    expect.any(String),
  );
  expect(await client.failure('session/new', { cwd, mcpServers: [{ name: 'x' }] })).toMatchObject({
    code: -32602,
  });
  const server = {
    name: 'files',
    command: '/bin/true',
    args: ['--all'],
    env: [{ name: 'SECRET', value: 'the-secret-value' }],
  };
  const sessionId = await client.newSession({ cwd, mcpServers: [server] });
  await client.prompt(sessionId, 'say Hello.');
  const home = env['PARLEY_HOME'] ?? '';
  for (const file of ['log.db', 'log.db-wal'])
    expect(readFileSync(join(home, file)).includes('the-secret-value')).toBe(false);
});

test(`ACP: ${verifies('new.roots')}`, async () => {
  const { workspace, dir } = place();
  const other = join(dir, 'other');
  mkdirSync(other, { recursive: true });
  const client = await editor();
  const sessionId = await client.newSession({ cwd: workspace, additionalDirectories: [other] });
  await client.prompt(sessionId, 'say Hello.');
  const { sessions } = (await client.call('session/list')) as { sessions: readonly Row[] };
  expect(sessions.find((row) => row.sessionId === sessionId)).toMatchObject({
    cwd: workspace,
    additionalDirectories: [other],
  });
});

test(`ACP: ${verifies('load.replay', 'load.object', 'load.notices')}`, async () => {
  const { client, sessionId, cwd } = await working();
  client.permission = () => selected('allow');
  await client.prompt(sessionId, `reason Hm.\n${shell('echo from the past')}\nsay One.`);
  await client.prompt(sessionId, 'stream 300 piece\nsay Two.');
  const later = await editor({ clientCapabilities: { session: { notices: {} } } });
  expect(await later.call('session/load', { sessionId, cwd, mcpServers: [] })).toMatchObject({
    configOptions: expect.any(Array),
  });
  const answer = answerAt(later, 'configOptions');
  const replayed = later.sent.slice(0, answer).flatMap(({ params }) => params?.update ?? []);
  expect(
    later.sent
      .slice(answer + 1)
      .filter(({ params }) => params?.update && params.update.sessionUpdate !== 'available_commands_update'),
  ).toEqual([]);
  const told = replayed.map(({ sessionUpdate }) => sessionUpdate);
  for (const kind of [
    'user_message_chunk',
    'agent_thought_chunk',
    'tool_call',
    'tool_call_update',
    'agent_message_chunk',
  ])
    expect(told).toContain(kind);
  expect(told).not.toContain('notice');
  expect(spoken(later, sessionId)).toBe(spoken(client, sessionId));
});

test(`ACP: ${verifies('load.unknown')}`, async () => {
  const { client, cwd } = await working();
  for (const method of [
    'session/load',
    'session/resume',
    'session/prompt',
    'session/close',
    'session/set_mode',
  ]) {
    const params = {
      sessionId: 'none',
      cwd,
      mcpServers: [],
      prompt: [{ type: 'text', text: 'x' }],
      modeId: 'x',
    };
    expect(await client.failure(method, params)).toMatchObject({ code: -32002, data: { sessionId: 'none' } });
  }
});

test(`ACP: ${verifies('load.cwd')}`, async () => {
  const { client, sessionId } = await working();
  await client.prompt(sessionId, 'say Hello.');
  expect(
    await client.failure('session/load', { sessionId, cwd: '/elsewhere', mcpServers: [] }),
  ).toMatchObject({ code: -32602 });
});

test(`ACP: ${verifies('resume.silent')}`, async () => {
  const { client, sessionId, cwd } = await working();
  await client.prompt(sessionId, 'say Old words.');
  const later = await editor();
  expect(await later.call('session/resume', { sessionId, cwd })).toMatchObject({
    configOptions: expect.any(Array),
  });
  await later.prompt(sessionId, 'say New words.');
  expect(spoken(later, sessionId)).toBe('New words.\n');
});

test(`ACP: ${verifies('new.meta')}`, async () => {
  const client = await editor();
  const cwd = place().workspace;
  const meta = { 'example.org/tag': { colour: 'blue', deep: [1, null] } };
  const sessionId = await client.newSession({ cwd, _meta: meta });
  await client.prompt(sessionId, 'say Hello.');
  const later = await editor();
  for (const method of ['session/resume', 'session/load'])
    expect(await later.call(method, { sessionId, cwd, mcpServers: [] })).toMatchObject({ _meta: meta });
});

test(`ACP: ${verifies('list.array')}`, async () => {
  const client = await editor();
  expect(await client.call('session/list', { cwd: '/nowhere' })).toEqual({ sessions: [] });
  expect(await client.call('session/list')).toMatchObject({ sessions: expect.any(Array) });
});

test(`ACP: ${verifies('list.rows')}`, async () => {
  const { client, sessionId, cwd } = await working();
  await client.prompt(sessionId, 'say Hello, list.');
  const { sessions } = (await client.call('session/list', { cwd })) as { sessions: readonly Row[] };
  expect(sessions.find((row) => row.sessionId === sessionId)).toEqual({
    sessionId,
    cwd,
    title: 'say Hello, list.',
    updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
});

test(`ACP: ${verifies('list.pages', 'list.cursor')}`, async () => {
  const client = await editor();
  const cwd = join(place().dir, 'paged');
  mkdirSync(cwd, { recursive: true });
  const ids = await Promise.all(
    Array.from({ length: 105 }, async () => {
      const id = await client.newSession({ cwd });
      await client.prompt(id, 'say x');
      return id;
    }),
  );
  const first = (await client.call('session/list', { cwd })) as {
    sessions: readonly Row[];
    nextCursor?: string;
  };
  const second = (await client.call('session/list', { cwd, cursor: first.nextCursor })) as typeof first;
  expect([first.sessions.length, second.sessions.length, second.nextCursor]).toEqual([100, 5, undefined]);
  expect([...first.sessions, ...second.sessions].map(({ sessionId }) => sessionId).toSorted()).toEqual(
    ids.toSorted(),
  );
  expect(await client.failure('session/list', { cursor: 'not-ours' })).toMatchObject({ code: -32602 });
});

test(`ACP: ${verifies('list.elsewhere')}`, async () => {
  const { client, sessionId, cwd } = await working();
  await client.prompt(sessionId, 'say Made by one editor.');
  await client.close();
  const other = await editor();
  const { sessions } = (await other.call('session/list', { cwd })) as { sessions: readonly Row[] };
  expect(sessions.map((row) => row.sessionId)).toContain(sessionId);
  await other.call('session/load', { sessionId, cwd, mcpServers: [] });
  expect(spoken(other, sessionId)).toContain('Made by one editor.');
});

test(`ACP: ${verifies('close.cancels')}`, async () => {
  const { client, sessionId, cwd } = await working();
  const answer = client.prompt(sessionId, 'say Begun.\nhang');
  await client.seen(({ params }) => params?.update?.sessionUpdate === 'agent_message_chunk');
  expect(await client.call('session/close', { sessionId })).toEqual({});
  expect(await answer).toMatchObject({ stopReason: 'cancelled' });
  expect(
    await client.failure('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'x' }] }),
  ).toMatchObject({ code: -32002 });
  await client.call('session/load', { sessionId, cwd, mcpServers: [] });
  expect(await client.prompt(sessionId, 'say Again.')).toMatchObject({ stopReason: 'end_turn' });
});

test(`ACP: ${verifies('delete.idempotent', 'delete.gone')}`, async () => {
  const { client, sessionId, cwd } = await working();
  await client.prompt(sessionId, 'say Hello.');
  for (const id of [sessionId, sessionId, 'never-there'])
    expect(await client.call('session/delete', { sessionId: id })).toEqual({});
  const { sessions } = (await client.call('session/list', { cwd })) as { sessions: readonly Row[] };
  expect(sessions.map((row) => row.sessionId)).not.toContain(sessionId);
});

test(`ACP: ${verifies('config.complete', 'config.default', 'config.unknown')}`, async () => {
  const client = await editor();
  const made = (await client.call('session/new', { cwd: place().workspace, mcpServers: [] })) as {
    sessionId: string;
    configOptions: readonly { id: string; currentValue: string }[];
  };
  const { sessionId, configOptions } = made;
  expect(configOptions.find(({ id }) => id === 'model')).toMatchObject({
    type: 'select',
    category: 'model',
    currentValue: 'scripted/scripted',
  });
  const set = (await client.call('session/set_config_option', {
    sessionId,
    configId: 'model',
    value: 'demo/demo',
  })) as typeof made;
  expect(set.configOptions.map(({ id }) => id)).toEqual(configOptions.map(({ id }) => id));
  expect(set.configOptions.find(({ id }) => id === 'model')).toMatchObject({ currentValue: 'demo/demo' });
  for (const wish of [
    { configId: 'model', value: 'none' },
    { configId: 'speed', value: 'x' },
  ]) {
    expect(await client.failure('session/set_config_option', { sessionId, ...wish })).toMatchObject({
      code: -32602,
    });
  }
});

test(`ACP: ${verifies('config.update')}`, async () => {
  const { client, sessionId, cwd } = await working();
  await client.prompt(sessionId, 'say Hello.');
  const other = await editor();
  await other.call('session/resume', { sessionId, cwd });
  await client.call('session/set_config_option', { sessionId, configId: 'model', value: 'demo/demo' });
  const told = await other.seen(({ params }) => params?.update?.sessionUpdate === 'config_option_update');
  expect(told.params?.update).toMatchObject({
    configOptions: expect.arrayContaining([
      expect.objectContaining({ id: 'model', currentValue: 'demo/demo' }),
    ]),
  });
  expect(kinds(client, sessionId)).not.toContain('config_option_update');
});

test(`ACP: ${verifies('modes.absent')}`, async () => {
  const client = await editor();
  const made = (await client.call('session/new', { cwd: place().workspace, mcpServers: [] })) as {
    sessionId: string;
  };
  expect(made).toMatchObject({
    modes: { currentModeId: 'code', availableModes: [{ id: 'code' }, { id: 'plan' }] },
  });
  expect(
    await client.failure('session/set_mode', { sessionId: made.sessionId, modeId: 'nobody' }),
  ).toMatchObject({ code: -32602 });
});

test(`ACP: ${verifies('models.legacy')}`, async () => {
  const client = stranger();
  await client.call('initialize', {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false } },
  });
  const made = (await client.call('session/new', { cwd: place().workspace, mcpServers: [] })) as {
    sessionId: string;
  };
  expect(made).toMatchObject({
    models: {
      currentModelId: 'scripted/scripted',
      availableModels: expect.arrayContaining([expect.objectContaining({ modelId: 'demo/demo' })]),
    },
  });
  expect(await client.call('session/set_model', { sessionId: made.sessionId, modelId: 'demo/demo' })).toEqual(
    {},
  );
});
