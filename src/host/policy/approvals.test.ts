// Approvals through a running host: what is asked, what a lasting answer becomes, and what is
// stored about each decision.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';
import { rig, testClient, testWorld, until } from '../../../test/kit/host.ts';
import type { Rig } from '../../../test/kit/host.ts';
import type { Ask, Entry, Rule, SessionChanges } from '../../model/event.ts';
import { reduce } from '../../model/reduce.ts';
import { emptyState } from '../../model/state.ts';
import type { ToolItem } from '../../model/state.ts';
import type { Verdict } from '../agent.ts';
import { present } from '../../base/present.ts';
import type { ToolIntent, ToolRequest } from './toolRequest.ts';
import type { CommandLine } from './commandLine.ts';
import { Host } from '../host.ts';
import { LogDamage } from '../session/logStore.ts';
import type { Session } from '../session/session.ts';
import { summarize } from '../session/summary.ts';

let hosted: Rig;
beforeEach(async () => (hosted = await rig()));
afterEach(() => hosted.close());

/** Enough of a parser for these tests: words and `&&`; a dollar sign is beyond it. */
function parseCommand(text: string): CommandLine {
  const parts = text
    .split(' && ')
    .map((part) => ({ words: part.split(' '), globs: [], reads: [], writes: [] }));
  return { parts, doubts: text.includes('$') ? ['dynamic'] : [] };
}

/** What a test says about a request; the rest is a shell command in the workspace. */
type PartialRequest = Partial<ToolIntent & Omit<ToolRequest, 'tool' | 'intent'>>;

interface Started {
  readonly session: Session;
  readonly call: (request: PartialRequest) => Promise<Verdict>;
  /** Another session of the same host. */
  readonly another: (...roots: readonly string[]) => Omit<Started, 'another'>;
}

async function start(
  changes: SessionChanges = {},
  own: readonly Rule[] = [],
  store = new MemoryStore(),
): Promise<Started> {
  await hosted.close();
  let request: ToolRequest | undefined;
  let done: (verdict: Verdict) => void = () => {};
  const base = testWorld(store);
  const world = { ...base, parseCommand, paths: { ...base.paths, own: ['/w/own'] } };
  const host = await Host.start(world, [
    {
      info: { id: 'a', name: 'A', description: '', models: [] },
      open: () =>
        Promise.resolve({
          ref: 'x',
          close: () => Promise.resolve(),
          prompt: async (turn) => {
            if (!request) return { kind: 'completed' };
            const { tool, title } = request;
            const { name, toolKind, input } = request.intent;
            turn.report({ kind: 'tool.started', tool, name, title, toolKind, source: 'native' });
            turn.report({ kind: 'tool.ready', tool, input, title, toolKind });
            done(await turn.approve(request));
            return { kind: 'completed' };
          },
        }),
    },
  ]);
  hosted = { ...hosted, host, close: () => host.close() };
  if (own.length > 0) host.own.dispatch({ kind: 'changeSession', changes: { rules: own } }, { kind: 'host' });
  let count = 0;
  const another: Started['another'] = (...roots) => {
    const session = host.create({ roots }, testClient);
    if (!('dispatch' in session)) throw new Error('no session');
    const call: Started['call'] = ({ options, editable, remember, title, ...given }) => {
      count += 1;
      const { command } = given;
      request = {
        tool: `t${count}`,
        intent: {
          name: 'shell_command',
          toolKind: 'execute',
          input: command === undefined ? {} : { command },
          paths: [roots[0] ?? ''],
          ...given,
        },
        title: title ?? `$ ${command}`,
        ...present({ options, editable, remember }),
      };
      const verdict = new Promise<Verdict>((resolve) => (done = resolve));
      session.dispatch(
        {
          kind: 'startTurn',
          chat: session.id,
          turn: `turn-${count}`,
          message: { id: `m${count}`, text: 'x' },
        },
        testClient,
      );
      return verdict;
    };
    return { session, call };
  };
  const first = another('/w');
  if (Object.keys(changes).length > 0) first.session.dispatch({ kind: 'changeSession', changes }, testClient);
  return { ...first, another };
}

async function asked(session: Session): Promise<Extract<Ask, { kind: 'approval' }>> {
  const open = () => Object.values(session.state.chats[session.id]?.asks ?? {})[0]?.ask;
  await until(session, () => open() !== undefined);
  const ask = open();
  if (ask?.kind !== 'approval') throw new Error('no approval');
  return ask;
}

function answer(session: Session, ask: Ask, option: string): void {
  expect(
    session.dispatch(
      { kind: 'answer', chat: session.id, ask: ask.id, answer: { kind: 'option', option } },
      testClient,
    ),
  ).toBeUndefined();
}

const lastTool = (session: Session): ToolItem | undefined =>
  session.state.chats[session.id]?.turns.at(-1)?.items.findLast((item) => item.type === 'tool');

test('a command that is understood is remembered by its kind, each part of a chain on its own', async () => {
  const { session, call } = await start();
  const first = call({ command: 'git log -5 && npm run build && cd x' });
  const ask = await asked(session);
  expect(ask.remember).toEqual([
    { tool: 'shell_command', command: ['git', 'log', '*'] },
    { tool: 'shell_command', command: ['npm', 'run', 'build', '*'] },
  ]);
  answer(session, ask, 'allow-session');
  expect(await first).toMatchObject({ allowed: true });
  await until(session, (state) => state.chats[session.id]?.turns.length === 1);
  expect(await call({ command: 'git log src' })).toEqual({
    allowed: true,
    safeGit: true,
    onlyReads: true,
  });
  await until(session, (state) => state.chats[session.id]?.turns.length === 2);
  expect(lastTool(session)?.basis).toEqual({ how: 'rule', rule: 'allow shell_command: git log *' });
});

test('a command that is not understood is remembered to the letter', async () => {
  const { session, call } = await start();
  const first = call({ command: 'echo $x' });
  const ask = await asked(session);
  expect(ask.remember).toEqual([{ tool: 'shell_command', match: 'echo $x' }]);
  answer(session, ask, 'allow-always');
  await first;
  await until(session, (state) => state.chats[session.id]?.turns.length === 1);
  expect(hosted.host.own.head.rules).toMatchObject([
    { effect: 'allow', tool: 'shell_command', match: 'echo $x' },
  ]);
  expect(await call({ command: 'echo $x' })).toEqual({ allowed: true });
});

test('what no rule can allow is not offered for longer than once', async () => {
  const { session, call } = await start();
  const verdict = call({ name: 'write_file', toolKind: 'edit', paths: ['/w/.git/config'] });
  const ask = await asked(session);
  expect(ask.options.map(({ id }) => id)).toEqual(['allow', 'deny']);
  answer(session, ask, 'deny');
  expect(await verdict).toMatchObject({ allowed: false });
});

test('relative paths and dots of an agent are resolved before they are judged', async () => {
  const { session, call } = await start({ rules: [{ id: 'r', effect: 'allow', tool: 'write_file' }] });
  expect(await call({ name: 'write_file', toolKind: 'edit', paths: ['a/../b'] })).toEqual({ allowed: true });
  await until(session, (state) => state.chats[session.id]?.turns.length === 1);
  void call({ name: 'write_file', toolKind: 'edit', paths: ['../b'] });
  answer(session, await asked(session), 'deny');
});

test('plan mode refuses with a reason that the model reads, and the rule is stored', async () => {
  const { session, call } = await start({ mode: 'plan' });
  expect(await call({ command: 'rm x' })).toEqual({
    allowed: false,
    reason: 'Refused by the rule "plan mode only reads: describe the change instead of making it".',
  });
  await until(session, (state) => state.chats[session.id]?.turns.length === 1);
  expect(lastTool(session)?.result).toMatchObject({
    status: 'denied',
    rule: 'plan mode only reads: describe the change instead of making it',
  });
});

test('a trusted session asks for nothing inside the workspace but what rules or protection ask for', async () => {
  const { session, call } = await start({ options: { trust: true } });
  expect(await call({ command: 'rm x' })).toEqual({ allowed: true });
  await until(session, (state) => state.chats[session.id]?.turns.length === 1);
  void call({ name: 'write_file', toolKind: 'edit', paths: ['/w/own/config.jsonc'] });
  answer(session, await asked(session), 'deny');
});

test('the question shows what would hide', async () => {
  const { session, call } = await start();
  void call({ command: 'ls', title: `$ ls${' '.repeat(2000)}\u001b[2J\u202e; rm` });
  const ask = await asked(session);
  expect(ask.title).toBe('$ ls [2000 spaces] \\u001b[2J\\u202e; rm');
  answer(session, ask, 'deny');
});

test.each([
  ['a carriage return', '\r', '\\r'],
  ['a Hangul filler', '\u3164', '\\u3164'],
  ['a Braille blank', '\u2800', '\\u2800'],
  ['a variation selector', '\ufe0f', '\\ufe0f'],
  ['a tag', '\u{e0041}', '\\u{e0041}'],
  ['a wide space', '\u3000', '\\u3000'],
  ['many spaces that break no line', '\u00a0'.repeat(2000), '[2000 times \\u00a0]'],
  ['many tabs', '\t'.repeat(2000), ' [2000 tabs] '],
  ['many lines', '\n'.repeat(2000), '\n[1999 empty lines]\n'],
])('a question, its options and its call show %s', async (_, letters, shown) => {
  const { session, call } = await start();
  void call({
    command: 'ls',
    title: `$ ls${letters}; rm`,
    options: [{ id: 'no', label: `No${letters}!`, effect: 'deny' }],
  });
  const ask = await asked(session);
  expect(ask).toMatchObject({ title: `$ ls${shown}; rm`, options: [{ label: `No${shown}!` }] });
  answer(session, ask, 'no');
  await until(session, (state) => state.chats[session.id]?.turns.length === 1);
  expect(lastTool(session)?.title).toBe(`$ ls${shown}; rm`);
});

test('every lasting answer names its rule and where it holds; an edit is remembered by its folder', async () => {
  const { session, call } = await start();
  void call({ name: 'write_file', toolKind: 'edit', paths: ['/w/lib/math.py'] });
  const ask = await asked(session);
  const rule = 'edits of lib/ and below';
  expect([ask.options, ask.remember]).toEqual([
    [
      { id: 'allow', label: 'Allow once', effect: 'allow' },
      {
        id: 'allow-session',
        label: 'Allow for this session',
        effect: 'allow-session',
        rule,
        says: `Not asked again in this session: ${rule}. Nothing is saved.`,
      },
      {
        id: 'allow-folder',
        label: 'Allow in this folder',
        effect: 'allow-folder',
        rule,
        says: `Saves a rule for /w. Not asked again there: ${rule}.`,
      },
      {
        id: 'allow-always',
        label: 'Allow everywhere',
        effect: 'allow-always',
        rule,
        says: `Saves a rule for every folder on this computer. Not asked again anywhere: ${rule}.`,
      },
      { id: 'deny', label: 'Deny', effect: 'deny' },
    ],
    [{ tool: '@edit', paths: ['lib/**'] }],
  ]);
  answer(session, ask, 'deny');
});

test.each([
  ['a file of the workspace folder itself', { toolKind: 'edit', paths: ['/w/a.txt'] }, ['a.txt']],
  ['a file that is deleted', { toolKind: 'delete', paths: ['/w/lib/a.txt'] }, ['lib/a.txt']],
] as const)('only the file is remembered of %s', async (_, request, paths) => {
  const { session, call } = await start();
  void call({ name: 'change', ...request });
  const ask = await asked(session);
  expect(ask.remember).toEqual([{ tool: `@${request.toolKind}`, paths }]);
  answer(session, ask, 'deny');
});

test.each([
  ['without a path', []],
  ['of a file whose name is a pattern', ['/w/a*.txt']],
])('an edit %s is allowed only once', async (_, paths) => {
  const { session, call } = await start();
  void call({ name: 'write_file', toolKind: 'edit', paths });
  const ask = await asked(session);
  expect(ask.options.map(({ id }) => id)).toEqual(['allow', 'deny']);
  answer(session, ask, 'deny');
});

test('an external agent that offers "always" gets our scopes beside it', async () => {
  const { session, call } = await start();
  const options = [
    { id: 'y', label: 'Allow once', effect: 'allow' },
    { id: 's', label: 'Allow for this session', effect: 'allow-session' },
    { id: 'n', label: 'Deny', effect: 'deny' },
  ] as const;
  const verdict = call({ command: 'npm test', options });
  const ask = await asked(session);
  expect(ask.options.map(({ id, rule }) => [id, rule])).toEqual([
    ['y', undefined],
    ['s', 'commands that begin with "npm test"'],
    ['allow-folder', 'commands that begin with "npm test"'],
    ['allow-always', 'commands that begin with "npm test"'],
    ['n', undefined],
  ]);
  answer(session, ask, 'allow-folder');
  expect(await verdict).toMatchObject({ allowed: true, option: 'allow-folder' });
});

test('an answer for the folder holds there and below, and nowhere else', async () => {
  const { session, call, another } = await start();
  const edit = (path: string) => ({ name: 'write_file', toolKind: 'edit' as const, paths: [path] });
  void call(edit('/w/lib/a'));
  answer(session, await asked(session), 'allow-folder');
  await until(session, (state) => state.chats[session.id]?.turns.length === 1);
  expect(await another('/w').call(edit('/w/lib/b'))).toEqual({ allowed: true });
  const [other, below, wide] = [another('/v'), another('/w/sub'), another('/w', '/v')];
  for (const [{ session: elsewhere, call: run }, path] of [
    [other, '/v/lib/b'],
    [below, '/w/sub/lib/b'],
    [wide, '/w/lib/b'],
  ] as const) {
    void run(edit(path));
    answer(elsewhere, await asked(elsewhere), 'deny');
  }
  expect(await another('/w/lib').call(edit('/w/lib/c'))).toEqual({ allowed: true });
});

test('who answered, when, where and in which session is stored, listed and revoked', async () => {
  const { session, call } = await start();
  const ask = async (command: string, option: string) => {
    const count = session.state.chats[session.id]?.turns.length ?? 0;
    const verdict = call({ command });
    answer(session, await asked(session), option);
    await verdict;
    await until(session, (state) => state.chats[session.id]?.turns.length === count + 1);
  };
  await ask('npm test', 'allow-session');
  await ask('npm run build', 'allow-folder');
  await ask('make it', 'allow-always');
  const { answers } = hosted.host;
  const shared = { effect: 'allow', confirmed: true, by: testClient, at: expect.any(Number) };
  expect(answers.list()).toMatchObject([
    { ...shared, scope: 'everywhere', rule: expect.stringContaining('make'), session: { id: session.id } },
    { ...shared, scope: 'folder', folders: ['/w'], rule: 'commands that begin with "npm run build"' },
    { ...shared, scope: 'session', session: { id: session.id }, rule: 'commands that begin with "npm test"' },
  ]);
  for (const { id } of answers.list()) expect(await answers.revoke(id, testClient)).toBe(true);
  expect([answers.list(), await answers.revoke('none', testClient)]).toEqual([[], false]);
  void call({ command: 'npm test' });
  answer(session, await asked(session), 'deny');
});

test('an answer for a session that no host has in memory is listed and revoked', async () => {
  const store = new MemoryStore();
  const { session, call } = await start({}, [], store);
  void call({ command: 'npm test' });
  answer(session, await asked(session), 'allow-session');
  await until(session, (state) => state.chats[session.id]?.turns.length === 1);
  await hosted.close();
  const host = await Host.start(testWorld(store), []);
  hosted = { ...hosted, host, close: () => host.close() };
  const { answers } = host;
  expect(host.opened(session.id)).toBeUndefined();
  expect(answers.list()).toMatchObject([
    { scope: 'session', session: { id: session.id }, by: testClient, at: expect.any(Number) as number },
  ]);
  expect(await answers.revoke(answers.list()[0]?.id ?? '', testClient)).toBe(true);
  expect(answers.list()).toEqual([]);
  expect(await host.open(session.id)).toMatchObject({ head: { rules: [] } });
});

test('an answer in a session that is damaged is not called revoked', async () => {
  const store = new DamagedStore();
  const { session, call } = await start({}, [], store);
  void call({ command: 'npm test' });
  answer(session, await asked(session), 'allow-session');
  await until(session, (state) => state.chats[session.id]?.turns.length === 1);
  await hosted.close();
  store.damaged = session.id;
  const host = await Host.start(testWorld(store), []);
  hosted = { ...hosted, host, close: () => host.close() };
  const [{ id } = { id: '' }] = host.answers.list();
  expect(await host.answers.revoke(id, testClient)).toMatchObject({ rejected: 'damaged' });
  expect(host.answers.list()).toMatchObject([{ id, scope: 'session' }]);
});

/** Reads the log of a session and then meets something that cannot be read. */
class DamagedStore extends MemoryStore {
  damaged: string | undefined;

  override *read(session: string, after = 0): Iterable<Entry> {
    yield* super.read(session, after);
    if (session === this.damaged) throw new LogDamage(session, 1000, 'Entry 1000 is damaged.');
  }
}

test('after a rollback a rule keeps who made it, and the summary is that of the log', async () => {
  const { session, call } = await start();
  void call({ command: 'npm test' });
  answer(session, await asked(session), 'allow-session');
  await until(session, (state) => state.chats[session.id]?.turns.length === 1);
  expect(session.summary().rules).toHaveLength(1);
  session.dispatch({ kind: 'truncateChat', chat: session.id }, testClient);
  await session.settled();
  let state = emptyState(session.id);
  for await (const entry of session.entries()) state = reduce(state, entry);
  expect(session.summary()).toEqual(summarize(state));
  const given = { scope: 'session', by: testClient, at: expect.any(Number) as number };
  expect(hosted.host.answers.list()).toMatchObject([given]);
});

test.each(['network', undefined] as const)(
  'a name for the session is a rule that is listed and revoked, if we asked about %s',
  async (about) => {
    const { session, call } = await start();
    void call({ command: 'npm test' });
    await asked(session);
    const choices = [{ id: 'session', label: 'Allow for this session' }];
    const questions = [{ id: 'q', message: 'Connect?', answer: { type: 'one', choices } }] as const;
    const remember = [{ tool: '@network', host: 'a.example:443' }];
    const ask = {
      kind: 'question',
      id: 'n',
      message: '',
      questions,
      remember,
      ...present({ about }),
    } as const;
    const chat = session.id;
    session.dispatch({ kind: 'openAsk', chat, turn: 'turn-1', ask }, { kind: 'host' });
    const values = { q: 'session' };
    session.dispatch({ kind: 'answer', chat, ask: 'n', answer: { kind: 'fields', values } }, testClient);
    const { answers } = hosted.host;
    const listed = { rule: 'connections of confined programs to a.example:443', by: testClient, id: 'n' };
    expect(answers.list()).toMatchObject(about ? [{ ...listed, scope: 'session' }] : []);
    expect(await answers.revoke('n', testClient)).toBe(about !== undefined);
    expect([answers.list(), session.head.rules]).toEqual([[], []]);
    answer(session, await asked(session), 'deny');
  },
);

test('each rule of one answer can be named in a few characters', async () => {
  const { session, call } = await start();
  void call({ command: 'npm test && tail -3' });
  answer(session, await asked(session), 'allow-session');
  await until(session, (state) => state.chats[session.id]?.turns.length === 1);
  const listed = hosted.host.answers.list();
  expect(listed.map(({ rule, by }) => [rule, by])).toEqual([
    ['commands that begin with "npm test"', testClient],
    ['commands that begin with "tail"', testClient],
  ]);
  const [first = '', second = ''] = listed.map(({ id }) => id);
  expect([first.startsWith(second.slice(0, 2)), second.startsWith(first.slice(0, 2))]).toEqual([
    false,
    false,
  ]);
});

test('an answer of an earlier version is told once and counts again when it is confirmed', async () => {
  const old = { id: 'old', effect: 'allow', tool: 'shell_command', command: ['npm', 'test', '*'] } as const;
  const deny = { id: 'no', effect: 'deny', tool: 'shell_command', command: ['rm', '*'] } as const;
  const store = new MemoryStore();
  const { session, call } = await start({}, [old, deny], store);
  expect(await call({ command: 'rm x' })).toMatchObject({ allowed: false });
  const notices = (of = session) =>
    [...(of.state.chats[of.id]?.turns ?? [])].flatMap(({ items }) =>
      items.flatMap((item) => (item.type === 'notice' ? item.text : [])),
    );
  await until(session, (state) => state.chats[session.id]?.turns.length === 1);
  void call({ command: 'npm test' });
  answer(session, await asked(session), 'deny');
  await until(session, (state) => state.chats[session.id]?.turns.length === 2);
  expect(notices()).toEqual([
    'Earlier answers that held in every folder do not count until you confirm them: commands that begin ' +
      'with "npm test". See "parley permissions" or the Permissions page of the console.',
  ]);
  expect(hosted.host.answers.list()).toMatchObject([{ id: 'old', confirmed: false }, { id: 'no' }]);
  const again = await start({}, [], store);
  void again.call({ command: 'rm x' });
  await until(again.session, (state) => state.chats[again.session.id]?.turns.length === 1);
  expect(notices(again.session)).toEqual([]);
  expect(hosted.host.answers.confirm('old', testClient)).toBe(true);
  expect(await again.call({ command: 'npm test' })).toEqual({ allowed: true });
});

test('the log says of a command that it is not confined because the mode is full', async () => {
  const { session, call } = await start({ autonomy: 'full' });
  await call({ command: 'npm test', sandbox: {} });
  await until(session, (state) => state.chats[session.id]?.turns.length === 1);
  expect(lastTool(session)?.sandbox).toEqual({ confined: false, because: 'full' });
});

test.each([
  { autonomy: 'ask', because: 'ask' },
  { autonomy: 'auto', because: 'unavailable' },
] as const)('the question and the log say so in $autonomy: $because', async ({ autonomy, because }) => {
  const { session, call } = await start({ autonomy });
  void call({ command: 'npm test', sandbox: {} });
  const ask = await asked(session);
  expect(ask.sandbox).toEqual({ confined: false, because });
  answer(session, ask, 'allow');
  await until(session, (state) => state.chats[session.id]?.turns.length === 1);
  expect(lastTool(session)?.sandbox).toEqual({ confined: false, because });
});

test('the log says of a call that starts no program nothing about the sandbox', async () => {
  const { session, call } = await start({ autonomy: 'full' });
  await call({ toolKind: 'edit', paths: ['/w/a'] });
  await until(session, (state) => state.chats[session.id]?.turns.length === 1);
  expect(lastTool(session)?.sandbox).toBeUndefined();
});

test('a device that may only approve makes no rule beyond the session', async () => {
  const { session, call } = await start();
  void call({ command: 'npm test' });
  const { id: ask } = await asked(session);
  for (const option of ['allow-folder', 'allow-always'])
    expect(
      session.dispatch(
        {
          kind: 'answer',
          chat: session.id,
          ask,
          answer: { kind: 'option', option },
          withinSession: true,
        },
        testClient,
      ),
    ).toMatchObject({ rejected: 'invalid' });
  expect(hosted.host.answers.list()).toEqual([]);
});
