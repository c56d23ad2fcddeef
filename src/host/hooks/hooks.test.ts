import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { workspace } from '../../../test/kit/workspace.ts';
import type { Workspace } from '../../../test/kit/workspace.ts';
import { runHooks } from './hooks.ts';
import type { HookAnswers, HookProgress } from './hooks.ts';
import type { Hook, HookEvent } from '../settings/projectKnowledge.ts';

let place: Workspace;
let cwd = '';
let news: HookProgress[] = [];

beforeEach(() => {
  place = workspace();
  cwd = place.root;
  news = [];
});
afterEach(() => place.close());

const hook = (on: HookEvent, command: string, more: Partial<Hook> = {}): Hook => ({
  name: 'h',
  on,
  visible: true,
  actions: [{ run: { command }, timeout: 20_000 }],
  ...more,
});

function run(
  event: HookEvent,
  hooks: readonly Hook[],
  facts: { readonly [name: string]: string | boolean | { readonly [name: string]: string } } = {},
): Promise<HookAnswers> {
  return runHooks(event, facts, {
    hooks,
    cwd,
    processes: place.processes,
    signal: new AbortController().signal,
    facts: { cwd },
    onProgress: (each) => void news.push(each),
  });
}

describe('in the sandbox', () => {
  const confined = { write: [], network: 'off', scratch: 's' } as const;
  const inside = async (each: Hook) => {
    const seen: unknown[] = [];
    const answers = await runHooks(
      'preToolCall',
      { tool_name: 'x', server: 'y' },
      {
        hooks: [each],
        cwd,
        processes: {
          run(command) {
            seen.push(command.confined);
            return place.processes.run({ ...command, confined: undefined });
          },
        },
        signal: new AbortController().signal,
        facts: {},
        confined,
      },
    );
    return { seen, approval: answers.approval?.effect };
  };

  test('a hook runs there unless it says otherwise', async () => {
    expect(await inside(hook('preToolCall', 'true'))).toEqual({ seen: [confined], approval: undefined });
    const free = hook('preToolCall', 'false', { unconfined: true });
    expect(await inside(free)).toEqual({ seen: [undefined], approval: undefined });
  });

  test('one that fails before a call makes it ask, and one that refuses refuses', async () => {
    expect((await inside(hook('preToolCall', 'exit 127'))).approval).toBe('ask');
    expect((await inside(hook('preToolCall', 'exit 2'))).approval).toBe('deny');
  });
});

const says = (answer: object) => `echo '${JSON.stringify(answer)}'`;

describe('what a program answers', () => {
  test.each<[HookEvent, string, Partial<HookAnswers>]>([
    [
      'preRequest',
      says({ additionalContext: 'c', systemMessage: 'm' }),
      { context: ['c'], messages: [{ hook: 'h', text: 'm' }] },
    ],
    ['preRequest', says({ replacedPrompt: 'other' }), { prompt: 'other' }],
    ['postRequest', says({ replacedPrompt: 'other', followUp: 'more' }), { followUp: 'more' }],
    ['chatStart', says({ continue: false, stopReason: 'closed' }), { stop: { hook: 'h', reason: 'closed' } }],
    [
      'preToolCall',
      says({ updatedInput: { a: 'b' }, approval: 'ask' }),
      { input: { a: 'b' }, approval: { effect: 'ask', hook: 'h', reason: '' } },
    ],
    ['postToolCall', says({ replacedOutput: 'o' }), { output: 'o' }],
    ['preRequest', 'echo no >&2; exit 2', { blocked: { hook: 'h', reason: 'no' } }],
    ['preCompact', 'exit 2', { blocked: { hook: 'h', reason: 'no reason given' } }],
    ['preToolCall', 'echo no >&2; exit 2', { approval: { effect: 'deny', hook: 'h', reason: 'no' } }],
    ['postToolCall', 'echo no >&2; exit 2', { output: '[The hook h removed the output] no' }],
    ['postRequest', 'echo more >&2; exit 2', { followUp: 'more' }],
    ['sessionStart', 'exit 2', {}],
    ['preRequest', 'echo words', {}],
    ['preRequest', 'echo "{broken"', {}],
    ['preRequest', `${says({ additionalContext: 'c' })}; exit 1`, {}],
  ])('%s: %s', async (event, command, expected) => {
    expect(await run(event, [hook(event, command)])).toEqual({ context: [], messages: [], ...expected });
  });
});

test('a program is told what happens, and people that it ran', async () => {
  await run('preToolCall', [hook('preToolCall', 'cat')], {
    tool_name: 'grep',
    server: 'eca',
    tool_input: { path: '.' },
  });
  expect(news[0]).toEqual({ name: 'h', action: 0 });
  expect(JSON.parse(news[1]?.finished?.output ?? '')).toEqual({
    cwd,
    tool_name: 'grep',
    server: 'eca',
    tool_input: { path: '.' },
    hook_name: 'h',
    hook_type: 'preToolCall',
  });
  expect(news[1]?.finished).toMatchObject({ status: 0, error: null });
  await run('preToolCall', [hook('preToolCall', 'true', { visible: false })]);
  expect(news.length).toBe(2);
});

test('changes are handed on, and the strictest wins', async () => {
  const first = hook('preRequest', says({ replacedPrompt: 'one' }));
  const second = hook('preRequest', `sed 's/.*"prompt":"\\([a-z]*\\)".*/{"replacedPrompt":"\\1 two"}/'`);
  expect((await run('preRequest', [first, second], { prompt: 'none' })).prompt).toBe('one two');
  const asks = hook('preToolCall', says({ approval: 'ask' }));
  expect(
    (await run('preToolCall', [asks, hook('preToolCall', says({ approval: 'allow' }))])).approval?.effect,
  ).toBe('ask');
});

describe('which calls a hook is for', () => {
  test.each<[Hook['matcher'], boolean]>([
    [undefined, true],
    ['shell_command', true],
    ['eca__shell_.*', true],
    ['shell', false],
    ['(', false],
    [{ shell_command: {} }, true],
    [{ eca: {} }, true],
    [{ grep: {} }, false],
    [{ shell_command: { command: ['git .*', 'ls'] } }, true],
    [{ shell_command: { command: ['ls'] } }, false],
    [{ shell_command: { other: ['.*'] } }, false],
  ])('%j: %s', async (matcher, expected) => {
    await run('preToolCall', [hook('preToolCall', 'true', matcher === undefined ? {} : { matcher })], {
      tool_name: 'shell_command',
      server: 'eca',
      tool_input: { command: 'git log' },
    });
    expect(news.length > 0).toBe(expected);
  });
});

test('a program that hangs is ended, a file is run, and neither holds anything up', async () => {
  writeFileSync(join(cwd, 'a b.sh'), 'echo \'{"additionalContext":"from a file"}\'');
  const slow: Hook = {
    ...hook('preRequest', ''),
    actions: [
      { run: { command: 'sleep 300' }, timeout: 200 },
      { run: { file: 'a b.sh' }, timeout: 20_000 },
    ],
  };
  expect((await run('preRequest', [slow])).context).toEqual(['from a file']);
  expect(news[1]?.finished).toMatchObject({ status: 1, error: 'It was ended after 200 ms.' });
});
