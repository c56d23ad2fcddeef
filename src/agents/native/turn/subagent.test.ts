import { afterEach, describe, expect, test } from 'vitest';
import { testClient, until } from '../../../../test/kit/host.ts';
import { briefItems, nativeRig } from '../../../../test/kit/nativeRig.ts';
import type { NativeRig } from '../../../../test/kit/nativeRig.ts';
import { bareKnowledge } from '../../../host/settings/projectKnowledge.ts';
import type { AgentDefinition } from '../../../host/settings/projectKnowledge.ts';
import type { Json } from '../../../model/event.ts';
import type { Chat, ToolItem } from '../../../model/state.ts';
import type { LanguageModel, ModelPart, ModelRequest } from '../model.ts';

let rig: NativeRig;
let requests: ModelRequest[];
afterEach(() => rig.close());

type Answer = readonly ModelPart[] | 'hang';

/**
 * A model that answers the agent of the user one way and those that work for it another; `at` counts the
 * requests of the same chat.
 */
async function open(
  {
    parent,
    child,
  }: {
    readonly parent: (at: number, request: ModelRequest) => Answer;
    readonly child: (at: number, request: ModelRequest) => Answer;
  },
  agents: readonly AgentDefinition[] = [],
): Promise<void> {
  requests = [];
  const model = (id: string): LanguageModel => ({
    id,
    name: 'Em',
    variants: ['low', 'high'],
    async *stream(request) {
      const at = requests.filter(({ chat }) => chat === request.chat).length;
      requests.push(request);
      const parts = request.chat?.startsWith('subagent-') ? child(at, request) : parent(at, request);
      if (parts === 'hang') await new Promise(() => {});
      else yield* parts;
    },
  });
  const known = { ...bareKnowledge, agents: [...bareKnowledge.agents, ...agents] };
  rig = await nativeRig([model('m/m'), model('m/other')], {
    knowledge: {
      of: () => Promise.resolve(known),
      now: () => known,
      hooks: () => [],
      watch: () => () => {},
    },
  });
}

const words = (text: string): readonly ModelPart[] => [
  { type: 'text', text },
  { type: 'finish', reason: 'stop' },
];
const calls = (...all: readonly (readonly [string, Json])[]): readonly ModelPart[] => [
  ...all.map(([name, input], at): ModelPart => ({
    type: 'tool-call',
    id: `${name}-${at}`,
    name,
    input: JSON.stringify(input),
  })),
  { type: 'finish', reason: 'calls' },
];
const spawn = (more: object = {}) =>
  calls(['spawn_agent', { agent: 'general', task: 'Look around.', activity: 'look around', ...more }]);
const once =
  (first: readonly ModelPart[], last = 'All done.') =>
  (at: number) =>
    at === 0 ? first : words(last);

const children = (): readonly Chat[] =>
  rig.session.state.order.slice(1).flatMap((id) => rig.session.state.chats[id] ?? []);
const called = (): readonly ToolItem[] =>
  rig.chat().turns.flatMap(({ items }) => items.filter((item): item is ToolItem => item.type === 'tool'));
const resultOf = (item: ToolItem | undefined) =>
  item?.result && 'content' in item.result
    ? item.result.content.map((each) => (each.type === 'text' ? each.text : `[${each.type}]`)).join('\n')
    : item?.result?.status;

test('an agent works on its task in a chat of its own, and its report comes back', async () => {
  await open({
    parent: once(spawn()),
    child: (at) => (at === 0 ? calls(['read_file', { path: 'a.txt' }]) : words('There is one file.')),
  });
  const turn = await rig.prompt('Find out.');
  const [child] = children();
  expect(briefItems(turn.items)).toEqual(['spawn_agent done', 'answer: All done.']);
  expect(resultOf(called()[0])).toBe(
    `## Agent 'general' Result\n\nThere is one file.\n\n(chat: ${child?.id})\n[chat]`,
  );
  expect(child).toMatchObject({
    title: 'general: look around',
    origin: { type: 'tool', chat: rig.session.id, tool: 'spawn_agent-0' },
    turns: [{ message: { text: 'Look around.', from: 'agent' }, outcome: { kind: 'completed' } }],
  });
  expect(briefItems(child?.turns[0]?.items ?? [])).toEqual(['read_file done', 'answer: There is one file.']);
});

test('its progress is shown with the call while it works', async () => {
  await open({
    parent: once(spawn()),
    child: (at) => (at < 2 ? calls(['read_file', { path: 'a.txt' }]) : words('Done.')),
  });
  const shown: string[] = [];
  rig.session.follow((steps) =>
    steps.forEach(({ entry: { event } }) => {
      if (event.kind === 'tool.output' && event.chat === rig.session.id && 'replace' in event.output)
        shown.push(
          event.output.replace
            .map((each) =>
              each.type === 'text'
                ? each.text
                : each.type === 'chat'
                  ? `${each.agent}${each.maxSteps === undefined ? '' : `/${each.maxSteps}`}`
                  : '',
            )
            .join(' '),
        );
    }),
  );
  await rig.prompt('Find out.');
  expect([shown[0], shown.at(-1)]).toEqual(['general Begins.', 'general Read a.txt\nRead a.txt']);
});

test('it is told who it is, has its own tools, model and variant, and gives nothing on', async () => {
  await open({
    parent: once(spawn({ agent: 'explorer', model: 'm/other', variant: 'high' })),
    child: () => words('Done.'),
  });
  await rig.prompt('Find out.');
  const [first, second] = requests;
  const names = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name) ?? [];
  expect(names(first)).toEqual(expect.arrayContaining(['spawn_agent', 'task', 'ask_user', 'write_file']));
  expect(
    names(second).filter((name) =>
      ['spawn_agent', 'task', 'ask_user', 'write_file', 'edit_file'].includes(name),
    ),
  ).toEqual([]);
  expect(second?.system).toContain("explores the user's workspace");
  expect([second?.variant, children()[0]?.turns[0]?.message.model]).toEqual(['high', 'm/other']);
});

test('whoever works for an agent that only looks, by whatever name, changes nothing either', async () => {
  await open(
    {
      parent: once(spawn()),
      child: once(
        calls(['write_file', { path: 'b.txt', content: 'x' }], ['shell_command', { command: 'touch b.txt' }]),
        'It was refused.',
      ),
    },
    [{ name: 'mine', description: 'Looks.', mode: 'primary', readOnly: true, rules: [], disabledTools: [] }],
  );
  rig.session.dispatch({ kind: 'changeSession', changes: { mode: 'mine' } }, testClient);
  await rig.prompt('Find out.');
  expect(briefItems(children()[0]?.turns[0]?.items ?? [])).toEqual([
    'write_file denied',
    'shell_command denied',
    'answer: It was refused.',
  ]);
  expect(rig.place.tree()).toEqual({ 'a.txt': 'one\ntwo\n' });
});

test('one that only explores changes nothing, whatever it tries', async () => {
  await open({
    parent: once(spawn({ agent: 'explorer' })),
    child: once(calls(['shell_command', { command: 'touch b.txt' }]), 'It was refused.'),
  });
  await rig.prompt('Find out.');
  expect(children()[0]?.turns[0]?.items[0]).toMatchObject({
    result: { status: 'denied', rule: expect.stringContaining('plan mode only reads') },
  });
});

test('what it may not do by itself is asked in its chat, and a refusal does not end its turn', async () => {
  await open({
    parent: once(spawn()),
    child: once(calls(['write_file', { path: 'b.txt', content: 'x' }]), 'I was not allowed.'),
  });
  rig.start('Do it.');
  await until(rig.session, () => Object.keys(children()[0]?.asks ?? {}).length > 0);
  const [child] = children();
  rig.session.dispatch(
    {
      kind: 'answer',
      chat: child?.id ?? '',
      ask: Object.keys(child?.asks ?? {})[0] ?? '',
      answer: { kind: 'option', option: 'deny', reason: 'No.', stop: true },
    },
    testClient,
  );
  await until(rig.session, () => rig.chat().turns.length === 1);
  expect(resultOf(called()[0])).toContain('I was not allowed.');
});

test('several work at the same time', async () => {
  await open({
    parent: once(
      calls(
        ['spawn_agent', { agent: 'general', task: 'One.' }],
        ['spawn_agent', { agent: 'general', task: 'Two.' }],
      ),
    ),
    child: () => 'hang',
  });
  rig.start('Do both.');
  await until(rig.session, () => children().filter(({ active }) => active).length === 2);
  rig.session.dispatch({ kind: 'stopTurn', chat: rig.session.id, next: 'none' }, testClient);
  await until(rig.session, () => children().every(({ active }) => !active));
  expect(children().map(({ turns }) => turns[0]?.outcome)).toEqual([
    { kind: 'cancelled' },
    { kind: 'cancelled' },
  ]);
});

describe('an agent that does not finish', () => {
  test('because the user stops it is reported as such, and the one that asked goes on', async () => {
    await open({
      parent: once(spawn()),
      child: (at) => (at === 0 ? calls(['read_file', { path: 'a.txt' }]) : 'hang'),
    });
    rig.start('Find out.');
    await until(
      rig.session,
      () =>
        children()[0]?.active?.items.some((item) => item.type === 'tool' && item.status === 'ended') ?? false,
    );
    rig.session.dispatch({ kind: 'stopTurn', chat: children()[0]?.id ?? '', next: 'none' }, testClient);
    await until(rig.session, () => rig.chat().turns.length === 1);
    expect(resultOf(called()[0])).toBe(
      "## Agent 'general' Failed\n\nIt was stopped before it was done.\n[chat]",
    );
  });
  test('because its model fails says why', async () => {
    await open({
      parent: once(spawn()),
      child: () => [
        { type: 'text', text: 'I begin.' },
        { type: 'error', code: 'auth', message: 'No key.', retryable: false },
      ],
    });
    await rig.prompt('Find out.');
    expect(resultOf(called()[0])).toBe(
      "## Agent 'general' Failed\n\nNo key.\n\nWhat it said so far:\n\nI begin.\n[chat]",
    );
  });
});

test('one that has reported can be asked to go on, and remembers', async () => {
  await open({
    parent: (at) =>
      at === 0
        ? spawn()
        : at === 2
          ? spawn({ chat: children()[0]?.id, task: 'And the rest?' })
          : words('Fine.'),
    child: (at) => words(`Report ${at + 1}.`),
  });
  await rig.prompt('Find out.');
  await rig.prompt('Ask on.');
  expect(children()).toHaveLength(1);
  expect(resultOf(called()[1])).toContain('Report 2.');
  expect(
    requests.findLast(({ chat }) => chat === children()[0]?.id)?.messages.map(({ role }) => role),
  ).toEqual(['user', 'assistant', 'user']);
});

describe('a task that cannot be given is refused in words', () => {
  check(
    'to nobody',
    { agent: 'nobody' },
    'There is no agent named nobody. The agents are: explorer, general.',
  );
  check('without a task', { task: ' ' }, 'INVALID_ARGS: missing or of the wrong type: task (string)');
  check('to a model that is not there', { model: 'x/y' }, 'There is no model named x/y.');
  check(
    'to a chat that is not there',
    { chat: 'subagent-x' },
    "## Agent 'general' Failed\n\nThere is no chat subagent-x that this one has begun.",
  );

  function check(name: string, more: object, expected: string): void {
    test(`${name}, and the model hears why`, async () => {
      await open({ parent: once(spawn(more)), child: () => words('Done.') });
      await rig.prompt('Find out.');
      expect(resultOf(called()[0])).toBe(expected);
      expect(children()).toEqual([]);
    });
  }
});
