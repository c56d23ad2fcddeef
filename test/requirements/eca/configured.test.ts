// Section 6.17 key by key on a real host: what concerns command lines, files, providers and the
// order of the sources.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { spawned } from '../../kit/clients.ts';
import { newHome } from '../../kit/parley.ts';
import { wire } from '../../kit/wire.ts';
import type { Loose } from '../../kit/wire.ts';
import type { Json } from '../../../src/model/event.ts';
import { contentLength } from '../../../src/rpc/framing/contentLength.ts';
import { verifies } from '../eca.ts';
import { first, startRig } from './formats.ts';
import type { Rig } from './formats.ts';

let rig: Rig;
/** Where one signs in to the company's GitHub. */
let company: Server;
const visits: { readonly path: string; readonly body: string }[] = [];

const configuration = (more: object = {}) => ({
  toolCall: {
    approval: { byDefault: 'allow' },
    shellCommand: { path: join(rig.home.dir, 'own', 'bash'), args: ['--norc', '-c'], summaryMaxLength: 8 },
  },
  index: { ignoreFiles: [], repoMap: { maxTotalEntries: 6, maxEntriesPerDir: 2 } },
  providers: {
    openai: { retry: { maxAutoContinues: 1 } },
    'github-copilot': {
      auth: { url: `http://127.0.0.1:${(company.address() as AddressInfo).port}/`, clientId: 'ours' },
    },
    locked: {
      api: 'openai-chat',
      url: rig.fake.url,
      requiresAuth: true,
      fetchModels: false,
      models: { m: {} },
    },
    open: { api: 'openai-chat', url: rig.fake.url, fetchModels: false, models: { m: {} } },
    mistral: { url: rig.fake.url, 'requiresAuth?': false, fetchModels: false, models: { local: {} } },
  },
  ...more,
});

beforeAll(async () => {
  company = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      visits.push({ path: request.url ?? '', body });
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          device_code: 'd',
          user_code: 'WORD',
          verification_uri: 'https://company.example/login/device',
          expires_in: 900,
          interval: 60,
        }),
      );
    });
  });
  await new Promise<void>((resolve) => void company.listen(0, '127.0.0.1', () => resolve()));
  rig = await startRig({ config: {} });
  chmodSync(rig.put('own/bash', '#!/bin/sh\necho own "$1"\nexec /bin/bash "$@"\n'), 0o755);
  for (const [path, text] of Object.entries({
    '.gitignore': 'hidden.txt\n',
    'hidden.txt': '',
    'src/a.txt': '',
    'src/b.txt': '',
    'src/c.txt': '',
    'src/deep/d.txt': '',
    'z.txt': '',
  }))
    rig.put(`workspace/${path}`, text);
  execFileSync('git', ['init', '-q'], { cwd: rig.home.workspace });
  rig.put('config/eca/config.json', JSON.stringify(configuration()));
  await rig.eca.wait(
    ({ method, params }) => method === 'config/updated' && params.chat.models?.includes('open/m'),
  );
});

afterAll(async () => {
  await rig.close();
  company.closeAllConnections();
  await new Promise((resolve) => void company.close(resolve));
});

/** Has the model run a command line; gives what was shown of the call. */
async function ran(input: Json): Promise<Loose> {
  rig.answer(({ asked }) =>
    asked?.results.length === 0 ? [{ call: 'shell_command', input, id: 'c1' }] : undefined,
  );
  const { said } = await rig.prompt('openai', 'Run it');
  rig.answer(undefined);
  return first(said, 'toolCalled');
}

test(`ECA: ${verifies('config.shell')}`, async () => {
  expect(await ran({ command: 'echo one two three' })).toMatchObject({
    summary: '$ echo one...',
    outputs: expect.arrayContaining([{ type: 'text', text: 'Stdout:\nown --norc\none two three' }]) as object,
  });
  expect(
    JSON.stringify((await ran({ command: 'echo apart; sleep 30', background: 'nap' })).outputs),
  ).toContain('own --norc');
  const { jobs } = await rig.eca.request('jobs/list', {});
  expect(jobs).toMatchObject([{ label: 'echo apart; sleep 30', status: 'running' }]);
  await rig.eca.request('jobs/kill', { jobId: jobs[0].id });
  const from = rig.eca.said.length;
  for (const wrong of [
    { path: '/bin/zsh' },
    { path: join(rig.home.dir, 'own', 'bash'), args: ['-O', 'extglob', '-c'] },
  ]) {
    rig.put(
      'config/eca/config.json',
      JSON.stringify(configuration({ toolCall: { approval: { byDefault: 'allow' }, shellCommand: wrong } })),
    );
    await rig.eca.wait(
      ({ method, params }) =>
        method === '$/showMessage' &&
        String(params.message).includes(`toolCall.shellCommand (${wrong.path}`) &&
        String(params.message).includes('has no effect'),
      from,
    );
    expect(JSON.stringify((await ran({ command: 'echo usual' })).outputs)).toContain('Stdout:\\nusual');
  }
  rig.put('config/eca/config.json', JSON.stringify(configuration()));
});

test(`ECA: ${verifies('config.index')}`, async () => {
  const found = async () =>
    ((await rig.eca.request('chat/queryFiles', { query: 'hidden' })).files as Loose[]).map(
      ({ path }) => path as string,
    );
  await expect.poll(found).toEqual([join(rig.home.workspace, 'hidden.txt')]);
  const map = [
    rig.home.workspace,
    ' .gitignore',
    ' hidden.txt',
    ' src',
    '  a.txt',
    '  b.txt',
    '... 4 more in all',
  ].join('\n');
  const { said } = await rig.prompt('openai', '/repo-map-show');
  expect(String(first(said, 'text', { contentId: undefined }).text)).toContain(map);
  rig.asked();
  await rig.prompt('openai', 'Where is it?', { contexts: [{ type: 'repoMap' }] });
  expect(JSON.stringify(rig.asked()[0]?.body)).toContain(JSON.stringify(map).slice(1, -1));
  rig.put('config/eca/config.json', JSON.stringify(configuration({ index: {} })));
  await expect.poll(found).toEqual([]);
  rig.put('config/eca/config.json', JSON.stringify(configuration()));
});

test(`ECA: ${verifies('config.access')}`, async () => {
  const { providers } = await rig.eca.request('providers/list', {});
  const status = (id: string) => (providers as Loose[]).find((each) => each.id === id).auth.status as string;
  expect([status('locked'), status('open'), status('mistral')]).toEqual([
    'unauthenticated',
    'local',
    'local',
  ]);
  const { models } =
    rig.eca.said.findLast(({ method, params }) => method === 'config/updated' && params.chat.models)?.params
      .chat ?? {};
  expect(['locked/m', 'open/m', 'mistral/local'].map((id) => models.includes(id) as boolean)).toEqual([
    false,
    true,
    true,
  ]);
  const step = await rig.eca.request('providers/login', { provider: 'github-copilot', method: 'device' });
  expect(step).toMatchObject({
    action: 'device-code',
    code: 'WORD',
    url: 'https://company.example/login/device',
  });
  expect(visits[0]).toMatchObject({
    path: '/login/device/code',
    body: expect.stringContaining('ours') as string,
  });
});

test(`ECA: ${verifies('config.continues')}`, async () => {
  rig.asked();
  rig.answer(() => [{ text: '```\nnever closed' }]);
  await rig.prompt('openai', 'Write code');
  rig.answer(undefined);
  expect(rig.asked()).toHaveLength(2);
});

test(`ECA: ${verifies('config.order')}`, async () => {
  const home = newHome();
  delete home.env['PARLEY_SCRIPTED'];
  const roots = ['one', 'two'].map((name) => join(home.dir, name));
  const put = (path: string, value: object) => {
    mkdirSync(dirname(join(home.dir, path)), { recursive: true });
    writeFileSync(join(home.dir, path), JSON.stringify(value));
  };
  const models = (name: string) => ({ [name]: {}, shared: { limit: { context: Number(name.slice(1)) } } });
  const provider = (name: string, more: object = {}) => ({
    providers: { p: { models: models(name), ...more } },
  });
  put('config/eca/config.json', {
    ...provider('m3'),
    welcomeMessage: 'global',
    defaultAgent: 'plan',
    extraConfigs: '~/extra.json',
    mcpServers: { m: { command: 'global' } },
    plugins: { kit: { source: join(home.dir, 'kit') }, install: ['kit'] },
  });
  put('one/.eca/config.json', {
    ...provider('m4'),
    welcomeMessage: 'first folder',
    defaultAgent: 'code',
    mcpServers: { m: { command: 'folder', args: ['kept'], disabled: true } },
  });
  put('two/.eca/config.json', { welcomeMessage: 'second folder' });
  put('extra.json', { ...provider('m6'), mcpServers: { m: { command: 'extra' } } });
  put('kit/.eca-plugin/marketplace.json', { plugins: [{ name: 'kit', description: 'x', source: 'kit' }] });
  put('kit/kit/eca.json', { welcomeMessage: 'plugin', ...provider('m7') });
  Object.assign(home.env, {
    XDG_CONFIG_HOME: join(home.dir, 'config'),
    ECA_CONFIG: JSON.stringify({
      ...provider('m2', { api: 'openai-chat', url: 'http://127.0.0.1:9/v1', key: 'k', fetchModels: false }),
      welcomeMessage: 'variable',
    }),
  });
  for (const root of roots) expect((await home.run('trust', root, '--yes').done).code).toBe(0);
  const eca = wire(spawned(home, ['server', '--standalone'], contentLength));
  await eca.request('initialize', {
    processId: process.pid,
    capabilities: {},
    workspaceFolders: roots.map((root) => ({ uri: `file://${root}`, name: 'w' })),
    initializationOptions: { ...provider('m1', { key: 'low' }), welcomeMessage: 'client' },
  });
  eca.notify('initialized', {});
  const { params } = await eca.wait(
    ({ method, params: given }) => method === 'config/updated' && given.chat.welcomeMessage !== undefined,
  );
  expect([params.chat.welcomeMessage, params.chat.selectAgent]).toEqual(['second folder', 'code']);
  expect((params.chat.models as string[]).filter((id) => id.startsWith('p/'))).toEqual([
    'p/m1',
    'p/m2',
    'p/m3',
    'p/m6',
    'p/m7',
    'p/shared',
  ]);
  // Where words and keys go is not for a folder to say.
  await eca.wait(
    ({ method, params: given }) =>
      method === '$/showMessage' &&
      String(given.message).includes('one/.eca/config.json: providers can only be set in your own settings'),
  );
  const { params: server } = await eca.wait(
    ({ method, params: given }) => method === 'tool/serverUpdated' && given.name === 'm',
  );
  expect(server).toMatchObject({ command: 'extra', args: ['kept'], status: 'disabled' });
  await eca.close();
  await home.dispose();
});

test(`ECA: ${verifies('prompt.parts')}`, async () => {
  const own = await startRig({
    config: {
      toolCall: { approval: { byDefault: 'allow' } },
      rules: [{ path: 'docs/rules' }],
      commands: [{ path: 'docs/commands/deploy.md' }],
      skills: [{ path: 'docs/skills' }, { path: 'docs/one/SKILL.md' }],
      agent: {
        base: {
          mode: ['primary'],
          description: 'Base',
          systemPrompt:
            'You are on {{osName}} in {{workspaceRoots}}.{% if toolEnabled_eca__git %} Use git.{% endif ' +
            '%}{% if isSubagent %} You serve.{% endif %}',
          disabledTools: ['git'],
        },
        heir: { inherit: 'base', description: 'Heir' },
      },
      customTools: {
        measure: {
          description: 'Measures',
          command: 'echo {{what}} is long',
          schema: { properties: { what: { type: 'string' } }, required: ['what'] },
        },
      },
    },
  });
  const files = {
    'AGENTS.md': 'Mind the gap. See @docs/more.md',
    'docs/more.md': 'There is more.',
    '.eca/rules/heirs.md': '---\nagent: heir\n---\nHeirs are polite.',
    'docs/rules/models.md': '---\nmodel: no-such\n---\nNever said.',
    'docs/rules/all.md': 'All are kind.',
    '.eca/rules/paths.md': '---\nname: careful\npaths: src/**\nenforce: read\n---\nBe careful there.',
    'docs/skills/deep/knots/SKILL.md': '---\nname: knots\ndescription: Ties knots\n---\nTie $1 twice.',
    'docs/one/SKILL.md': '---\nname: one\ndescription: Only one\n---\nOnce.',
    '.agents/skills/tidy/SKILL.md': '---\nname: tidy\ndescription: Tidies\n---\nTidy up.',
    'docs/commands/deploy.md': 'Deploy {{what}} now.',
    '.eca/agents/written.md': '---\ndescription: Written\nmode: subagent\n---\nYou were written.',
    'src/a.txt': 'one',
  };
  for (const [path, text] of Object.entries(files)) own.put(`workspace/${path}`, text);
  await own.eca.wait(
    ({ method, params }) => method === 'config/updated' && params.chat.agents?.includes('heir'),
  );
  const behaviors = own.eca.said.findLast(
    ({ method, params }) => method === 'config/updated' && params.chat.behaviors,
  )?.params.chat.behaviors as string[];
  expect(behaviors).toEqual(expect.arrayContaining(['base', 'heir']));
  own.asked();
  await own.prompt('openai', 'Hello', { agent: 'heir' });
  const system = own.asked()[0]?.asked?.system ?? '';
  for (const words of [
    `You are on`,
    `in ${own.home.workspace}.`,
    'Mind the gap.',
    'There is more.',
    'Heirs are polite.',
    'All are kind.',
    'careful',
    'knots',
    'Ties knots',
    'Only one',
    'Tidies',
  ])
    expect(system).toContain(words);
  for (const words of ['Use git.', 'You serve.', 'Never said.', 'Be careful there.', '{{', 'Tie $1'])
    expect(system).not.toContain(words);
  await own.prompt('openai', '/deploy everything', { agent: 'heir' });
  expect(own.asked()[0]?.asked?.prompt).toContain('Deploy everything now.');
  await own.prompt('openai', '/knots rope', { agent: 'heir' });
  expect(own.asked()[0]?.asked?.prompt).toContain('Tie rope twice.');
  const calls = [
    { call: 'read_file', input: { path: join(own.home.workspace, 'src/a.txt') }, id: 'c1' },
    { call: 'measure', input: { what: "a 'rope'; date" }, id: 'c2' },
  ];
  own.answer(({ asked }) => (asked?.results.length === 0 ? calls : undefined));
  const { said } = await own.prompt('openai', 'Look', { agent: 'heir' });
  expect(JSON.stringify(first(said, 'toolCalled', { name: 'read_file' }).outputs)).toContain('fetch_rule');
  expect(first(said, 'toolCalled', { name: 'measure' }).outputs).toContainEqual({
    type: 'text',
    text: "Stdout:\na 'rope'; date is long",
  });
  await own.close();
});

test(`ECA: ${verifies('config.keys')}`, async () => {
  rig.put(
    'config/eca/config.json',
    JSON.stringify(
      configuration({
        providers: { openai: { key: 'of-the-configuration' }, anthropic: { key: '${env:NOT_SET}' } },
      }),
    ),
  );
  const sent = async (provider: string, header: string) => {
    rig.asked();
    await rig.prompt(provider, 'Hello');
    return rig.asked()[0]?.headers[header];
  };
  await expect.poll(() => sent('openai', 'authorization')).toBe('Bearer of-the-configuration');
  expect(await sent('anthropic', 'x-api-key')).toBe('k');
  rig.put('config/eca/config.json', JSON.stringify(configuration()));
});
