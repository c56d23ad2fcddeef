import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { testClient, testWorld, until } from '../../../test/kit/host.ts';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';
import { workspace } from '../../../test/kit/workspace.ts';
import type { Workspace } from '../../../test/kit/workspace.ts';
import { Host } from '../../host/host.ts';
import type { Session } from '../../host/session/session.ts';
import { isRejection } from '../../model/command.ts';
import type { Answer, Entry } from '../../model/event.ts';
import type { EndedTurn, Item } from '../../model/state.ts';
import { nativeAgent } from './agent.ts';
import type { LanguageModel, ModelPart, ModelRequest } from './model.ts';
import { demoModel } from './models/demo/demo.ts';
import { scriptedModel } from './models/scripted/scripted.ts';
import type { ScriptRule } from './models/scripted/script.ts';
import type { Settings, SettingsValues } from '../../host/settings/settings.ts';
import { sleepOn } from '../../base/waiting.ts';

let place: Workspace;
let host: Host;
let problems: unknown[];
let requests: ModelRequest[];

/** A model as a test gives it: whatever it is asked. */
let custom: (request: ModelRequest) => AsyncIterable<ModelPart>;

beforeEach(() => {
  place = workspace({ 'a.txt': 'one\ntwo\n' });
  problems = [];
  requests = [];
});
afterEach(async () => {
  await host.close();
  place.close();
});

async function open(rules: readonly ScriptRule[] = [], maxSteps = 100): Promise<Session> {
  const world = testWorld(new MemoryStore(), problems);
  const scripted = scriptedModel({ rules, sleep: sleepOn(world.clock) });
  const watched: LanguageModel = {
    ...scripted,
    stream: (request) => (requests.push(request), scripted.stream(request)),
  };
  const models = [
    watched,
    demoModel({ sleep: () => Promise.resolve() }),
    { id: 'custom/custom', name: 'Custom', stream: (request: ModelRequest) => custom(request) },
  ];
  const { files, processes } = place;
  host = await Host.start(world, [
    nativeAgent({
      models,
      files,
      processes,
      ids: world.ids,
      clock: world.clock,
      settings: limited(maxSteps),
      report: (problem, about) => world.report(problem, about),
    }),
  ]);
  const session = host.create({ roots: [place.root] }, testClient);
  if (isRejection(session)) throw new Error(session.message);
  await session.settled();
  return session;
}

function limited(steps: number): Settings {
  const limits = { steps, outputLines: 2_000, outputBytes: 50_000, commandTimeout: 60_000, compactAt: 75 };
  return {
    of: () => ({ limits, approvals: [] }) as unknown as SettingsValues,
    problems: () => [],
    watch: () => () => {},
  };
}

let turns = 0;

function send(session: Session, text: string, model?: string): string {
  turns += 1;
  const message = { id: `m${turns}`, text, ...(model === undefined ? {} : { model }) };
  expect(
    session.dispatch({ kind: 'startTurn', chat: session.id, turn: `turn-${turns}`, message }, testClient),
  ).toBeUndefined();
  return `turn-${turns}`;
}

async function prompt(
  session: Session,
  text: string,
  options: { model?: string; answer?: Answer } = {},
): Promise<EndedTurn> {
  const id = send(session, text, options.model);
  for (;;) {
    await until(
      session,
      (state) =>
        chatOf(state).turns.some((turn) => turn.id === id) || Object.keys(chatOf(state).asks).length > 0,
    );
    const ask = Object.keys(chatOf(session.state).asks)[0];
    const turn = chatOf(session.state).turns.find((each) => each.id === id);
    if (turn) return turn;
    session.dispatch(
      {
        kind: 'answer',
        chat: session.id,
        ask: ask ?? '',
        answer: options.answer ?? { kind: 'option', option: 'allow' },
      },
      testClient,
    );
    await session.settled();
  }
}

function chatOf(state: Session['state']) {
  const chat = state.chats[state.id];
  if (!chat) throw new Error('no chat');
  return chat;
}

function brief(items: readonly Item[]): readonly string[] {
  return items.map((item) => {
    if (item.type === 'text') return `${item.channel}: ${item.text.replaceAll(place.root, 'ROOT')}`;
    if (item.type === 'message') return `steered: ${item.message.text}`;
    if (item.type !== 'tool') return item.type;
    const error = item.result?.status === 'failed' ? ` ${item.result.error}` : '';
    return `${item.name} ${item.result?.status}${error} [${item.title}]`.replaceAll(place.root, 'ROOT');
  });
}

describe('one turn as it is logged', () => {
  check('words', 'reason Hm.\nsay Hello', ['reasoning: Hm.', 'answer: Hello\n']);
  check('a read needs no permission', 'say Look:\ntool read_file {"path":"a.txt"}', [
    'answer: Look:\n',
    'read_file done [Read a.txt]',
    'answer: read_file: done.\n',
  ]);
  check('a command after permission', 'tool shell_command {"command":"echo hi > b.txt; cat b.txt"}', [
    'shell_command done [$ echo hi > b.txt; cat b.txt]',
    'answer: shell_command: done.\n',
  ]);
  check('two calls in one answer', 'tool read_file {"path":"a.txt"}\nalso directory_tree {"path":"."}', [
    'read_file done [Read a.txt]',
    expect.stringMatching(/^directory_tree done/),
    'answer: read_file: done.\n',
  ]);
  check('an unknown tool', 'tool fly {"to":"moon"}', [
    expect.stringMatching(
      /^fly failed There is no tool named fly\. The tools are: .*read_file, .*\. \[fly\]$/,
    ),
    'answer: fly: failed.\n',
  ]);
  check('arguments that are no JSON', 'tool read_file {"path"', [
    'read_file failed INVALID_ARGS: the arguments are not valid JSON with at most 100,000 values. [Reading file]',
    'answer: read_file: failed.\n',
  ]);
  check('arguments that are wrong', 'tool read_file {"file":"a.txt"}', [
    'read_file failed INVALID_ARGS: missing or of the wrong type: path (string) [Reading file]',
    'answer: read_file: failed.\n',
  ]);
  check('a failing command', 'tool shell_command {"command":"exit 4"}', [
    'shell_command failed Exit code: 4 [$ exit 4]',
    'answer: shell_command: failed.\n',
  ]);

  function check(name: string, message: string, expected: readonly unknown[]): void {
    test(`${name} in the log`, async () => {
      const turn = await prompt(await open(), message);
      expect(brief(turn.items)).toEqual(expected);
      expect([turn.outcome, problems]).toEqual([{ kind: 'completed' }, []]);
    });
  }
});

test('a call goes through all its states, and its output is there before its end', async () => {
  const session = await open();
  const seen: Entry[] = [];
  session.follow((steps) => seen.push(...steps.map(({ entry }) => entry)));
  await prompt(session, 'tool shell_command {"command":"echo hi"}');
  const kinds = seen.map(({ event }) => event.kind).filter((kind) => /^(tool|ask)/.test(kind));
  expect(kinds).toEqual([
    'tool.started',
    'tool.input',
    'tool.input',
    'tool.ready',
    'ask.opened',
    'ask.answered',
    'tool.running',
    'tool.output',
    'tool.ended',
  ]);
  expect(seen.find(({ event }) => event.kind === 'ask.opened')?.event).toMatchObject({
    ask: { title: '$ echo hi', editable: true },
  });
});

test('a write is shown, asked for, done and kept with what was before', async () => {
  const session = await open();
  const turn = await prompt(session, 'tool write_file {"path":"a.txt","content":"new"}');
  const edit = { type: 'edit', path: join(place.root, 'a.txt'), before: 'one\ntwo\n', after: 'new' };
  expect(turn.items[0]).toMatchObject({
    preview: [edit],
    result: { status: 'done', content: [{ type: 'text' }, edit] },
    approval: { answer: { option: 'allow' } },
  });
  expect(place.tree()).toEqual({ 'a.txt': 'new' });
});

test('a refusal is a result the model reads, and nothing happens', async () => {
  const session = await open();
  const turn = await prompt(session, 'tool shell_command {"command":"touch b"}', {
    answer: { kind: 'option', option: 'deny', reason: 'Too early.' },
  });
  expect(brief(turn.items)).toEqual(['shell_command denied [$ touch b]', 'answer: shell_command: denied.\n']);
  expect(requests[1]?.messages.at(-1)).toMatchObject({
    role: 'tool',
    results: [
      {
        status: 'denied',
        text: expect.stringContaining('nothing has changed. Reason: Too early.') as string,
      },
    ],
  });
  expect(place.tree()).toEqual({ 'a.txt': 'one\ntwo\n' });
});

test('a path outside the workspace is asked for, also through a link', async () => {
  const session = await open();
  await prompt(session, 'tool shell_command {"command":"ln -s /etc out"}');
  const turn = await prompt(session, 'tool read_file {"path":"out/hostname"}', {
    answer: { kind: 'option', option: 'deny' },
  });
  expect(brief(turn.items)[0]).toBe('read_file denied [Read hostname]');
});

test('what a model is given grows by what was said and done', async () => {
  const session = await open();
  await prompt(session, 'tool read_file {"path":"a.txt"}');
  await prompt(session, 'say Bye');
  const last = requests.at(-1);
  expect(last?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
  expect([
    last?.start,
    last?.roots,
    last?.tools.some(({ name }) => name === 'compact_chat'),
    last?.system.includes(place.root),
  ]).toEqual([4, [place.root], true, true]);
});

test('a message that steers is taken between two steps', async () => {
  const session = await open();
  send(session, 'tool shell_command {"command":"echo hi"}');
  await until(session, (state) => Object.keys(chatOf(state).asks).length > 0);
  session.dispatch(
    {
      kind: 'queueMessage',
      chat: session.id,
      lane: 'steer',
      message: { id: 's', text: 'quickly' },
      turn: 'unused',
    },
    testClient,
  );
  session.dispatch(
    {
      kind: 'answer',
      chat: session.id,
      ask: Object.keys(chatOf(session.state).asks)[0] ?? '',
      answer: { kind: 'option', option: 'allow' },
    },
    testClient,
  );
  await until(session, (state) => chatOf(state).turns.length > 0);
  expect(brief(chatOf(session.state).turns[0]?.items ?? [])).toEqual([
    'shell_command done [$ echo hi]',
    'steered: quickly',
    'answer: Steered: quickly\nshell_command: done.\n',
  ]);
});

test('what a message that steers mentions is read when it is taken, and stays with it', async () => {
  const session = await open();
  send(session, 'tool shell_command {"command":"echo hi"}');
  await until(session, (state) => Object.keys(chatOf(state).asks).length > 0);
  session.dispatch(
    {
      kind: 'queueMessage',
      chat: session.id,
      lane: 'steer',
      message: { id: 's', text: 'mind @a.txt' },
      turn: 'unused',
    },
    testClient,
  );
  session.dispatch(
    {
      kind: 'answer',
      chat: session.id,
      ask: Object.keys(chatOf(session.state).asks)[0] ?? '',
      answer: { kind: 'option', option: 'allow' },
    },
    testClient,
  );
  await until(session, (state) => chatOf(state).turns.length > 0);
  expect(JSON.stringify(requests.at(-1)?.messages)).toContain('one\\ntwo');
  writeFileSync(join(place.root, 'a.txt'), 'three\n');
  await prompt(session, 'say Bye');
  expect(JSON.stringify(requests.at(-1)?.messages)).toContain('one\\ntwo');
});

describe('a stop at any moment leaves a clean end', () => {
  check('while the model hangs', 'say a\nhang', {
    when: (items) => items.length === 1,
    left: ['answer: a\n'],
  });
  check('while a question is open', 'tool shell_command {"command":"touch b"}', {
    when: (_, asks) => asks > 0,
    left: ['shell_command cancelled [$ touch b]'],
  });
  check('while a command runs', 'tool shell_command {"command":"echo $$ > pid; echo on; sleep 300"}', {
    rules: ['shell_command'],
    when: (items) => items.some((item) => item.type === 'tool' && item.output.includes('on')),
    left: ['shell_command cancelled [$ echo $$ > pid; echo on; sleep 300]'],
  });
  check('while words flood', 'stream 100000000', {
    when: (items) => items.length > 0,
    left: [expect.stringMatching(/^answer: (?:word )+$/)],
  });

  interface Stop {
    readonly rules?: readonly string[];
    readonly when: (items: readonly Item[], asks: number) => boolean;
    readonly left: readonly unknown[];
  }

  function check(name: string, message: string, { rules = [], when, left }: Stop): void {
    test(`${name} it is stopped`, async () => {
      const session = await open();
      session.dispatch(
        {
          kind: 'changeSession',
          changes: {
            rules: rules.map((tool) => ({
              id: tool,
              effect: 'allow',
              tool,
              match: 'echo $$ > pid; echo on; sleep 300',
            })),
          },
        },
        testClient,
      );
      send(session, message);
      await until(session, (state) =>
        when(chatOf(state).active?.items ?? [], Object.keys(chatOf(state).asks).length),
      );
      session.dispatch({ kind: 'stopTurn', chat: session.id, next: 'next' }, testClient);
      await session.settled();
      const turn = chatOf(session.state).turns.at(-1);
      expect([turn?.outcome, brief(turn?.items ?? [])]).toEqual([{ kind: 'cancelled' }, left]);
      const after = await prompt(session, 'say Still here');
      expect([after.outcome, brief(after.items), problems]).toEqual([
        { kind: 'completed' },
        ['answer: Still here\n'],
        [],
      ]);
      const pid = existsSync(join(place.root, 'pid'))
        ? Number(readFileSync(join(place.root, 'pid'), 'utf8'))
        : undefined;
      expect(pid !== undefined && existsSync(`/proc/${pid}`)).toBe(false);
    });
  }
});

describe('a failure is an outcome in words', () => {
  check('of the provider', { message: 'say a\nfail auth No key.' }, { code: 'auth', message: 'No key.' });
  check(
    'of a model nobody has',
    { message: 'hi', model: 'x/y' },
    { code: 'unknown-model', message: 'There is no model named x/y; choose another one.' },
  );
  check(
    'of a model with a mistyped name',
    { message: 'hi', model: 'custom/cutsom' },
    {
      code: 'unknown-model',
      message: 'There is no model named custom/cutsom; choose another one. Did you mean custom/custom?',
    },
  );
  check(
    'of a model that breaks',
    {
      message: 'hi',
      model: 'custom/custom',
      stream: () => {
        throw new Error('Broken.');
      },
    },
    { code: 'model', message: 'Broken.' },
  );
  check(
    'of a stream that breaks off',
    { message: 'hi', model: 'custom/custom', stream: () => of({ type: 'text', text: 'a' }) },
    { code: 'premature-stop', message: 'The answer of the model broke off.' },
  );

  interface TestSetup {
    readonly message: string;
    readonly model?: string;
    readonly stream?: () => AsyncIterable<ModelPart>;
  }

  function check(
    name: string,
    { message, model, stream }: TestSetup,
    problem: { code: string; message: string },
  ): void {
    test(`${name} fails`, async () => {
      custom = stream ?? custom;
      const turn = await prompt(await open(), message, model === undefined ? {} : { model });
      expect([turn.outcome, problems]).toEqual([{ kind: 'failed', problem }, []]);
    });
  }
});

describe('an answer ends the turn in its own way', () => {
  check(
    'too long, after it was asked to go on',
    [
      { type: 'text', text: 'a' },
      { type: 'finish', reason: 'length' },
    ],
    { stop: 'length', items: ['answer: a', 'answer: a', 'answer: a', 'answer: a'] },
  );
  check('refused', [{ type: 'finish', reason: 'refusal' }], { stop: 'refusal', items: [] });
  check(
    'with a call it never finished',
    [
      { type: 'tool-start', id: 'k', name: 'read_file' },
      { type: 'tool-input', id: 'k', delta: '{"pa' },
      { type: 'finish', reason: 'length' },
    ],
    {
      stop: 'length',
      items: ['read_file failed The model did not finish the arguments of this call. [Reading file]'],
    },
  );
  check(
    'with input for a call nobody began',
    [
      { type: 'tool-input', id: 'k', delta: '{"pa' },
      { type: 'finish', reason: 'stop' },
    ],
    { items: [] },
  );

  function check(
    name: string,
    parts: readonly ModelPart[],
    expected: { stop?: string; items: readonly string[] },
  ): void {
    test(`${name} it ends`, async () => {
      custom = () => of(...parts);
      const turn = await prompt(await open(), 'hi', { model: 'custom/custom' });
      expect([turn.outcome, brief(turn.items), problems]).toEqual([
        { kind: 'completed', ...(expected.stop ? { stop: expected.stop } : {}) },
        expected.items,
        [],
      ]);
    });
  }
});

test('an answer that ends inside a block of code is asked to go on, and ends once the block does', async () => {
  const answers = ['Look:\n```ts\nconst a', ' = 1;\n```\nThat is all.'];
  custom = () =>
    of({ type: 'text', text: answers.shift() ?? 'Too often.' }, { type: 'finish', reason: 'stop' });
  const turn = await prompt(await open(), 'hi', { model: 'custom/custom' });
  expect([turn.outcome, brief(turn.items)]).toEqual([
    { kind: 'completed' },
    ['answer: Look:\n```ts\nconst a', 'answer:  = 1;\n```\nThat is all.'],
  ]);
});

test('a model that always calls is stopped after so many steps, and ids it repeats are made unique', async () => {
  const session = await open([], 3);
  custom = () =>
    of(
      { type: 'tool-call', id: 'same', name: 'read_file', input: '{"path":"a.txt"}' },
      { type: 'usage', usage: { input: 10, output: 1 } },
      { type: 'finish', reason: 'calls' },
    );
  const turn = await prompt(session, 'hi', { model: 'custom/custom' });
  expect(turn.outcome).toEqual({ kind: 'completed', stop: 'steps' });
  const ids = turn.items.map(({ id }) => id);
  expect([ids[0], new Set(ids).size, problems]).toEqual(['same', 3, []]);
  expect(turn.usage).toEqual({ input: 30, output: 3, model: 'custom/custom' });
  expect((await prompt(session, 'hi', { model: 'custom/custom' })).items.map(({ id }) => id)).not.toContain(
    'same',
  );
});

test('a stream without a pause lets others work', async () => {
  const session = await open();
  let beats = 0;
  const timer = setInterval(() => (beats += 1), 0);
  const turn = await prompt(session, 'stream 5000');
  clearInterval(timer);
  expect(brief(turn.items)).toEqual([`answer: ${'word '.repeat(5000)}`]);
  expect(beats).toBeGreaterThan(5);
});

test('what a provider wants back it gets back within the turn', async () => {
  const session = await open();
  const asked: ModelRequest[] = [];
  custom = (request) => {
    asked.push(request);
    return asked.length > 1
      ? of({ type: 'finish', reason: 'stop' })
      : of(
          { type: 'reasoning', text: 'hm' },
          { type: 'reasoning', text: '', meta: 'signature' },
          { type: 'tool-call', id: 'k', name: 'read_file', input: '{"path":"a.txt"}', meta: 7 },
          { type: 'finish', reason: 'calls' },
        );
  };
  await prompt(session, 'hi', { model: 'custom/custom' });
  expect(asked[1]?.messages[1]).toEqual({
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'hm', meta: 'signature' },
      { type: 'call', id: 'k', name: 'read_file', input: { path: 'a.txt' }, ours: true, meta: 7 },
    ],
  });
});

test('the demo model works in the real folder', async () => {
  const session = await open();
  const model = 'demo/demo';
  await prompt(session, 'create notes.txt with Remember the milk', { model });
  await prompt(session, 'replace milk with bread in notes.txt', { model });
  expect(place.tree()).toEqual({ 'a.txt': 'one\ntwo\n', 'notes.txt': 'Remember the bread\n' });
  const ran = await prompt(session, 'run cat notes.txt', { model });
  expect(brief(ran.items).at(-1)).toBe('answer: It ended well. It said:\n\n```\nRemember the bread\n```');
  const listed = await prompt(session, 'what is in this folder', { model });
  expect(brief(listed.items).at(-1)).toBe(
    'answer: I see `a.txt` and `notes.txt`. In all: 0 directories, 2 files.',
  );
  expect(listed.usage).toMatchObject({ model, context: { size: 32_000 } });
  expect(problems).toEqual([]);
});

async function* of(...parts: readonly ModelPart[]): AsyncGenerator<ModelPart> {
  yield* parts;
}
