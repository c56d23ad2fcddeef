import { expect, test, vi } from 'vitest';
import { isRejection } from '../model/command.ts';
import { Host } from './host.ts';
import { rig, testClient, testWorld, until } from '../../test/kit/host.ts';
import { MemoryStore } from '../../test/kit/memoryStore.ts';
import type { Session } from './session/session.ts';

const message = (text: string, id = text) => ({ id, text });
const start = (session: Session, text: string, turn = `turn-${text}`) =>
  session.dispatch({ kind: 'startTurn', chat: session.id, turn, message: message(text) }, testClient);
const chat = (session: Session) => session.state.chats[session.id];

test('a prompt runs its agent, and what the agent reports is in the log in order', async () => {
  const { scripts, create, close } = await rig();
  scripts.set('hi', async (turn) => {
    turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: 'Hel' });
    turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: 'lo' });
  });
  const session = await create('s');
  start(session, 'hi');
  await until(session, () => chat(session)?.turns.length === 1);
  expect(chat(session)?.turns[0]).toMatchObject({
    outcome: { kind: 'completed' },
    items: [{ type: 'text', text: 'Hello' }],
  });
  await close();
});

test('nothing is shown before it is stored', async () => {
  const store = new MemoryStore();
  const { create, close } = await rig(store);
  const session = await create('s');
  session.follow((steps) => {
    const stored = [...store.read('s')].map(({ seq }) => seq);
    for (const { entry } of steps) expect(stored).toContain(entry.seq);
  });
  start(session, 'hi');
  expect(session.head.seq).toBeGreaterThan(session.state.seq);
  await session.settled();
  expect(session.state).toBe(session.head);
  await close();
});

test('an approval waits for a human, the first answer wins, and the tool is running before the agent knows', async () => {
  const { scripts, create, close } = await rig();
  const seen: unknown[] = [];
  scripts.set('go', async (turn) => {
    turn.report({
      kind: 'tool.started',
      tool: 't',
      name: 'shell_command',
      title: '$ ls',
      toolKind: 'execute',
      source: 'native',
    });
    turn.report({
      kind: 'tool.ready',
      tool: 't',
      input: { command: 'ls' },
      title: '$ ls',
      toolKind: 'execute',
    });
    const verdict = await turn.approve({
      tool: 't',
      intent: {
        name: 'shell_command',
        toolKind: 'execute',
        input: { command: 'ls' },
        paths: ['/w'],
        command: 'ls',
      },
      title: '$ ls',
    });
    seen.push(verdict, turn.state().chats[turn.session.chat]?.active?.items[0]);
    turn.report({ kind: 'tool.ended', tool: 't', result: { status: 'done', content: [] } });
  });
  const session = await create('s');
  start(session, 'go');
  await until(session, () => Object.keys(chat(session)?.asks ?? {}).length === 1);
  const ask = Object.keys(chat(session)?.asks ?? {})[0] ?? '';
  const answer = (option: string) =>
    session.dispatch({ kind: 'answer', chat: 's', ask, answer: { kind: 'option', option } }, testClient);
  expect(answer('nonsense')).toMatchObject({ rejected: 'invalid' });
  expect(answer('allow-session')).toBeUndefined();
  expect(answer('deny')).toMatchObject({ rejected: 'already-answered' });
  await until(session, () => chat(session)?.turns.length === 1);
  expect(answer('allow')).toMatchObject({ rejected: 'already-answered' });
  expect(seen).toMatchObject([
    { allowed: true, option: 'allow-session' },
    { status: 'running', basis: { how: 'ask', ask } },
  ]);
  expect(session.state.rules).toMatchObject([{ tool: 'shell_command', match: 'ls', effect: 'allow' }]);

  start(session, 'go', 'again');
  await until(session, () => chat(session)?.turns.length === 2);
  expect(chat(session)?.turns[1]?.items[0]).toMatchObject({
    basis: { how: 'rule', rule: 'allow shell_command: ls' },
    result: { status: 'done' },
  });
  await close();
});

test('"always" holds in other sessions too', async () => {
  const { scripts, create, close, host } = await rig();
  scripts.set('go', async (turn) => {
    turn.report({
      kind: 'tool.started',
      tool: 't',
      name: 'write_file',
      title: 'w',
      toolKind: 'edit',
      source: 'native',
    });
    await turn.approve({
      tool: 't',
      intent: { name: 'write_file', toolKind: 'edit', input: {}, paths: ['/w/a'] },
      title: 'w',
    });
  });
  const [one, two] = [await create('one'), await create('two')];
  start(one, 'go');
  await until(one, () => Object.keys(chat(one)?.asks ?? {}).length === 1);
  one.dispatch(
    {
      kind: 'answer',
      chat: 'one',
      ask: Object.keys(chat(one)?.asks ?? {})[0] ?? '',
      answer: { kind: 'option', option: 'allow-always' },
    },
    testClient,
  );
  await until(one, () => chat(one)?.turns.length === 1);
  await host.own.settled();
  start(two, 'go');
  await until(two, () => chat(two)?.turns.length === 1);
  expect(chat(two)?.turns[0]?.items[0]).toMatchObject({ basis: { how: 'rule' } });
  await close();
});

test('a chat that moves into another session brings no rule along that was taken back since', async () => {
  const { scripts, create, close, host } = await rig();
  scripts.set('go', async (turn) => {
    turn.report({
      kind: 'tool.started',
      tool: 't',
      name: 'write_file',
      title: 'w',
      toolKind: 'edit',
      source: 'native',
    });
    await turn.approve({
      tool: 't',
      intent: { name: 'write_file', toolKind: 'edit', input: {}, paths: ['/w/a'] },
      title: 'w',
    });
  });
  const [one, two] = [await create('one'), await create('two')];
  one.dispatch({ kind: 'createChat', chat: 'side', origin: { type: 'user' } }, testClient);
  one.dispatch({ kind: 'startTurn', chat: 'side', turn: 'a', message: message('go') }, testClient);
  await until(one, (state) => Object.keys(state.chats['side']?.asks ?? {}).length === 1);
  one.dispatch(
    {
      kind: 'answer',
      chat: 'side',
      ask: Object.keys(one.state.chats['side']?.asks ?? {})[0] ?? '',
      answer: { kind: 'option', option: 'allow-always' },
    },
    testClient,
  );
  await until(one, (state) => state.chats['side']?.turns.length === 1);
  expect(host.own.head.rules).toHaveLength(1);
  host.own.dispatch({ kind: 'changeSession', changes: { rules: [] } }, testClient);
  expect(await host.moveChat('side', { session: 'two' }, testClient)).toBe(two);
  await two.settled();
  two.dispatch({ kind: 'startTurn', chat: 'side', turn: 'b', message: message('go', 'again') }, testClient);
  await until(two, (state) => Object.keys(state.chats['side']?.asks ?? {}).length === 1);
  expect([host.own.head.rules, two.state.chats['side']?.turns[0]?.items[0]]).toMatchObject([
    [],
    { approval: { option: { effect: 'allow-always' } } },
  ]);
  await close();
});

test('a second prompt is refused or queued, the queue runs on, and a stop takes effect at once', async () => {
  const { scripts, create, close } = await rig();
  scripts.set(
    'hang',
    (turn) =>
      new Promise((resolve) => turn.signal.addEventListener('abort', () => resolve({ kind: 'completed' }))),
  );
  const session = await create('s');
  start(session, 'hang');
  expect(start(session, 'no')).toMatchObject({ rejected: 'turn-active' });
  session.dispatch(
    { kind: 'queueMessage', chat: 's', lane: 'queue', message: message('later'), turn: 'q' },
    testClient,
  );
  await session.settled();
  expect(chat(session)?.queue.map(({ text }) => text)).toEqual(['later']);
  session.dispatch({ kind: 'stopTurn', chat: 's', next: 'q' }, testClient);
  await until(session, () => chat(session)?.turns.length === 2);
  expect(chat(session)?.turns.map(({ message: { text }, outcome }) => [text, outcome.kind])).toEqual([
    ['hang', 'cancelled'],
    ['later', 'completed'],
  ]);
  await close();
});

test('an agent that will not stop does not keep the chat from going on', async () => {
  const { scripts, create, close } = await rig();
  let late = () => {};
  scripts.set(
    'deaf',
    (turn) =>
      new Promise((resolve) => {
        late = () => {
          turn.report({ kind: 'text.added', item: 'x', channel: 'answer', text: 'too late' });
          resolve({ kind: 'completed' });
        };
      }),
  );
  const session = await create('s');
  start(session, 'deaf');
  await session.settled();
  session.dispatch({ kind: 'stopTurn', chat: 's', next: 'n' }, testClient);
  await session.settled();
  expect(chat(session)?.active).toBeUndefined();
  expect(start(session, 'next')).toBeUndefined();
  late();
  await until(session, () => chat(session)?.turns.length === 2);
  expect(chat(session)?.turns.map(({ items }) => items)).toEqual([[], []]);
  await close();
});

test('a failing agent fails its turn in words and holds the queue until a human goes on', async () => {
  const { scripts, create, close } = await rig();
  scripts.set('bad', () => Promise.reject(new Error('The model is on fire.')));
  const session = await create('s');
  start(session, 'bad');
  session.dispatch(
    { kind: 'queueMessage', chat: 's', lane: 'queue', message: message('later'), turn: 'q' },
    testClient,
  );
  await until(session, () => chat(session)?.turns.length === 1);
  expect(chat(session)?.turns[0]?.outcome).toEqual({
    kind: 'failed',
    problem: { code: 'agent', message: 'The model is on fire.' },
  });
  expect(chat(session)).toMatchObject({ held: true, active: undefined });
  start(session, 'go on');
  await until(session, () => chat(session)?.turns.length === 3);
  expect(chat(session)?.turns.map(({ message: { text } }) => text)).toEqual(['bad', 'go on', 'later']);
  await close();
});

test('a host that dies under a turn leaves it interrupted; the next host goes on', async () => {
  const store = new MemoryStore();
  const first = await rig(store);
  first.scripts.set('hang', async (turn) => {
    turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: 'so far' });
    turn.report({
      kind: 'tool.started',
      tool: 't',
      name: 'x',
      title: 'x',
      toolKind: 'other',
      source: 'native',
    });
    await turn.approve({
      tool: 't',
      intent: { name: 'x', toolKind: 'other', input: null, paths: [] },
      title: 'x',
    });
  });
  const session = await first.create('s');
  start(session, 'hang');
  session.dispatch(
    { kind: 'queueMessage', chat: 's', lane: 'queue', message: message('later'), turn: 'q' },
    testClient,
  );
  await until(session, () => Object.keys(chat(session)?.asks ?? {}).length === 1);

  const second = await rig(store);
  expect(second.host.summary('s')).toMatchObject({ status: 'asking' });
  const again = await second.host.open('s');
  if (isRejection(again)) throw new Error(again.message);
  const after = chat(again);
  expect(after).toMatchObject({ active: undefined, held: true, queue: [{ text: 'later' }], asks: {} });
  expect(after?.turns[0]).toMatchObject({
    outcome: { kind: 'interrupted' },
    items: [{ text: 'so far' }, { result: { status: 'interrupted' } }, { type: 'notice' }],
  });
  const seq = again.state.seq;
  const third = await rig(store);
  await third.host.open('s');
  expect(((await third.host.open('s')) as Session).state.seq).toBe(seq);
  await second.close();
});

test('what cannot be stored is not shown, stops the turn, and is over when the store works again', async () => {
  const store = new MemoryStore();
  const { scripts, create, close } = await rig(store);
  let talk = () => {};
  scripts.set(
    'talk',
    (turn) =>
      new Promise((resolve) => {
        talk = () => turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: 'lost' });
        turn.signal.addEventListener('abort', () => resolve({ kind: 'cancelled' }));
      }),
  );
  const session = await create('s');
  start(session, 'talk');
  await session.settled();
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  const before = session.state;
  store.broken = new Error('disk full');
  talk();
  await expect(session.settled()).rejects.toThrow('disk full');
  expect(session.state).toBe(before);
  expect(session.head).toBe(before);
  store.broken = undefined;
  await until(session, () => chat(session)?.turns.length === 1);
  expect(chat(session)?.turns[0]?.outcome).toEqual({
    kind: 'failed',
    problem: { code: 'storage', message: 'The session could not be stored: disk full' },
  });
  await close();
});

test('what an agent says after something of its turn was lost is not stored: no text has a gap', async () => {
  const store = new MemoryStore();
  const { scripts, create, close } = await rig(store);
  let say = (_: string) => {};
  scripts.set('talk', (turn) => {
    say = (text) => turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text });
    return new Promise((resolve) => {
      turn.signal.addEventListener('abort', () => resolve({ kind: 'cancelled' }));
    });
  });
  const session = await create('s');
  start(session, 'talk');
  await until(session, () => chat(session)?.active !== undefined);
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  say('one ');
  await session.settled();
  store.broken = new Error('disk full');
  say('two ');
  await expect(session.settled()).rejects.toThrow('disk full');
  store.broken = undefined;
  say('three ');
  await until(session, () => chat(session)?.turns.length === 1);
  expect(chat(session)?.turns[0]?.items).toMatchObject([{ type: 'text', text: 'one ' }]);
  await close();
});

test('sessions are listed newest first, found by any of their chats, and forgotten when removed', async () => {
  const { host, create, close } = await rig();
  const one = await create('one');
  await create('two');
  one.dispatch({ kind: 'createChat', chat: 'extra', origin: { type: 'user' } }, testClient);
  await one.settled();
  expect(host.summaries().map(({ id }) => id)).toEqual(['one', 'two']);
  expect(host.sessionOf('extra')).toBe('one');
  expect(host.create({ id: 'extra', roots: [] }, testClient)).toMatchObject({ rejected: 'already-exists' });
  expect(host.create({ id: 'with blank', roots: [] }, testClient)).toMatchObject({ rejected: 'invalid' });
  expect(host.create({ id: '$host', roots: [] }, testClient)).toMatchObject({ rejected: 'invalid' });
  expect(host.create({ agent: 'nobody', roots: [] }, testClient)).toMatchObject({
    rejected: 'unknown-agent',
  });
  await host.remove('one');
  expect(await host.open('one')).toMatchObject({ rejected: 'not-found' });
  expect(host.sessionOf('extra')).toBeUndefined();
  await close();
});

test('who removes a session stops its turn, and nothing that waits is started', async () => {
  const { host, scripts, create, close } = await rig();
  scripts.set('hang', (turn) => {
    turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: 'so far' });
    return new Promise((resolve) => turn.signal.addEventListener('abort', () => resolve()));
  });
  const session = await create('s');
  start(session, 'hang');
  session.dispatch(
    { kind: 'queueMessage', chat: 's', lane: 'queue', message: message('later'), turn: 'q' },
    testClient,
  );
  await until(session, () => chat(session)?.active?.items.length === 1);
  await host.remove('s');
  expect(chat(session)?.turns).toMatchObject([{ outcome: { kind: 'cancelled' } }]);
  expect(chat(session)).toMatchObject({ active: undefined, queue: [{ text: 'later' }] });
  await close();
});

test('a session whose log cannot be read is removed, although its agent would have to forget it', async () => {
  const store = new MemoryStore();
  const { create, close } = await rig(store);
  await create('s');
  await close();
  const problems: unknown[] = [];
  const info = { id: 'script', name: 'Script', description: '', models: [], forgets: true };
  const host = await Host.start(testWorld(store, problems), [
    { info, open: () => Promise.reject(new Error()) },
  ]);
  const broken = new Error('The disk does not answer.');
  store.read = () => {
    throw broken;
  };
  expect(await host.remove('s')).toBeUndefined();
  expect([host.summary('s'), problems]).toEqual([undefined, [broken]]);
  expect(store.summaries().map(({ id }) => id)).not.toContain('s');
  await host.close();
});

test('positions grow over all sessions and never run backwards over restarts', async () => {
  const store = new MemoryStore();
  const first = await rig(store);
  start(await first.create('one'), 'hi');
  await first.close();
  const highest = store.head();
  const second = await Host.start(testWorld(store), []);
  expect(second.pos).toBe(highest);
  await second.close();
});

test('a session with a new id does not read the list of the others, which has both later', async () => {
  const store = new MemoryStore();
  const first = await rig(store);
  await first.create('old');
  await first.close();
  const { host, create, close } = await rig(store);
  const read = vi.spyOn(store, 'summaries');
  const told: unknown[] = [];
  host.follow((change) => told.push([change.kind, 'old' in change && change.old?.status]));
  const session = await create();
  start(session, 'hi');
  await until(session, () => chat(session)?.turns.length === 1);
  expect(host.sessionOf(session.id)).toBe(session.id);
  expect(told[0]).toEqual(['added', undefined]);
  expect(told.slice(1).map((each) => (each as readonly unknown[])[0])).not.toContain('added');
  expect(read).not.toHaveBeenCalled();
  expect(host.summaries().map(({ id }) => id)).toEqual([session.id, 'old']);
  expect(host.summary(session.id)?.chats[0]?.turns).toBe(1);
  expect(host.create({ id: 'old', roots: ['/w'] }, testClient)).toMatchObject({ rejected: 'already-exists' });
  await close();
});
