// What surrounds a conversation: settings of agents, completions, what extends agents, and
// files that clients have.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { connect } from '../../../test/kit/ahp.ts';
import type { AhpClient } from '../../../test/kit/ahp.ts';
import { connectV1 } from '../../../test/kit/ahp/integer1/client.ts';
import { testWorld } from '../../../test/kit/host.ts';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';
import { resourceFiles } from '../../../test/kit/realFiles.ts';
import type { Loose } from '../../../test/kit/wire.ts';
import type { Agent, ChosenSettings } from '../../host/agent.ts';
import { Host } from '../../host/host.ts';
import { leftOut } from '../../host/turns/disabledFeatures.ts';
import type { ServerView } from '../../host/tools/toolServers.ts';

const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

const chosen: ChosenSettings[] = [];
const agent: Agent = {
  info: {
    id: 'rich',
    name: 'Rich',
    description: 'Has settings.',
    models: [{ id: 'rich/one', name: 'One', variants: ['low', 'high'] }],
    modes: [
      { id: 'code', name: 'Code', description: 'Works.' },
      { id: 'plan', name: 'Plan' },
    ],
    usual: { mode: 'code' },
    options: [
      { id: 'web', name: 'Web search', value: false },
      {
        id: 'voice',
        name: 'Voice',
        value: 'calm',
        choices: [
          { id: 'calm', label: 'Calm' },
          { id: 'loud', label: 'Loud' },
        ],
      },
    ],
    commands: [
      { name: 'review', description: 'Looks at changes.' },
      { name: 'reset', description: 'Begins anew.' },
    ],
  },
  at: (roots) =>
    roots.includes('/own')
      ? {
          ...agent.info,
          modes: [...(agent.info.modes ?? []), { id: 'ours', name: 'Ours' }],
          commands: [{ name: 'release', description: 'As we do it.' }],
        }
      : agent.info,
  open: ({ chat }) =>
    Promise.resolve({
      ref: chat,
      prompt: () => Promise.resolve({ kind: 'completed' }),
      configure: (now) => void chosen.push(now),
      close: () => Promise.resolve(),
    }),
};

async function host(): Promise<Host> {
  const made = await Host.start(testWorld(new MemoryStore()), [agent]);
  open.push(() => made.close());
  return made;
}

async function inSession(
  on: Host,
  options: Parameters<typeof connect>[1] = {},
  root = '/w',
): Promise<AhpClient> {
  const one = await connect(on, options);
  open.push(() => one.close());
  if (!on.summary('s1'))
    await one.request('createSession', {
      channel: 'rich:/s1',
      workingDirectories: [`file://${root}`],
      config: { mode: 'interactive', voice: 'loud', isolation: 'none' },
    });
  await one.subscribe('rich:/s1');
  await one.subscribe('ahp-chat:/s1');
  return one;
}

test('a session is set up by what its agent can be set to', async () => {
  const on = await host();
  const one = await inSession(on);
  const { schema, values } = await one.request('resolveSessionConfig', {
    provider: 'rich',
    workingDirectory: 'file:///w',
    config: { mode: 'plan' },
  });
  expect(Object.keys(schema.properties)).toEqual(['mode', 'permissions', 'variant', 'web', 'voice']);
  expect(schema.properties.mode).toEqual({
    type: 'string',
    title: 'Mode',
    default: 'code',
    sessionMutable: true,
    enum: ['code', 'plan'],
    enumLabels: ['Code', 'Plan'],
    enumDescriptions: ['Works.', ''],
  });
  expect([values, schema.properties.web.type]).toEqual([
    { web: false, voice: 'calm', mode: 'plan' },
    'boolean',
  ]);
  await expect(one.request('resolveSessionConfig', { provider: 'nobody' })).rejects.toMatchObject({
    code: -32002,
  });
  expect((await one.request('resolveSessionConfig', { config: { mode: 'interactive' } })).values).toEqual({
    mode: 'code',
    web: false,
    voice: 'calm',
  });
  expect(
    (await one.request('sessionConfigCompletions', { provider: 'rich', property: 'voice', query: 'LO' }))
      .items,
  ).toEqual([{ value: 'loud', label: 'Loud' }]);
  expect((await one.request('sessionConfigCompletions', { property: 'nothing' })).items).toEqual([]);
  expect(one.views.get('rich:/s1').config).toEqual({
    schema,
    values: { voice: 'loud', isolation: 'none' },
  });
  expect(on.opened('s1')?.state).toMatchObject({
    mode: undefined,
    options: { voice: 'loud' },
    clientOptions: { isolation: 'none' },
  });

  const change = (config: Loose, more: Loose = {}) =>
    one.echo(one.dispatch('rich:/s1', { type: 'session/configChanged', config, ...more }));
  expect(
    (await change({ mode: 'plan', web: true, isolation: 'copy' })).params.rejectionReason,
  ).toBeUndefined();
  expect(on.opened('s1')?.state).toMatchObject({
    mode: 'plan',
    options: { web: true, voice: 'loud' },
    clientOptions: { isolation: 'copy' },
  });
  for (const wrong of [{ mode: 'fly' }, { web: 'yes' }, { voice: 7 }])
    expect((await change(wrong)).params.rejectionReason).toMatch(/not an allowed value/);
  for (const unknown of [{ trust: true }, { web: false, mine: 1 }])
    expect((await change(unknown)).params.rejectionReason).toMatch(/this session has no such setting/);
  expect(on.opened('s1')?.state.options['trust']).toBeUndefined();
  await change({ voice: 'calm' }, { replace: true });
  expect(one.views.get('rich:/s1').config.values).toEqual({ mode: 'plan', voice: 'calm' });
  expect(((await one.peer.request('subscribe', { channel: 'rich:/s1' })) as Loose).snapshot.state).toEqual(
    one.views.get('rich:/s1'),
  );
});

test('a workspace brings modes and commands along, in both versions', async () => {
  const on = await host();
  const one = await connect(on);
  const old = await connectV1(on, { id: 'old' });
  open.push(
    () => one.close(),
    () => old.close(),
  );
  for (const client of [one, old]) {
    expect(
      (await client.request('resolveSessionConfig', { provider: 'rich', workingDirectory: 'file:///own' }))
        .schema.properties.mode.enum,
    ).toEqual(['code', 'plan', 'ours']);
    expect(
      (await client.request('resolveSessionConfig', { provider: 'rich', workingDirectory: 'file:///w' }))
        .schema.properties.mode.enum,
    ).toEqual(['code', 'plan']);
    expect(
      (
        await client.request('sessionConfigCompletions', {
          provider: 'rich',
          workingDirectory: 'file:///own',
          property: 'mode',
          query: 'our',
        })
      ).items,
    ).toEqual([{ value: 'ours', label: 'Ours' }]);
  }
  await one.request('createSession', {
    channel: 'rich:/own',
    workingDirectories: ['file:///own'],
    config: { mode: 'ours' },
  });
  await one.subscribe('rich:/own');
  await old.subscribe('rich:/own');
  for (const { views } of [one, old])
    expect(views.get('rich:/own').config).toMatchObject({
      schema: { properties: { mode: { enum: ['code', 'plan', 'ours'] } } },
      values: { mode: 'ours' },
    });
  expect(on.opened('own')?.state.mode).toBe('ours');
  expect(
    (await one.echo(one.dispatch('rich:/own', { type: 'session/configChanged', config: { mode: 'plan' } })))
      .params.rejectionReason,
  ).toBeUndefined();
  expect(
    (await one.request('completions', { channel: 'rich:/own', kind: 'userMessage', text: '/rel', offset: 4 }))
      .items,
  ).toMatchObject([{ insertText: '/release ' }]);
});

test('a word becomes a file, a command or another conversation', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-complete-')));
  open.push(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'src'));
  mkdirSync(join(folder, 'node_modules'));
  for (const name of ['src/main.ts', 'src/other.ts', 'readme.md', 'node_modules/main.ts'])
    writeFileSync(join(folder, name), '');
  const on = await host();
  const one = await inSession(on, { ports: { files: resourceFiles() } }, folder);
  const ask = async (text: string, channel = 'ahp-chat:/s1') =>
    (await one.request('completions', { channel, kind: 'userMessage', text, offset: text.length })).items;
  expect(await ask('see @main')).toEqual([
    {
      insertText: '@src/main.ts',
      rangeStart: 4,
      rangeEnd: 9,
      attachment: {
        type: 'resource',
        uri: `file://${folder}/src/main.ts`,
        label: 'main.ts',
        displayKind: 'document',
      },
    },
  ]);
  expect((await ask('@src/', 'rich:/s1')).map(({ insertText }: Loose) => insertText)).toEqual([
    '@src/main.ts',
    '@src/other.ts',
  ]);
  expect((await ask('@../')).length).toBe(0);
  expect((await ask('/re')).map(({ insertText }: Loose) => insertText)).toEqual(['/review ', '/reset ']);
  // VS Code leaves out commands that do not name themselves there.
  expect((await ask('/rev'))[0].attachment).toMatchObject({ _meta: { command: 'review' } });
  expect(await ask('not at /re')).toEqual([]);
  await one.request('createSession', { channel: 'rich:/s2' });
  for (const channel of ['rich:/s2', 'ahp-chat:/s2']) await one.subscribe(channel);
  await one.echo(one.dispatch('rich:/s2', { type: 'session/titleChanged', title: 'Old talk' }));
  await one.echo(
    one.dispatch('ahp-chat:/s2', {
      type: 'chat/turnStarted',
      turnId: 't',
      startedAt: '2026-01-01T00:00:00.000Z',
      message: { text: 'x', origin: { kind: 'user' } },
    }),
  );
  expect((await ask('like #old')).map(({ attachment }: Loose) => attachment)).toEqual([
    { type: 'chat', resource: 'ahp-chat:/s2', label: 'Old talk' },
  ]);
  await expect(
    one.request('completions', { channel: 'ahp-chat:/s1', kind: 'userMessage', text: 'x', offset: 9 }),
  ).rejects.toMatchObject({ code: -32602 });
});

test('servers of tools are shown as they are, in both versions, and started and stopped', async () => {
  const on = await host();
  let views: readonly ServerView[] = [
    {
      name: 'files',
      status: 'running',
      reach: { command: 'x', args: [] },
      tools: [],
      prompts: [],
      resources: [],
    },
  ];
  const watchers = new Set<() => void>();
  const become = (status: ServerView['status'], problem?: string) => {
    views = views.map(({ problem: _, ...view }) => ({
      ...view,
      status,
      ...(problem === undefined ? {} : { problem }),
    }));
    for (const changed of watchers) changed();
    return true;
  };
  const servers = (_: readonly string[], changed: () => void) => {
    watchers.add(changed);
    return {
      list: () => views,
      start: (name: string) => name === 'files' && become('running'),
      stop: (name: string) => name === 'files' && become('stopped'),
      close: () => void watchers.delete(changed),
    };
  };
  const one = await inSession(on, { ports: { servers } });
  const old = await connectV1(on, { id: 'old', ports: { servers } });
  open.push(() => old.close());
  await old.subscribe('rich:/s1');
  const server = () => one.views.get('rich:/s1').customizations.find(({ id }: Loose) => id === 'files');
  const line = () =>
    old.views
      .get('rich:/s1')
      .customizations.find(({ customization }: Loose) => customization.displayName === 'files');
  expect([server().state, line().status]).toEqual([{ kind: 'ready' }, 'loaded']);
  expect(one.views.get('rich:/s1').customizations.some(({ contents }: Loose) => contents === 'agent')).toBe(
    true,
  );
  become('failed', 'It fell over.');
  await one.wait(() => server().state.kind === 'error');
  await old.until('rich:/s1', () => line().statusMessage === 'It fell over.');
  await one.echo(one.dispatch('rich:/s1', { type: 'session/mcpServerStopRequested', id: 'files' }));
  expect(server().state).toEqual({ kind: 'stopped' });
  await one.echo(one.dispatch('rich:/s1', { type: 'session/mcpServerStartRequested', id: 'files' }));
  await one.wait(() => server().state.kind === 'ready');
  expect(
    (await one.echo(one.dispatch('rich:/s1', { type: 'session/mcpServerStartRequested', id: 'none' }))).params
      .rejectionReason,
  ).toMatch(/no such server/);
  one.notify('unsubscribe', { channel: 'rich:/s1' });
  await one.request('ping');
  expect(watchers.size).toBe(1);
  expect(one.problems).toEqual([]);
});

test('what extends agents is switched off for a session and on again, in both versions, and stays so', async () => {
  const on = await host();
  const view = (name: string, status: ServerView['status']): ServerView => ({
    name,
    status,
    reach: { command: 'x', args: [] },
    tools: [],
    prompts: [],
    resources: [],
  });
  const servers = () => ({
    list: () => [view('files', 'running'), view('off', 'disabled')],
    start: () => true,
    stop: () => true,
    close: () => {},
  });
  const one = await inSession(on, { ports: { servers } });
  const old = await connectV1(on, { id: 'old', ports: { servers } });
  open.push(() => old.close());
  await old.subscribe('rich:/s1');
  const session = 'rich:/s1';
  const shown = (id: string) => one.views.get(session).customizations.find((each: Loose) => each.id === id);
  const line = (uri: string) =>
    old.views.get(session).customizations.find(({ customization }: Loose) => customization.uri === uri);
  const toggle = async (id: string, ...enablement: readonly Loose[]) =>
    (await one.echo(one.dispatch(session, { type: 'session/customizationToggled', id, enablement }))).params
      .rejectionReason;
  const off = { kind: 'session', enabled: false };
  expect(await toggle('files', off)).toBeUndefined();
  expect(shown('files').enablement).toEqual([off]);
  await old.until(session, () => !line('parley-server:/files').enabled);
  expect([...leftOut(on.opened('s1')?.state ?? { disabledFeatures: [] })]).toEqual(['server:files']);
  expect(await toggle('files', off)).toMatch(/already has this state/);
  expect(await toggle('nothing', off)).toMatch(/no such customization/);
  expect(await toggle('files', { kind: 'global', enabled: false })).toMatch(/change the settings/);
  expect(await toggle('off', { kind: 'session', enabled: true })).toMatch(/in the settings/);
  expect(await toggle(shown('parley:agent').children[0].id, off)).toMatch(/Built-in customizations/);
  expect(await toggle('parley:agent', off)).toBeUndefined();
  expect(shown('parley:agent').enabled).toBe(false);
  const fromOld = old.dispatch({
    type: 'session/customizationToggled',
    session,
    uri: 'parley-server:/files',
    enabled: true,
  });
  expect((await old.echo(fromOld)).params.rejectionReason).toBeUndefined();
  await one.wait(() => shown('files').enablement === undefined);
  expect(
    (
      await old.echo(
        old.dispatch({ type: 'session/customizationToggled', session, uri: 'gone:/x', enabled: true }),
      )
    ).params.rejectionReason,
  ).toMatch(/no such customization/);
  await on.opened('s1')?.settled();
  expect(((await one.peer.request('subscribe', { channel: session })) as Loose).snapshot.state).toEqual(
    one.views.get(session),
  );
  expect([one.problems, old.problems]).toEqual([[], []]);
});

test('what a client brings along is read from the client', async () => {
  const on = await host();
  const asked: Loose[] = [];
  const tree: Record<string, Loose> = {
    'vscode-data:/plugin': [
      { name: 'skills', type: 'directory' },
      { name: 'readme.md', type: 'file' },
    ],
    'vscode-data:/plugin/skills': [{ name: 'tidy.md', type: 'file' }],
  };
  const one = await inSession(on, {
    answers: (method, params) => {
      asked.push([method, params.uri, params.channel]);
      const entries: unknown = tree[params.uri];
      if (!entries) throw Object.assign(new Error('no'), { code: -32008 });
      return { entries };
    },
  });
  const plugin = (uri: string, nonce: string) => ({ type: 'plugin', id: uri, uri, name: 'Mine', nonce });
  const bring = (...customizations: readonly unknown[]) =>
    one.echo(
      one.dispatch('rich:/s1', {
        type: 'session/activeClientSet',
        activeClient: { clientId: 'client-1', tools: [], customizations },
      }),
    );
  const brought = () =>
    one.views.get('rich:/s1').customizations.filter(({ clientId }: Loose) => clientId === 'client-1');
  await bring(plugin('vscode-data:/plugin', '1'), plugin('vscode-data:/gone', '1'));
  await one.wait(
    () => brought().length === 2 && brought().every(({ load }: Loose) => load?.kind !== 'loading'),
  );
  expect(brought()).toMatchObject([
    {
      load: { kind: 'loaded' },
      children: [{ type: 'skill', name: 'tidy', uri: 'vscode-data:/plugin/skills/tidy.md' }],
    },
    { load: { kind: 'error' } },
  ]);
  expect(asked).toEqual([
    ['resourceList', 'vscode-data:/plugin', 'ahp-root://'],
    ['resourceList', 'vscode-data:/gone', 'ahp-root://'],
    ['resourceList', 'vscode-data:/plugin/skills', 'ahp-root://'],
  ]);
  await bring(plugin('vscode-data:/plugin', '1'));
  expect(asked).toHaveLength(3);
  await bring(plugin('vscode-data:/plugin', '2'));
  await one.wait(() => brought()[0].nonce === '2' && brought()[0].load.kind === 'loaded');
  expect(asked).toHaveLength(5);
});
