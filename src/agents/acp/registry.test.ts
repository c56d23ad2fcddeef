import { describe, expect, test } from 'vitest';
import { readRegistry } from '../../protocols/acp/registrySchema.ts';
import { catalogue } from './catalogue.ts';
import { distributionsOf, knownAgents, settingOf, usableAgents } from './registry.ts';
import type { AgentSetting } from './registry.ts';
import { agentIdOf } from './registryIds.ts';
import { registrySnapshot } from './registrySnapshot.ts';

const found = (command: string) =>
  command === 'goose' || command === '/opt/mine' ? `/bin/${command}` : undefined;
const agentOf = (id: string, settings: readonly AgentSetting[] = []) =>
  knownAgents(settings, { find: found }).find(({ program }) => program.id === id);

test('every agent of the catalogue has what people need', () => {
  expect(catalogue.map(({ id }) => id)).toEqual([
    'claude',
    'codex',
    'gemini',
    'copilot',
    'opencode',
    'kilo',
    'goose',
    'kimi',
    'qwen',
    'pi',
  ]);
  for (const { install, signIn, description } of catalogue)
    expect([install, signIn, description].every((words) => words?.endsWith('.'))).toBe(true);
});

test('each agent says how to install it, and when our own version of Node is too old for it', () => {
  for (const { id, install } of catalogue)
    expect([id, install]).toEqual([id, expect.stringMatching(/npm install -g @?[a-z]|https:\/\//)]);
  const newer = catalogue.filter(({ install }) => install?.endsWith(' It needs Node 22 or newer.'));
  expect(newer.map(({ id }) => id)).toEqual(['claude', 'kimi', 'qwen', 'pi']);
});

test('what is on the PATH is found, the rest is known', () => {
  expect([agentOf('goose')?.source, agentOf('claude')?.source]).toEqual(['found', 'known']);
  expect(usableAgents(knownAgents([], { find: found })).map(({ id }) => id)).toEqual(['goose']);
});

describe('what the user has set up', () => {
  check(
    'an agent of their own',
    { id: 'mine', command: '/opt/mine', args: ['x'], env: { A: '1' }, inherits: ['B'] },
    {
      source: 'configured',
      path: '/bin//opt/mine',
      program: {
        id: 'mine',
        name: 'mine',
        command: '/opt/mine',
        args: ['x'],
        env: { A: '1' },
        inherits: ['B'],
      },
    },
  );
  check(
    'a known agent with another name',
    { id: 'goose', name: 'My goose' },
    {
      program: {
        name: 'My goose',
        command: 'goose',
        args: ['acp', '--with-builtin', 'developer'],
        quirks: { end: 'ignored' },
      },
    },
  );
  check(
    'a known agent by another program',
    { id: 'codex', command: '/opt/mine' },
    { program: { name: 'Codex', args: [], quirks: { mode: 'read-only' } } },
  );
  check(
    'a known agent in another mode',
    { id: 'codex', mode: 'auto' },
    { path: undefined, program: { quirks: { mode: 'auto' } } },
  );

  function check(name: string, setting: AgentSetting, expected: object): void {
    test(`${name} is taken`, () => {
      expect(agentOf(setting.id, [setting])).toMatchObject(expected);
    });
  }

  test('counts also where it cannot be found, and not where it is turned off or has no command', () => {
    const settings: readonly AgentSetting[] = [
      { id: 'gone', command: 'gone' },
      { id: 'goose', disabled: true },
      { id: 'nothing' },
    ];
    expect(usableAgents(knownAgents(settings, { find: found })).map(({ id }) => id)).toEqual(['gone']);
  });
});

describe('what is known of an agent goes by the program that is started', () => {
  const isPi = { asks: 'never' };
  const isCodex = { mode: 'read-only' };
  check('a program', 'pi-acp', isPi);
  check('a path', '/opt/bin/pi-acp', isPi);
  check('a file of Windows', 'C:\\npm\\pi-acp.cmd', isPi);
  check('a link', 'mine', isPi);
  check('a package', 'npx -y pi-acp', isPi);
  check('a package with its version', 'npx --package=pi-acp@0.0.34 -- pi-acp', isPi);
  check('a package of others by the same name', 'bunx @corp/pi-acp@latest', isPi);
  check('a package with another name than its program', 'npx @agentclientprotocol/codex-acp', isCodex);
  check('a package with an earlier name', 'pnpm dlx @kilocode/cli acp', {
    askingEnv: { KILO_PERMISSION: '{"edit":"ask","bash":"ask"}' },
  });
  check('a script of a package', 'node /opt/lib/node_modules/pi-acp/dist/index.js', isPi);
  check('a program behind others', 'env DEBUG=1 nice -n 5 pi-acp', isPi);
  check('a program in the environment of a project', 'mise exec -- qwen --acp', { mode: 'default' });
  check('a program in a shell', ['sh', '-c', 'cd /work && exec pi-acp'], isPi);
  check('a program that is not known', '/opt/mine --model gemini', undefined);
  check('a package that is not known', 'npx -y mine', undefined);

  function check(what: string, line: string | readonly string[], quirks: object | undefined): void {
    test(`of ${what}`, () => {
      const [command = '', ...args] = typeof line === 'string' ? line.split(' ') : line;
      const [agent] = knownAgents([{ id: 'other', command, args }], {
        find: (name) => `/bin/${name}`,
        realPath: (path) => (path === '/bin/mine' ? '/lib/node_modules/pi-acp/dist/index.js' : path),
      });
      expect(agent?.program).toMatchObject({ id: 'other', name: 'other', command, args });
      expect(agent?.program.quirks).toEqual(quirks);
    });
  }

  test('with its variables, its sign-in and its sandbox, but not with its name', () => {
    expect(agentOf('mine', [{ id: 'mine', command: 'codex-acp' }])?.program).toEqual({
      ...catalogue.find(({ id }) => id === 'codex'),
      id: 'mine',
      name: 'mine',
      description: 'Added in your settings.',
    });
  });

  test('also under the id of another agent, and where a registry has another id', () => {
    expect(agentOf('codex', [{ id: 'codex', command: 'npx', args: ['pi-acp'] }])?.program).toMatchObject({
      name: 'codex',
      quirks: isPi,
    });
    const corporate = { id: 'corp', name: 'Corp', description: '', version: '1', folder: '/data/corp' };
    const command = '/data/corp/node_modules/.bin/pi-acp';
    const [agent] = knownAgents([], { find: found, installed: [{ ...corporate, command, args: [] }] });
    expect(agent?.program).toMatchObject({ id: 'corp', name: 'Corp', command, quirks: isPi });
  });
});

describe('what Parley has installed', () => {
  const installed = [
    {
      id: 'codex',
      name: 'Codex of the registry',
      description: '',
      version: '1.2.3',
      folder: '/data/codex',
      command: '/opt/mine',
      args: ['x'],
    },
    {
      id: 'other',
      name: 'Other',
      description: 'Else.',
      version: '2',
      folder: '/data/other',
      command: '/gone',
      args: [],
    },
  ];
  const at = (id: string, settings: readonly AgentSetting[] = []) =>
    knownAgents(settings, { find: found, installed }).filter(({ program }) => program.id === id);

  test('keeps the name and the quirks of our catalogue, and is listed once', () => {
    expect(at('codex')).toMatchObject([
      {
        source: 'installed',
        version: '1.2.3',
        program: {
          name: 'Codex',
          args: ['x'],
          quirks: { mode: 'read-only' },
          inherits: ['OPENAI_*', 'CODEX_*'],
        },
      },
    ]);
    expect(at('other')).toMatchObject([{ source: 'installed', path: undefined, program: { name: 'Other' } }]);
  });

  test('does not take the place of the built-in agent', () => {
    const impostor = { id: 'parley', name: 'Parley', description: '', version: '1', folder: '/data/parley' };
    const all = knownAgents([], {
      find: found,
      installed: [{ ...impostor, command: '/opt/mine', args: [] }],
    });
    expect(all.map(({ program }) => program.id)).not.toContain('parley');
  });

  test('is what settings of that id change, unless they have a command', () => {
    const [changed] = at('codex', [{ id: 'codex', env: { A: '1' } }]);
    expect(changed).toMatchObject({
      source: 'configured',
      version: '1.2.3',
      program: { command: '/opt/mine', args: ['x'], env: { A: '1' } },
    });
    const [own] = at('codex', [{ id: 'codex', command: 'goose' }]);
    expect([own?.version, own?.program.args]).toEqual([undefined, []]);
  });
});

describe('the public registry', () => {
  const entry = (distribution: object, more: object = {}) => ({
    id: 'some-agent',
    name: 'Some',
    version: '1.0.0',
    description: 'Does things.',
    distribution,
    ...more,
  });
  const read = (value: unknown) =>
    readRegistry({ version: '1.0.0', agents: [value], extensions: [] })?.map((one) =>
      settingOf(one, 'linux-x86_64'),
    );

  check('a package of npm', entry({ npx: { package: '@x/y@1', args: ['--acp'], env: { A: '1' } } }), [
    {
      id: 'some-agent',
      name: 'Some',
      description: 'Does things.',
      command: 'npx',
      args: ['-y', '@x/y@1', '--acp'],
      env: { A: '1' },
    },
  ]);
  check('a package of Python', entry({ uvx: { package: 'y' } }), [
    { id: 'some-agent', name: 'Some', description: 'Does things.', command: 'uvx', args: ['y@1.0.0'] },
  ]);
  check(
    'a download',
    entry({ binary: { 'linux-x86_64': { archive: 'https://x/y.tgz', cmd: './y', args: ['serve'] } } }),
    [
      {
        problem: 'Some must be installed. Run "parley agents install some-agent".',
      },
    ],
  );
  check('a download for others', entry({ binary: { 'darwin-aarch64': { archive: 'a', cmd: './y' } } }), [
    { problem: 'Some is not available for linux-x86_64.' },
  ]);
  check('a package of Python with extras', entry({ uvx: { package: 'y[acp,web]==1.2' } }), [
    {
      id: 'some-agent',
      name: 'Some',
      description: 'Does things.',
      command: 'uvx',
      args: ['y[acp,web]==1.2'],
    },
  ]);
  const strange = {
    'an option of npm': '--prefix=/elsewhere',
    'an address': 'http://127.0.0.1:9/y.tgz',
    'a repository': 'git+ssh://x/y.git',
    'a repository by its short name': 'x/y',
    'a folder': '../../y',
    'a file': 'file:/y',
    'another name for a package': 'y@npm:z@1',
  };
  for (const [what, spec] of Object.entries(strange))
    check(`a package that is ${what}`, entry({ npx: { package: spec }, uvx: { package: spec } }), [
      { problem: 'Some is not available for linux-x86_64.' },
    ]);
  check('an entry that is none', entry({}, { id: 'Not An Id' }), []);

  function check(name: string, value: object, expected: unknown): void {
    test(`${name} is read`, () => {
      expect(read(value)).toEqual(expected);
    });
  }

  test('packages come before archives, and an archive of another platform is none', () => {
    const [all] =
      readRegistry({
        agents: [
          entry({
            npx: { package: 'a@1' },
            uvx: { package: 'b==1' },
            binary: { 'linux-x86_64': { archive: 'https://x/y', cmd: 'y', sha256: 'A'.repeat(64) } },
          }),
        ],
      }) ?? [];
    const kinds = (platform: string) => all && distributionsOf(all, platform).map(({ kind }) => kind);
    expect([kinds('linux-x86_64'), kinds('windows-x86_64')]).toEqual([
      ['npx', 'uvx', 'binary'],
      ['npx', 'uvx'],
    ]);
  });

  test.each([
    ['made', 'made@1.2.0'],
    ['@made/agent', '@made/agent@1.2.0'],
    ['made[extra]', 'made[extra]@1.2.0'],
    ['made@2.0.0', 'made@2.0.0'],
    ['made==2.0.0', 'made==2.0.0'],
  ])('the package %s is installed as %s', (name, expected) => {
    const more = { id: 'made', name: 'Made', version: '1.2.0' };
    const [made] = readRegistry({ agents: [entry({ npx: { package: name } }, more)] }) ?? [];
    expect(made && distributionsOf(made, 'linux-x86_64').map(({ source }) => source)).toEqual([expected]);
  });

  test('the snapshot has every package of our catalogue under its id', () => {
    const ids = readRegistry(registrySnapshot)?.map(({ id }) => agentIdOf(id)) ?? [];
    expect(ids.toSorted()).toEqual(
      catalogue
        .map(({ id }) => id)
        .filter((id) => id !== 'goose')
        .toSorted(),
    );
  });

  test('something else is no registry', () => {
    expect([readRegistry(undefined), readRegistry({ agents: 5 }), readRegistry([])]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
