import { describe, expect, test } from 'vitest';
import { foldConfig } from './foldConfig.ts';
import { clientSettings, mapEcaConfig } from './map.ts';
import { ineffectiveOptions } from './mapTools.ts';

describe('in our words', () => {
  test('providers and models', () => {
    expect(
      mapEcaConfig({
        providers: {
          mock: {
            api: 'openai-chat',
            url: 'http://x',
            key: 'k',
            webSearch: true,
            fetchModels: false,
            extraHeaders: { a: 'b' },
            models: {
              m1: {
                limit: { context: 10, output: 5 },
                cost: { input: 1, output: 2 },
                modelName: 'real',
                imageInput: false,
              },
              m2: { webSearch: false, imageGeneration: true },
              m3: null,
            },
            completionUrlRelativePath: null,
          },
          google: { url: 'http://g/openai' },
          broken: 5,
        },
      }),
    ).toEqual({
      providers: {
        google: {
          api: 'openai-chat',
          url: 'http://g/openai',
          path: '/chat/completions',
          overEnvironment: true,
          reasoning: 'all',
        },
        mock: {
          api: 'openai-chat',
          url: 'http://x',
          path: '/chat/completions',
          overEnvironment: true,
          reasoning: 'all',
          key: 'k',
          webSearch: true,
          fetchModels: false,
          headers: { a: 'b' },
          models: {
            m1: { name: 'real', context: 10, output: 5, images: false, cost: { input: 1, output: 2 } },
            m2: { webSearch: false, imageGeneration: true },
            m3: {},
          },
        },
      },
    });
  });

  test('habits of providers, and how long anybody is waited for', () => {
    const given = {
      api: 'bedrock',
      completionUrlRelativePath: '/x',
      thinkTagStart: '<thought>',
      thinkTagEnd: '</thought>',
      cacheRetention: 'long',
      rateLimitMaxWaitSeconds: 60,
      retryRules: [{ status: 418, errorPattern: 'tea', label: 'Tea time' }, { errorPattern: '(' }],
      retry: {
        maxRetries: 2,
        prematureStopMaxRetries: 1,
        maxAutoContinues: 3,
        baseDelayMs: 10,
        backoffMultiplier: 1.5,
        maxDelayMs: 100,
      },
      models: { m: { reasoningHistory: 'all', variants: { deep: { effort: 9 } } } },
    };
    const mcpServers = {
      p: { command: '${BIN}/x', args: ['--token=$TOKEN', 'a'] },
      s: {
        url: 'http://s/$PATH_PART',
        headers: { h: '$A-${B}' },
        clientId: 'c',
        clientSecret: 'x',
        clientName: 'Known',
        oauthPort: 7,
        authScope: 'a',
      },
    };
    expect(
      mapEcaConfig({
        providers: { p: given },
        mcpServers,
        network: { caCertFile: 'ca', clientCert: 'c', clientKey: 'k', clientKeyPassphrase: 'p' },
        streamIdleTimeoutSeconds: 30,
        mcpTimeoutSeconds: 5,
        mcpKeepAliveSeconds: 7,
        autoCompactPercentage: 60,
      }),
    ).toEqual({
      providers: {
        p: {
          api: 'bedrock',
          path: '/x',
          overEnvironment: true,
          reasoning: 'all',
          thinkTags: { start: '<thought>', end: '</thought>' },
          cache: 'long',
          retry: {
            attempts: 2,
            continues: 3,
            emptyAttempts: 1,
            base: 10,
            factor: 1.5,
            longest: 100,
            wait: 60_000,
          },
          retryRules: [{ status: 418, pattern: 'tea', label: 'Tea time' }],
          models: { m: { reasoning: 'all', variants: { deep: { effort: 9 } } } },
        },
      },
      mcpServers: {
        p: { command: '${env:BIN:}/x', args: ['--token=${env:TOKEN:}', 'a'] },
        s: {
          url: 'http://s/${env:PATH_PART:}',
          headers: { h: '${env:A:}-${env:B:}' },
          clientId: 'c',
          clientSecret: 'x',
          clientName: 'Known',
          callbackPort: 7,
          scope: 'a',
        },
      },
      network: { ca: 'ca', cert: 'c', key: 'k', passphrase: 'p' },
      limits: { silence: 30_000, serverTimeout: 5_000, serverKeepAlive: 7_000, compactAt: 60 },
    });
  });

  test('approvals: a selector may name a server, and ours stands for tools that we know', () => {
    const { approvals } = mapEcaConfig({
      toolCall: { approval: { allow: { eca: {} }, ask: { 'my server': {} }, deny: { eca: {} } } },
    });
    expect(approvals).toMatchObject({
      ask: [{ tool: 'my server' }, { tool: 'my_server__*' }],
      deny: [{ tool: '*', ends: true }],
    });
    const allowed = approvals?.allow?.map((rule) => (typeof rule === 'string' ? rule : rule.tool));
    expect([allowed?.includes('shell_command'), allowed?.some((tool) => tool?.includes('*'))]).toEqual([
      true,
      false,
    ]);
  });

  test('approvals: any expression of any argument is a rule of its own', () => {
    const approval = {
      byDefault: 'ask',
      allow: {
        eca__read_file: {},
        shell_command: { argsMatchers: { command: ['pwd', 'git (log|diff).*'] } },
      },
      deny: { m1__drop: {} },
    };
    expect(mapEcaConfig({ toolCall: { approval } })).toEqual({
      approvals: {
        allow: [
          { tool: 'read_file' },
          { tool: 'shell_command', args: { command: 'pwd' } },
          { tool: 'shell_command', args: { command: 'git (log|diff).*' } },
        ],
        ask: [],
        deny: [{ tool: 'm1__drop', ends: true }],
      },
    });
  });

  test('approvals: the older name for what is asked about counts where all else is allowed', () => {
    const approvals = (manualApproval: unknown, byDefault = 'allow') =>
      mapEcaConfig({ toolCall: { manualApproval, approval: { byDefault, allow: { git: {} } } } }).approvals;
    const all = { tool: '*' };
    expect(approvals(false)).toEqual({ allow: [all, { tool: 'git' }], ask: [], deny: [] });
    expect(approvals(true)).toEqual({ allow: [{ tool: 'git' }], ask: [], deny: [] });
    expect(approvals(['eca__grep', 'git'])).toEqual({
      allow: [all, { tool: 'git' }],
      ask: [{ tool: 'grep' }],
      deny: [],
    });
    expect(approvals(['eca__grep'], 'ask')).toEqual({ allow: [{ tool: 'git' }], ask: [], deny: [] });
  });

  test('command lines: another shell than bash, or other ways to start it, is left out and told', () => {
    const check = (shellCommand: object) => [
      mapEcaConfig({ toolCall: { shellCommand } }).shell,
      ineffectiveOptions({ toolCall: { shellCommand } }).length,
    ];
    expect(check({ summaryMaxLength: 60 })).toEqual([{ titleLength: 60 }, 0]);
    expect(check({ path: '/opt/bin/bash' })).toEqual([{ path: '/opt/bin/bash' }, 0]);
    expect(check({ path: 'bash', args: ['--login', '-c'] })).toEqual([
      { path: 'bash', args: ['--login', '-c'] },
      0,
    ]);
    expect(check({ path: '/bin/bash', args: ['-lic'] })).toEqual([{ path: '/bin/bash', args: ['-lic'] }, 0]);
    for (const wrong of [
      { path: '/bin/zsh' },
      { path: '/bin/sh' },
      { path: '/bin/notbash' },
      { path: '/bin/bash', args: [] },
      { path: '/bin/bash', args: ['-c', 'true;'] },
      { path: '/bin/bash', args: ['-c', '-c'] },
      { path: '/bin/bash', args: ['-O', 'extglob', '-c'] },
    ]) {
      expect(check({ ...wrong, summaryMaxLength: 20 })).toEqual([{ titleLength: 20 }, 1]);
    }
  });

  test('variants for several formats', () => {
    expect(
      mapEcaConfig({
        variantsByModel: {
          x: { variants: { v: {} }, api: ['anthropic', 'bedrock', 'unknown'] },
          y: { variants: { v: {} }, api: 'openai-chat' },
        },
      }),
    ).toEqual({
      variants: {
        x: { ways: { v: {} }, api: ['anthropic', 'bedrock'] },
        y: { ways: { v: {} }, api: ['openai-chat'] },
      },
    });
  });

  test('the rest, and nothing that is wrong', () => {
    expect(
      mapEcaConfig({
        mcpServers: {
          a: { command: 'node', args: ['x'], disabled: true },
          b: { url: 'http://x', authScope: 's' },
          c: {},
        },
        hooks: {
          h: {
            type: 'preToolCall',
            matcher: 'eca__.*',
            actions: [
              { type: 'shell', shell: 'true', timeout: 5 },
              { type: 'shell', file: 'x.sh' },
            ],
          },
          unknown: { type: 'never', actions: [] },
        },
        customTools: {
          t: {
            description: 'd',
            command: 'echo {{x}}',
            schema: { properties: { x: { type: 'string' } }, required: ['x'] },
          },
          broken: {},
        },
        disabledTools: ['git'],
        rules: [{ path: 'r' }],
        commands: [{ path: 'c' }],
        chatRetentionDays: 3,
        autoCompactPercentage: 80,
        defaultModel: 5,
      }),
    ).toEqual({
      mcpServers: { a: { command: 'node', args: ['x'], disabled: true }, b: { url: 'http://x', scope: 's' } },
      hooks: {
        h: {
          on: 'preToolCall',
          matcher: 'eca__.*',
          actions: [{ command: 'true', timeout: 5 }, { file: 'x.sh' }],
        },
      },
      customTools: {
        t: {
          description: 'd',
          command: 'echo {{x}}',
          schema: { properties: { x: { type: 'string' } }, required: ['x'] },
        },
      },
      disabledTools: ['git'],
      rules: [{ path: 'r' }],
      commands: [{ path: 'c' }],
      retention: { days: 3 },
      limits: { compactAt: 80 },
    });
  });

  test('agents, under their newer and their older name', () => {
    expect(
      mapEcaConfig({
        behavior: { old: { systemPrompt: 'Old.' } },
        agent: {
          code: { defaultModel: 'a/b', prompts: { chat: 'Code.' }, autoCompactPercentage: 50, maxSteps: -1 },
          only: {
            mode: 'subagent',
            description: 'd',
            spawnableBy: 'code',
            toolCall: { approval: { byDefault: 'deny', allow: { eca__grep: {} } } },
            disabledTools: ['git'],
          },
          both: { mode: ['primary', 'subagent'] },
          one: { mode: ['primary'] },
          wrong: 5,
        },
        skills: [{ path: '/s' }],
        includeParentAgentsFiles: true,
      }),
    ).toEqual({
      modes: {
        old: { prompt: 'Old.' },
        code: { model: 'a/b', prompt: 'Code.', compactAt: 50 },
        both: {},
        one: { mode: 'primary' },
        only: {
          mode: 'subagent',
          description: 'd',
          spawnableBy: ['code'],
          approvals: { allow: [{ tool: 'grep' }], ask: [], deny: [] },
          disabledTools: ['git', '(?!(?:grep)(?:__.*)?$).*'],
        },
      },
      skills: [{ path: '/s' }],
      instructions: { parents: 'all' },
    });
  });

  test('words in place of ours', () => {
    const prompts = {
      chatTitle: 'Name it.',
      compact: '',
      tools: { eca__grep: 'Looks.', m1__do: 'Does.', git: '' },
      init: 'x',
    };
    expect(mapEcaConfig({ prompts, chat: { title: false } })).toEqual({
      prompts: { titles: false, title: 'Name it.', tools: { grep: 'Looks.', m1__do: 'Does.' } },
    });
    expect(mapEcaConfig({ prompts: { tools: 5 }, chat: { title: 'x' } })).toEqual({});
  });

  test('what concerns the client', () => {
    expect(
      clientSettings({
        welcomeMessage: 'Hi',
        defaultModel: 'a/b',
        defaultBehavior: 'plan',
        chat: { defaultTrust: true },
        completion: { model: 'c' },
        rewrite: { model: 5 },
      }),
    ).toEqual({
      welcomeMessage: 'Hi',
      defaultModel: 'a/b',
      defaultAgent: 'plan',
      trust: true,
      completionModel: 'c',
    });
    expect(clientSettings({ defaultBehavior: 'a', chat: { defaultBehavior: 'b' } })).toEqual({
      defaultAgent: 'b',
    });
    expect(clientSettings({ defaultAgent: 'a', chat: { defaultAgent: 'b', defaultBehavior: 'c' } })).toEqual({
      defaultAgent: 'b',
    });
    expect(
      clientSettings({ index: { ignoreFiles: [{ type: 'gitignore' }], repoMap: { maxTotalEntries: 5 } } }),
    ).toEqual({ index: { entries: 5 } });
    expect(clientSettings({ index: { ignoreFiles: [], repoMap: { maxEntriesPerDir: 0 } } })).toEqual({
      index: { ignored: true },
    });
    expect(clientSettings({})).toEqual({});
  });
});

describe('the keys of what a client sent', () => {
  test('are in one spelling, and the names in it are as they were', () => {
    expect(
      foldConfig({
        'pure-config': true,
        'default-model': 'x',
        providers: {
          myOther: {},
          'my-own': {
            'fetch-models': false,
            models: { 'gpt-5-mini': { 'extra-payload': { 'keep-me': 1 } } },
          },
        },
        'mcp-servers': { 'mcp-server-sample': { command: 'x', env: { 'A-B': 'c' } } },
        toolCall: {
          approval: {
            'by-default': 'ask',
            allow: { 'my-server__do_it': { 'args-matchers': { some_arg: ['.*'] } } },
          },
        },
        hooks: { 'post-tool': { type: 'postToolCall' } },
      }),
    ).toEqual({
      pureConfig: true,
      defaultModel: 'x',
      providers: {
        'my-other': {},
        'my-own': { fetchModels: false, models: { 'gpt-5-mini': { extraPayload: { 'keep-me': 1 } } } },
      },
      mcpServers: { mcpServerSample: { command: 'x', env: { 'A-B': 'c' } } },
      toolCall: {
        approval: { byDefault: 'ask', allow: { 'my-server__do_it': { argsMatchers: { some_arg: ['.*'] } } } },
      },
      hooks: { postTool: { type: 'postToolCall' } },
    });
  });
});

test('compaction that is turned off waits until a chat does not fit any more', () => {
  const off = { autoCompactPercentage: null };
  expect(mapEcaConfig({ ...off, agent: { code: off } })).toMatchObject({
    limits: { compactAt: 100 },
    modes: { code: { compactAt: 100 } },
  });
});
