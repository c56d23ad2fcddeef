import { describe, expect, test } from 'vitest';
import { closing, connect } from '../../../../test/kit/acpDoor.ts';
import { testWorld } from '../../../../test/kit/host.ts';
import { MemoryStore } from '../../../../test/kit/memoryStore.ts';
import type { Agent, AgentInfo } from '../../../host/agent.ts';
import { Host } from '../../../host/host.ts';
import type { SessionChanges } from '../../../model/event.ts';
import { sessionCommands } from '../../../host/turns/sessionCommands.ts';
import { changesFor, choicesOf, configOptionsOf } from './sessionSettings.ts';
import type { SelectedSettings, Switches } from './sessionSettings.ts';

const one: AgentInfo = {
  id: 'one',
  name: 'One',
  description: 'The first.',
  models: [
    { id: 'a/big', name: 'Big', variants: ['low', 'high'] },
    { id: 'a/small', name: 'Small' },
    { id: 'b/other', name: 'Other' },
  ],
  modes: [
    { id: 'ask', name: 'Ask' },
    { id: 'code', name: 'Code', description: 'Writes.' },
  ],
  usual: { mode: 'ask', model: 'a/big' },
  options: [
    { id: 'web', name: 'Web', category: 'model_config', value: false },
    {
      id: 'tone',
      name: 'Tone',
      value: 'dry',
      choices: [
        { id: 'dry', label: 'Dry' },
        { id: 'warm', label: 'Warm' },
      ],
    },
  ],
  commands: [
    { name: 'plan', description: 'Makes a plan.', hint: 'what for' },
    { name: 'clear', description: 'Forgets.' },
  ],
};
const two: AgentInfo = { id: 'two', name: 'Two', description: 'The second.', models: [] };
const fresh: SelectedSettings = { agent: 'one', model: undefined, mode: undefined, options: {} };

describe('config options', () => {
  test('do not show a mode or model that is not known, and show the usual one, not the first', () => {
    const { usual: _, ...unknown } = one;
    const shown = (agent: AgentInfo) =>
      configOptionsOf([agent], fresh, 'boolean').map(({ id, currentValue }) => [id, currentValue]);
    expect(shown(unknown).map(([id]) => id)).toEqual(['web', 'tone']);
    expect(shown({ ...one, usual: { mode: 'code', model: 'a/small' } }).slice(0, 2)).toEqual([
      ['mode', 'code'],
      ['model', 'a/small'],
    ]);
  });

  test("the host's permission modes stand beside the agent's modes, with who chose", () => {
    const native = { ...one, commands: sessionCommands };
    const by = { kind: 'client', door: 'ahp', client: 'c', name: 'Parley console', device: 'Phone' } as const;
    const [mode, option] = configOptionsOf(
      [native],
      { ...fresh, autonomy: { level: 'full', by } },
      'boolean',
    );
    expect([mode?.id, option]).toMatchObject([
      'mode',
      {
        id: 'permissions',
        currentValue: 'full',
        description: 'What runs without asking. Chosen by Parley console (Phone).',
      },
    ]);
    const choices = option?.type === 'select' ? choicesOf(option).map(({ name }) => name) : [];
    expect(choices).toEqual(['Plan', 'Ask', 'Edits', 'Auto', '🔴 Full']);
    expect(option && changesFor(option, 'edits', fresh)).toEqual({ autonomy: 'edits' });
    expect(option && changesFor(option, 'all', fresh)).toBeUndefined();
  });

  test('say everything a session can be set to, the most important first', () => {
    expect(configOptionsOf([one, two], fresh, 'boolean')).toEqual([
      {
        type: 'select',
        id: 'mode',
        name: 'Mode',
        category: 'mode',
        currentValue: 'ask',
        options: [
          { value: 'ask', name: 'Ask' },
          { value: 'code', name: 'Code', description: 'Writes.' },
        ],
      },
      {
        type: 'select',
        id: 'model',
        name: 'Model',
        category: 'model',
        currentValue: 'a/big',
        options: [
          {
            group: 'a',
            name: 'a',
            options: [
              { value: 'a/big', name: 'Big' },
              { value: 'a/small', name: 'Small' },
            ],
          },
          { group: 'b', name: 'b', options: [{ value: 'b/other', name: 'Other' }] },
        ],
      },
      {
        type: 'select',
        id: 'variant',
        name: 'Thinking',
        category: 'thought_level',
        currentValue: 'default',
        options: [
          { value: 'default', name: 'Default' },
          { value: 'low', name: 'low' },
          { value: 'high', name: 'high' },
        ],
      },
      {
        type: 'select',
        id: 'agent',
        name: 'Agent',
        category: '_agent',
        currentValue: 'one',
        options: [
          { value: 'one', name: 'One', description: 'The first.' },
          { value: 'two', name: 'Two', description: 'The second.' },
        ],
      },
      { type: 'boolean', id: 'web', name: 'Web', category: 'model_config', currentValue: false },
      {
        type: 'select',
        id: 'tone',
        name: 'Tone',
        currentValue: 'dry',
        options: [
          { value: 'dry', name: 'Dry' },
          { value: 'warm', name: 'Warm' },
        ],
      },
    ]);
  });

  test('that are on or off are choices to a client that knows no others', () => {
    expect(
      configOptionsOf([one], { ...fresh, options: { web: true } }, 'select').find(({ id }) => id === 'web'),
    ).toEqual({
      type: 'select',
      id: 'web',
      name: 'Web',
      category: 'model_config',
      currentValue: 'on',
      options: [
        { value: 'on', name: 'On' },
        { value: 'off', name: 'Off' },
      ],
    });
  });

  const wishes: readonly (readonly [string, string | boolean, Switches, SessionChanges | undefined])[] = [
    ['mode', 'code', 'boolean', { mode: 'code' }],
    ['model', 'b/other', 'boolean', { model: 'b/other' }],
    ['model', 'a', 'boolean', undefined],
    ['agent', 'two', 'boolean', { agent: 'two' }],
    ['variant', 'high', 'boolean', { options: { kept: 1, variant: 'high' } }],
    ['variant', 'default', 'boolean', { options: { kept: 1 } }],
    ['web', true, 'boolean', { options: { kept: 1, web: true } }],
    ['web', 'on', 'boolean', undefined],
    ['web', 'on', 'select', { options: { kept: 1, web: true } }],
    ['web', 'off', 'select', { options: { kept: 1, web: false } }],
    ['web', true, 'select', undefined],
    ['tone', 'warm', 'boolean', { options: { kept: 1, tone: 'warm' } }],
    ['tone', 'loud', 'boolean', undefined],
  ];

  test.each(wishes)('%s set to %j by a client with %s', (...[id, value, switches, expected]) => {
    const chosen = { ...fresh, options: { kept: 1 } };
    const option = configOptionsOf([one, two], chosen, switches).find((each) => each.id === id);
    expect(option && changesFor(option, value, chosen)).toEqual(expected);
  });
});

async function withCommands() {
  const told = { changed: () => {} };
  const agent: Agent & { info: AgentInfo } = {
    info: one,
    open: () =>
      Promise.resolve({
        ref: undefined,
        prompt: () => Promise.resolve({ kind: 'completed' }),
        close: () => Promise.resolve(),
      }),
    watch: (changed) => ((told.changed = changed), () => {}),
  };
  const host = closing(await Host.start(testWorld(new MemoryStore()), [agent]));
  return { host: { host }, agent, told };
}

test('commands are told after the answer, and again when they have changed', async () => {
  const { host, agent, told } = await withCommands();
  const client = await connect(host);
  const sessionId = await client.newSession();
  const commands = [
    { name: 'plan', description: 'Makes a plan.', input: { hint: 'what for' } },
    { name: 'clear', description: 'Forgets.' },
  ];
  await client.seen(({ params }) => params?.update?.sessionUpdate === 'available_commands_update');
  expect(client.sent.slice(-2)).toMatchObject([
    { result: { sessionId } },
    { params: { update: { availableCommands: commands } } },
  ]);
  told.changed();
  agent.info = { ...one, commands: [] };
  told.changed();
  expect(
    client.updates(sessionId).filter(({ sessionUpdate }) => sessionUpdate === 'available_commands_update'),
  ).toEqual([
    { sessionUpdate: 'available_commands_update', availableCommands: commands },
    { sessionUpdate: 'available_commands_update', availableCommands: [] },
  ]);
});

test('a client that loads a session again, without closing it, gets the commands again', async () => {
  const { host } = await withCommands();
  const client = await connect(host);
  const sessionId = await client.newSession();
  const isList = ({ params }: (typeof client.sent)[number]) =>
    params?.update?.sessionUpdate === 'available_commands_update';
  await client.seen(isList);
  const from = client.sent.length;
  await client.call('session/load', { sessionId, cwd: '/w', mcpServers: [] });
  await client.seen(isList, from);
  expect(client.sent.slice(from).filter(isList)).toHaveLength(1);
});

test('a boolean option is set by a client that knows it, and told to one that does not', async () => {
  const { host } = await withCommands();
  const client = await connect(
    host,
    {},
    { clientCapabilities: { session: { configOptions: { boolean: {} } } } },
  );
  const sessionId = await client.newSession();
  const other = await connect(host);
  await other.call('session/resume', { sessionId, cwd: '/w' });
  const answer = await client.call('session/set_config_option', {
    sessionId,
    configId: 'web',
    type: 'boolean',
    value: true,
  });
  expect(answer).toMatchObject({
    configOptions: expect.arrayContaining([
      expect.objectContaining({ id: 'web', type: 'boolean', currentValue: true }),
    ]),
  });
  const told = await other.seen(({ params }) => params?.update?.sessionUpdate === 'config_option_update');
  expect(told.params?.update).toMatchObject({
    configOptions: expect.arrayContaining([
      expect.objectContaining({ id: 'web', type: 'select', currentValue: 'on' }),
    ]),
  });
});
