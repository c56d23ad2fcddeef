import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { workspace } from '../../../test/kit/workspace.ts';
import type { Workspace } from '../../../test/kit/workspace.ts';
import { loadEcaFile } from './file.ts';
import { ecaFolderFile, EcaConfigReader } from './read.ts';

let place: Workspace | undefined;
afterEach(() => {
  place?.close();
  place = undefined;
});

/** As if every folder were trusted. */
const folderConfig = (root: string) => loadEcaFile(ecaFolderFile(root)).config;

describe('the cascade', () => {
  test('later sources win, maps add up, and files may have comments', () => {
    place = workspace({
      'config/eca/config.json':
        '{\n  // mine\n  "defaultModel": "global", "providers": {"p": {"url": "g", "key": "k"}}, "rules": [{"path": "a"}],\n}',
      'w/.eca/config.json': '{"providers": {"p": {"url": "local"}}, "rules": [{"path": "b"}]}',
    });
    const env = {
      XDG_CONFIG_HOME: join(place.root, 'config'),
      ECA_CONFIG: '{"defaultModel":"variable","defaultAgent":"plan"}',
    };
    const { config, problems } = new EcaConfigReader().read({
      env,
      folderConfig,
      roots: [join(place.root, 'w')],
      initial: { welcomeMessage: 'Hi', defaultAgent: 'code' },
    });
    expect(config).toEqual({
      welcomeMessage: 'Hi',
      defaultModel: 'global',
      defaultAgent: 'plan',
      providers: { p: { url: 'local', key: 'k' } },
      rules: [{ path: 'b' }],
    });
    expect(problems).toEqual([]);
  });

  test('a pure configuration is all there is, and a named file stands for all files', () => {
    place = workspace({
      'eca/config.json': '{"a":1}',
      'named.json': '{"b":2}',
      '.eca/config.json': '{"c":3}',
    });
    const env = { XDG_CONFIG_HOME: place.root, ECA_CONFIG: '{"d":4}' };
    const reader = new EcaConfigReader();
    expect(
      reader.read({ env, folderConfig, roots: [place.root], initial: { pureConfig: true, x: 1 } }).config,
    ).toEqual({
      pureConfig: true,
      x: 1,
    });
    expect(
      reader.read({ env, folderConfig, roots: [place.root], configFile: join(place.root, 'named.json') })
        .config,
    ).toEqual({ b: 2, d: 4 });
  });

  test('a broken or emptied file keeps what it last said, and one that is gone says nothing', () => {
    place = workspace({ 'eca/config.json': '' });
    const sources = { folderConfig, env: { XDG_CONFIG_HOME: place.root }, roots: [] };
    const reader = new EcaConfigReader();
    expect(reader.read(sources)).toMatchObject({ config: {}, problems: [] });
    place.put({ 'eca/config.json': '{"defaultModel":"good"}' });
    expect(reader.read(sources).config).toEqual({ defaultModel: 'good' });
    for (const text of ['{"defaultModel":', '']) {
      place.put({ 'eca/config.json': text });
      const broken = reader.read(sources);
      expect([broken.config, broken.problems.length]).toEqual([{ defaultModel: 'good' }, 1]);
    }
    rmSync(join(place.root, 'eca/config.json'));
    expect(reader.read(sources)).toMatchObject({ config: {}, problems: [] });
  });
});

describe('further files', () => {
  test('count most, in their order; one that any workspace could bring along does not', () => {
    place = workspace({
      'eca/more.json': '{"b": 2, "c": 2, "d": {"y": 2}}',
      'extra.json': '{"c": 3, "extraConfigs": ["never.json"]}',
      'w/.eca/config.json': '{"a": 4, "b": 4}',
      'w/.eca/config.local.json': '{"a": 5}',
    });
    const extra = join(place.root, 'extra.json');
    place.put({
      'eca/config.json': `{"extraConfigs": ["more.json", "${extra}", ".eca/config.local.json"], "a": 1, "b": 1, "c": 1, "d": {"x": 1}}`,
    });
    const sources = { folderConfig, env: { XDG_CONFIG_HOME: place.root }, roots: [join(place.root, 'w')] };
    const { config, below, above, problems } = new EcaConfigReader().read(sources);
    expect([config['a'], config['b'], config['c'], config['d']]).toEqual([4, 2, 3, { x: 1, y: 2 }]);
    expect([below['b'], below['d'], above['b'], above['d']]).toEqual([1, { x: 1 }, 2, { y: 2 }]);
    expect(problems).toMatchObject([
      {
        file: join(place.root, 'w/.eca/config.local.json'),
        message: expect.stringContaining('by its whole path') as string,
      },
    ]);
    place.put({ 'eca/config.json': `{"extraConfigs": "${extra}"}` });
    expect(new EcaConfigReader().read(sources).config['c']).toBe(3);
  });
});

describe('plugins', () => {
  const marketplace = (...plugins: object[]) => JSON.stringify({ plugins });
  const read = (config: object) => {
    place?.put({ 'eca/config.json': JSON.stringify(config) });
    return new EcaConfigReader().read({
      env: { XDG_CONFIG_HOME: place?.root ?? '', PARLEY_HOME: join(place?.root ?? '', 'home') },
      roots: [],
      folderConfig,
    });
  };

  test('what they need comes before them, the user wins over them, and nothing outside their collection is one', () => {
    place = workspace({
      'shop/.eca-plugin/marketplace.json': marketplace(
        { name: 'kit', source: 'kit', dependencies: ['base'] },
        { name: 'base', source: 'base' },
        { name: 'evil', source: '../../etc' },
      ),
      'shop/kit/eca.json': '{"defaultModel":"kit/one","welcomeMessage":"${plugin:root}"}',
      'shop/kit/hooks/hooks.json': '{"guard":{"type":"preToolCall","actions":[]}}',
      'shop/base/eca.json': '{"defaultModel":"base/one"}',
      'shop/base/.mcp.json': '{"mcpServers":{"m":{"command":"${plugin:root}/run"}}}',
      'shop/base/.eca-plugin/plugin.json': '{"dependencies":["kit"]}',
    });
    const { config, plugins } = read({
      plugins: { shop: { source: '../shop' }, install: ['kit@shop', 'evil'] },
      hooks: { guard: { type: 'chatEnd' } },
    });
    const folder = join(place.root, 'shop');
    expect(plugins.installed.map(({ name }) => name)).toEqual(['base', 'kit']);
    expect(plugins.problems).toEqual([expect.stringContaining('evil')]);
    expect(config).toMatchObject({
      defaultModel: 'kit/one',
      welcomeMessage: join(folder, 'kit'),
      mcpServers: { m: { command: join(folder, 'base/run') } },
      hooks: { guard: { type: 'chatEnd' } },
    });
  });

  test('one that is in two collections must be named with its collection; one that is nowhere is looked for in the usual one', () => {
    place = workspace({
      'a/.eca-plugin/marketplace.json': marketplace({ name: 'x', source: 'x' }),
      'b/.eca-plugin/marketplace.json': marketplace({ name: 'x', source: 'x' }),
    });
    const sources = { a: { source: join(place.root, 'a') }, b: { source: join(place.root, 'b') } };
    expect(read({ plugins: { ...sources, install: ['x'] } }).plugins).toMatchObject({
      installed: [],
      problems: [expect.stringContaining('x@a, x@b')],
      sources: [{ name: 'a' }, { name: 'b' }],
    });
    expect(read({ plugins: { ...sources, install: ['x@b'] } }).plugins.installed).toMatchObject([
      { source: 'b' },
    ]);
    expect(read({ plugins: { ...sources, install: ['far'] } }).plugins.sources.at(-1)).toMatchObject({
      name: 'eca',
      address: expect.stringMatching(/^https:/) as string,
    });
  });
});
