import { describe, expect, test } from 'vitest';
import type { AgentInfo } from '../../host/agent.ts';
import type { AskOption } from '../../model/event.ts';
import {
  agentName,
  choices,
  choose,
  modelFor,
  modelOf,
  agentWithModel,
  unlistedModel,
  wholeConfig,
} from './outbound/catalogue.ts';
import { approval, refusal } from './inbound/approvals.ts';
import { pathOf } from './inbound/paths.ts';
import { isChatId } from './inbound/startChat.ts';
import { shellCommands } from './outbound/tools/shellCommands.ts';

describe('paths of file URIs', () => {
  check('file:///home/me/a%20b', '/home/me/a b');
  check('file:///home/me/', '/home/me');
  check('file://localhost/w', '/w');
  check('file:///', '/');
  check('file:///C:/work', 'C:/work');
  check('file:///c%3A/work/', 'c:/work');
  check('file:///50%', '/50%');
  check('/plain/path', '/plain/path');
  check('https://example.org/x', undefined);
  check('file://server/share', undefined);
  check('', undefined);

  function check(uri: string, path: string | undefined): void {
    test(`the path of ${JSON.stringify(uri)}`, () => expect(pathOf(uri)).toBe(path));
  }
});

describe('answers to approvals', () => {
  const option = (effect: AskOption['effect']): AskOption => ({ id: effect, label: effect, effect });
  const ask = (...effects: AskOption['effect'][]) =>
    ({ kind: 'approval', id: 'a', tool: 'x', title: 't', options: effects.map(option) }) as const;

  test('once, for the session, and what comes nearest', () => {
    expect(approval(ask('allow-session', 'allow', 'deny'), undefined)).toEqual({
      kind: 'option',
      option: 'allow',
    });
    expect(approval(ask('allow', 'allow-session', 'deny'), 'session')).toEqual({
      kind: 'option',
      option: 'allow-session',
    });
    expect(approval(ask('allow-always', 'allow'), 'session')).toEqual({ kind: 'option', option: 'allow' });
    expect(approval(ask('allow-always', 'deny'), undefined)).toEqual({
      kind: 'option',
      option: 'allow-always',
    });
    expect(approval(ask('deny'), undefined)).toMatchObject({ kind: 'declined' });
  });

  test('no, with a reason where one is given', () => {
    expect(refusal(ask('allow', 'deny-always', 'deny'), { reason: 'Why?', isSubagent: false })).toEqual({
      kind: 'option',
      option: 'deny',
      reason: 'Why?',
    });
    expect(refusal(ask('allow', 'deny'), { reason: '  ', isSubagent: false })).toEqual({
      kind: 'option',
      option: 'deny',
      stop: true,
    });
    expect(refusal(ask('allow', 'deny'), { reason: undefined, isSubagent: true })).toEqual({
      kind: 'option',
      option: 'deny',
    });
    expect(refusal(ask('allow'), { reason: 'Why?', isSubagent: false })).toEqual({
      kind: 'declined',
      reason: 'Why?',
    });
  });
});

test('ids that a client may make up', () => {
  expect(['c', 'a/b:c', 'ü', 'x'.repeat(256)].map(isChatId)).toEqual([true, true, true, true]);
  const refused = ['', ' ', 'a b', 'a\n', 'subagent-1', '$host', 'x'.repeat(257), '\u0000'];
  expect([...refused, 'constructor', '__proto__'].map(isChatId)).toEqual(Array(10).fill(false));
});

describe('agents and models by name', () => {
  const model = (id: string) => ({ id, name: id });
  const native: AgentInfo = {
    id: 'native',
    name: 'N',
    description: '',
    models: [model('p/one'), model('p/two')],
    modes: [
      { id: 'code', name: 'Code' },
      { id: 'plan', name: 'Plan' },
    ],
    usual: { mode: 'code', model: 'p/one' },
  };
  const other: AgentInfo = {
    id: 'claude',
    name: 'C',
    description: '',
    models: [model('c/x'), model('p/one')],
    modes: [{ id: 'yolo', name: 'Yolo' }],
    usual: { model: 'c/x' },
  };
  const agents = [native, other];

  test('modes of the first agent go by their own name', () => {
    expect(choices(agents)).toEqual([
      { name: 'code', agent: 'native', mode: 'code' },
      { name: 'plan', agent: 'native', mode: 'plan' },
      { name: 'claude', agent: 'claude' },
      { name: 'claude/yolo', agent: 'claude', mode: 'yolo' },
    ]);
    expect(['plan', 'build', undefined].map((name) => choose(agents, name)?.name)).toEqual([
      'plan',
      'code',
      'code',
    ]);
    expect(agentName(agents, { agent: 'native', mode: 'plan' })).toBe('plan');
    expect(agentName(agents, { agent: 'claude', mode: undefined })).toBe('claude');
    expect(agentName(agents, { agent: 'gone', mode: undefined })).toBe('gone');
  });

  test('a model that the agent does not have is not used', () => {
    expect(modelOf(agents, 'native', ['c/x', 'p/two'])).toBe('p/two');
    expect(modelOf(agents, 'claude', ['p/two', undefined])).toBe('c/x');
    expect(modelOf(agents, 'gone', ['c/x'])).toBe(undefined);
    expect(
      ['p/new', 'p/two', 'q/new', 'p/', 'new', undefined].map((wish) =>
        unlistedModel(agents, 'native', wish),
      ),
    ).toEqual(['p/new', undefined, undefined, undefined, undefined, undefined]);
    expect(unlistedModel(agents, 'claude', 'c/new')).toBe(undefined);
  });

  test('a new chat has the model that was chosen, that its agent brings along, that the settings name, or that users are used to', () => {
    const usable = [
      {
        ...native,
        models: ['openai/gpt-5.2', 'openai/gpt-6', 'ollama/a', 'anthropic/claude-sonnet-4-6'].map(model),
      },
    ];
    const local = [{ ...native, models: ['x/y', 'ollama/a'].map(model) }];
    const plan = { name: 'plan', agent: 'native', model: 'openai/gpt-6' };
    const code = { name: 'code', agent: 'native' };
    expect([
      modelFor(usable, plan, { model: 'ollama/a', configuredModel: 'openai/gpt-5.2' }),
      modelFor(usable, plan, { model: undefined, configuredModel: 'openai/gpt-5.2' }),
      modelFor(usable, code, { model: undefined, configuredModel: 'openai/gpt-5.2' }),
      modelFor(usable, code, { model: undefined }),
      modelFor(local, code, { model: undefined }),
      modelFor([native], code, { model: undefined }),
    ]).toEqual([
      'ollama/a',
      'openai/gpt-6',
      'openai/gpt-5.2',
      'anthropic/claude-sonnet-4-6',
      'ollama/a',
      'p/one',
    ]);
  });

  test('a model that only another agent has is chosen with that agent', () => {
    expect([
      agentWithModel(agents, 'native', 'c/x'),
      agentWithModel(agents, 'native', 'p/two'),
      agentWithModel(agents, 'claude', 'p/two'),
      agentWithModel(agents, 'native', 'gone'),
      agentWithModel(agents, 'native', undefined),
    ]).toEqual(['claude', 'native', 'native', 'native', 'native']);
  });

  test('all of it for clients old and new', () => {
    expect(wholeConfig(agents, { agent: undefined, model: 'p/two', variant: 'high' })).toEqual({
      models: ['c/x', 'p/one', 'p/two'],
      agents: ['code', 'plan', 'claude', 'claude/yolo'],
      behaviors: ['code', 'plan', 'claude', 'claude/yolo'],
      variants: [],
      selectVariant: null,
      selectModel: 'p/two',
      defaultModel: 'p/two',
      selectAgent: 'code',
      selectBehavior: 'code',
      defaultAgent: 'code',
      defaultBehavior: 'code',
    });
    expect(wholeConfig([], { agent: undefined, model: undefined, variant: undefined })).toEqual({
      models: [],
      agents: [],
      behaviors: [],
      variants: [],
      selectVariant: null,
    });
  });
});

describe('command lines', () => {
  check('echo hi && git status', [
    ['echo', ['hi'], 'echo'],
    ['git', ['status'], 'git status'],
  ]);
  check("grep -r 'a b' . | wc -l; ls", [
    ['grep', ['-r', 'a b', '.'], 'grep'],
    ['wc', ['-l'], 'wc'],
    ['ls', [], 'ls'],
  ]);
  check('say "it\'s" a\\ b', [['say', ["it's", 'a b'], 'say']]);
  check('sudo ls; echo x >f; echo y >/dev/null', [
    ['sudo', ['ls']],
    ['echo', ['x', '>f']],
    ['echo', ['y', '>/dev/null'], 'echo'],
  ]);
  check('echo $(rm x)', [['echo $(rm x)', []]]);
  check("echo 'open", [["echo 'open", []]]);
  check('', [['', []]]);

  test('what is remembered already', () => {
    expect(
      shellCommands('echo a; ls', (key) => key.join(' ') === 'echo *').map(({ remembered }) => remembered),
    ).toEqual([true, false]);
  });

  function check(
    line: string,
    expected: readonly (readonly [command: string, args: readonly string[], approvalKey?: string])[],
  ): void {
    test(`the commands of ${JSON.stringify(line)}`, () => {
      expect(shellCommands(line)).toEqual(
        expected.map(([command, args, approvalKey]) => ({
          command,
          args,
          ...(approvalKey === undefined ? {} : { approvalKey, remembered: false }),
        })),
      );
    });
  }
});
