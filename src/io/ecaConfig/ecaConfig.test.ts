import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { workspace } from '../../../test/kit/workspace.ts';
import type { Workspace } from '../../../test/kit/workspace.ts';
import { interpolate } from './interpolate.ts';
import { clientSettings, mapEcaConfig } from './map.ts';
import { EcaConfigReader } from './read.ts';

let place: Workspace | undefined;
afterEach(() => {
  place?.close();
  place = undefined;
});

describe('the cascade', () => {
  test('later sources win, maps add up, and files may have comments', () => {
    place = workspace({
      'config/eca/config.json': '{\n  // mine\n  "defaultModel": "global", "providers": {"p": {"url": "g", "key": "k"}}, "rules": [{"path": "a"}],\n}',
      'w/.eca/config.json': '{"providers": {"p": {"url": "local"}}, "rules": [{"path": "b"}]}',
    });
    const env = { XDG_CONFIG_HOME: join(place.root, 'config'), ECA_CONFIG: '{"defaultModel":"variable","defaultAgent":"plan"}' };
    const { config, problems } = new EcaConfigReader().read({ env, roots: [join(place.root, 'w')], initial: { welcomeMessage: 'Hi', defaultAgent: 'code' } });
    expect(config).toEqual({ welcomeMessage: 'Hi', defaultModel: 'global', defaultAgent: 'plan', providers: { p: { url: 'local', key: 'k' } }, rules: [{ path: 'b' }] });
    expect(problems).toEqual([]);
  });

  test('a pure configuration is all there is, and a named file stands for all files', () => {
    place = workspace({ 'eca/config.json': '{"a":1}', 'named.json': '{"b":2}', '.eca/config.json': '{"c":3}' });
    const env = { XDG_CONFIG_HOME: place.root, ECA_CONFIG: '{"d":4}' };
    const reader = new EcaConfigReader();
    expect(reader.read({ env, roots: [place.root], initial: { pureConfig: true, x: 1 } }).config).toEqual({ pureConfig: true, x: 1 });
    expect(reader.read({ env, roots: [place.root], configFile: join(place.root, 'named.json') }).config).toEqual({ b: 2, d: 4 });
  });

  test('a broken file keeps what it last said, and one that is gone says nothing', () => {
    place = workspace({ 'eca/config.json': '{"defaultModel":"good"}' });
    const sources = { env: { XDG_CONFIG_HOME: place.root }, roots: [] };
    const reader = new EcaConfigReader();
    expect(reader.read(sources).config).toEqual({ defaultModel: 'good' });
    place.put({ 'eca/config.json': '{"defaultModel":' });
    const broken = reader.read(sources);
    expect([broken.config, broken.problems.length]).toEqual([{ defaultModel: 'good' }, 1]);
    rmSync(join(place.root, 'eca/config.json'));
    expect(reader.read(sources)).toMatchObject({ config: {}, problems: [] });
  });
});

describe('texts', () => {
  test.each([
    ['${env:A}', 'one'],
    ['${env:NONE:two words}', 'two words'],
    ['${env:NONE}', ''],
    ['x-${cmd:echo hi}-y', 'x-hi-y'],
    ['${file:key.txt}', 'secret'],
    ['${file:missing}', ''],
    ['${plugin:root}', '${plugin:root}'],
    ['plain', 'plain'],
  ])('%s', (given, expected) => {
    place = workspace({ 'key.txt': 'secret\n' });
    expect(interpolate({ deep: [given] }, { env: { A: 'one' }, file: join(place.root, 'config.json'), own: true })).toEqual({ deep: [expected] });
  });

  test('what a folder brings along runs nothing and reads nothing', () => {
    place = workspace({ 'made': '' });
    const given = ['${cmd:rm made}', '${file:made}', '${env:A}'];
    expect(interpolate(given, { env: { A: 'one' }, file: join(place.root, 'config.json'), own: false })).toEqual(['${cmd:rm made}', '${file:made}', 'one']);
    expect(place.tree()).toEqual({ made: '' });
  });
});

describe('in our words', () => {
  test('providers and models', () => {
    expect(mapEcaConfig({ providers: { mock: { api: 'openai-chat', url: 'http://x', key: 'k', fetchModels: false, extraHeaders: { a: 'b' }, models: { m1: { limit: { context: 10, output: 5 }, cost: { input: 1, output: 2 }, modelName: 'real', imageInput: false }, m2: {}, m3: null } }, broken: 5 } })).toEqual({
      providers: { mock: { api: 'openai-chat', url: 'http://x', key: 'k', fetchModels: false, headers: { a: 'b' }, models: { m1: { name: 'real', context: 10, output: 5, images: false, cost: { input: 1, output: 2 } }, m2: {}, m3: {} } } },
    });
  });

  test('approvals: any expression of any argument is a rule of its own', () => {
    const approval = { byDefault: 'ask', allow: { eca__read_file: {}, shell_command: { argsMatchers: { command: ['pwd', 'git (log|diff).*'] } } }, deny: { m1__drop: {} } };
    expect(mapEcaConfig({ toolCall: { approval } })).toEqual({
      approvals: { allow: [{ tool: 'read_file' }, { tool: 'shell_command', args: { command: 'pwd' } }, { tool: 'shell_command', args: { command: 'git (log|diff).*' } }], ask: [], deny: [{ tool: 'm1__drop', ends: true }] },
    });
  });

  test('the rest, and nothing that is wrong', () => {
    expect(mapEcaConfig({
      mcpServers: { a: { command: 'node', args: ['x'], disabled: true }, b: { url: 'http://x', authScope: 's' }, c: {} },
      hooks: { h: { type: 'preToolCall', matcher: 'eca__.*', actions: [{ type: 'shell', shell: 'true', timeout: 5 }, { type: 'shell', file: 'x.sh' }] }, unknown: { type: 'never', actions: [] } },
      customTools: { t: { description: 'd', command: 'echo {{x}}', schema: { properties: { x: { type: 'string' } }, required: ['x'] } }, broken: {} },
      disabledTools: ['git'], rules: [{ path: 'r' }], commands: [{ path: 'c' }], chatRetentionDays: 3, autoCompactPercentage: 80, defaultModel: 5,
    })).toEqual({
      mcpServers: { a: { command: 'node', args: ['x'], disabled: true }, b: { url: 'http://x', scope: 's' } },
      hooks: { h: { on: 'preToolCall', matcher: 'eca__.*', actions: [{ command: 'true', timeout: 5 }, { file: 'x.sh' }] } },
      customTools: { t: { description: 'd', command: 'echo {{x}}', schema: { properties: { x: { type: 'string' } }, required: ['x'] } } },
      disabledTools: ['git'], rules: [{ path: 'r' }], commands: [{ path: 'c' }], retention: { days: 3 }, limits: { compactAt: 80 },
    });
  });

  test('agents, under their newer and their older name', () => {
    expect(mapEcaConfig({
      behavior: { old: { systemPrompt: 'Old.' } },
      agent: {
        code: { defaultModel: 'a/b', prompts: { chat: 'Code.' }, autoCompactPercentage: 50, maxSteps: -1 },
        only: { mode: 'subagent', description: 'd', spawnableBy: 'code', toolCall: { approval: { byDefault: 'deny', allow: { eca__grep: {} } } }, disabledTools: ['git'] },
        wrong: 5,
      },
      skills: [{ path: '/s' }], includeParentAgentsFiles: true,
    })).toEqual({
      modes: {
        old: { prompt: 'Old.' },
        code: { model: 'a/b', prompt: 'Code.', compactAt: 50 },
        only: { mode: 'subagent', description: 'd', spawnableBy: ['code'], approvals: { allow: [{ tool: 'grep' }], ask: [], deny: [] }, disabledTools: ['git', '(?!(?:grep)(?:__.*)?$).*'] },
      },
      skills: [{ path: '/s' }], instructions: { parents: 'all' },
    });
  });

  test('what concerns the client', () => {
    expect(clientSettings({ welcomeMessage: 'Hi', defaultModel: 'a/b', defaultBehavior: 'plan', chat: { defaultTrust: true }, completion: { model: 'c' }, rewrite: { model: 5 } })).toEqual({
      welcomeMessage: 'Hi', defaultModel: 'a/b', defaultAgent: 'plan', trust: true, completionModel: 'c',
    });
    expect(clientSettings({})).toEqual({});
  });
});
