// Sections 4.3, 5.4 and 9.4, with an external agent behind the session that has modes, models, options, plans
// and addresses to visit.
import { afterAll, expect, test } from 'vitest';
import type { ConfigOption } from '../../../src/protocols/acp/v1/messages.ts';
import type { AcpClient } from '../../kit/acpClient.ts';
import { addReference, disposeReference } from '../../kit/reference/program.ts';
import { verifies } from '../acp-agent.ts';
import { editor, place, preparations, spoken } from './harness.ts';

preparations.push((home) => addReference(home, { offers: ['options', 'modes'] }, 'Reference'));

afterAll(disposeReference);

interface Made {
  readonly sessionId: string;
  readonly modes?: { readonly currentModeId: string };
  readonly configOptions: readonly ConfigOption[];
}

/** A session with the external agent, after the turn in which it told what it offers. */
async function external(
  clientCapabilities: object = {},
): Promise<{ client: AcpClient; sessionId: string; made: Made }> {
  const client = await editor({ clientCapabilities });
  const cwd = place().workspace;
  const sessionId = await client.newSession({ cwd });
  await client.call('session/set_config_option', { sessionId, configId: 'agent', value: 'ref' });
  await client.prompt(sessionId, 'say Hello.');
  return {
    client,
    sessionId,
    made: {
      sessionId,
      ...((await client.call('session/resume', { sessionId, cwd })) as Omit<Made, 'sessionId'>),
    },
  };
}

test(`ACP: ${verifies('config.kinds')}`, async () => {
  const {
    made: { configOptions },
    client,
    sessionId,
  } = await external({ session: { configOptions: { boolean: {} } } });
  const shape = configOptions.map(({ id, category, type }) => [id, category, type]);
  expect(shape).toEqual([
    ['mode', 'mode', 'select'],
    ['permissions', '_permissions', 'select'],
    ['model', 'model', 'select'],
    ['agent', '_agent', 'select'],
    ['effort', 'thought_level', 'select'],
    ['fast', 'model_config', 'boolean'],
  ]);
  const set = (await client.call('session/set_config_option', {
    sessionId,
    configId: 'fast',
    type: 'boolean',
    value: true,
  })) as Made;
  expect(set.configOptions.find(({ id }) => id === 'fast')).toMatchObject({
    type: 'boolean',
    currentValue: true,
  });
  const { made: plain, client: older } = await external();
  expect(plain.configOptions.find(({ id }) => id === 'fast')).toMatchObject({
    type: 'select',
    currentValue: 'off',
    options: [{ value: 'on' }, { value: 'off' }],
  });
  const switched = (await older.call('session/set_config_option', {
    sessionId: plain.sessionId,
    configId: 'fast',
    value: 'on',
  })) as Made;
  expect(switched.configOptions.find(({ id }) => id === 'fast')).toMatchObject({ currentValue: 'on' });
  await older.prompt(plain.sessionId, 'settings');
  expect(spoken(older, plain.sessionId)).toContain('"fast":true');
});

test(`ACP: ${verifies('modes.mirrored')}`, async () => {
  const { client, sessionId, made } = await external();
  expect(made).toMatchObject({
    modes: { currentModeId: 'ask', availableModes: [{ id: 'ask' }, { id: 'plan' }] },
  });
  const other = await editor();
  await other.call('session/resume', { sessionId, cwd: place().workspace });
  expect(await client.call('session/set_mode', { sessionId, modeId: 'plan' })).toEqual({});
  await other.seen(
    ({ params }) =>
      params?.update?.sessionUpdate === 'current_mode_update' && params.update.currentModeId === 'plan',
  );
  const told = other
    .updates(sessionId)
    .findLast(({ sessionUpdate }) => sessionUpdate === 'config_option_update');
  expect(told).toMatchObject({
    configOptions: expect.arrayContaining([
      expect.objectContaining({ category: 'mode', currentValue: 'plan' }),
    ]),
  });
});

test(`ACP: ${verifies('config.agent')}`, async () => {
  const client = await editor();
  const { sessionId, configOptions } = (await client.call('session/new', {
    cwd: place().workspace,
    mcpServers: [],
  })) as Made;
  expect(configOptions.find(({ id }) => id === 'agent')).toMatchObject({
    currentValue: 'parley',
    options: [
      { value: 'parley', name: 'Parley' },
      { value: 'ref', name: 'Reference' },
    ],
  });
  await client.call('session/set_config_option', { sessionId, configId: 'agent', value: 'ref' });
  await client.prompt(sessionId, 'process');
  expect(spoken(client, sessionId)).toMatch(/^pid \d+/m);
  const { configOptions: now } = (await client.call('session/set_config_option', {
    sessionId,
    configId: 'model',
    value: 'small',
  })) as Made;
  expect(now.find(({ id }) => id === 'model')).toMatchObject({
    currentValue: 'small',
    options: [{ value: 'large' }, { value: 'small' }],
  });
});

test(`ACP: ${verifies('update.plan')}`, async () => {
  const entries = [{ content: 'Look', priority: 'high', status: 'in_progress' }];
  const prompt = `update ${JSON.stringify({ sessionUpdate: 'plan', entries })}`;
  const { client, sessionId } = await external();
  await client.prompt(sessionId, prompt);
  expect(client.updates(sessionId)).toContainEqual({ sessionUpdate: 'plan', entries });
  const { client: knowing, sessionId: other } = await external({ plan: {} });
  await knowing.prompt(other, prompt);
  expect(knowing.updates(other)).toContainEqual({
    sessionUpdate: 'plan_update',
    plan: { type: 'items', planId: other, id: other, entries },
  });
});

test(`ACP: ${verifies('elicitation.url')}`, async () => {
  const { client, sessionId } = await external({ elicitation: { url: {} } });
  const asks: object[] = [];
  client.answer = (method, params: object) => {
    asks.push({ method, ...params });
    return { action: 'accept' };
  };
  const visit =
    'call elicitation/create {"mode":"url","message":"Sign in there.","elicitationId":"e1","url":"https://example.org/login"}';
  await client.prompt(sessionId, `${visit}\nsay Done.`);
  expect(asks).toEqual([
    {
      method: 'elicitation/create',
      mode: 'url',
      sessionId,
      message: expect.stringContaining('Sign in there.'),
      elicitationId: expect.any(String),
      url: 'https://example.org/login',
      _meta: { 'parley/ask': expect.any(String) },
    },
  ]);
  expect(spoken(client, sessionId)).toContain('{"action":"accept"}');
  const { client: plain, sessionId: other } = await external();
  const waiting = plain.prompt(other, `${visit}\nsay Done.`);
  await plain.seen(({ method }) => method === 'session/request_permission');
  const watching = await editor({ clientCapabilities: { elicitation: { url: {} } } });
  watching.answer = () => new Promise(() => {});
  await watching.call('session/resume', { sessionId: other, cwd: place().workspace });
  await watching.seen(({ method }) => method === 'elicitation/create');
  plain.peer.notify('session/cancel', { sessionId: other });
  expect(await waiting).toMatchObject({ stopReason: 'cancelled' });
  await watching.seen(({ method }) => method === 'elicitation/complete');
});
