import { afterEach, expect, test } from 'vitest';
import { testClient, testWorld, until } from '../../../test/kit/host.ts';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';
import { isRejection } from '../../model/command.ts';
import type { Agent, SessionReporter, ChosenSettings, TurnContext, ConversationSetup } from '../agent.ts';
import { Host } from '../host.ts';
import type { Session } from '../session/session.ts';

let host: Host | undefined;

afterEach(async () => {
  await host?.close();
  host = undefined;
});

interface Probe {
  readonly session: Session;
  readonly wheres: ConversationSetup[];
  readonly configured: ChosenSettings[];
  readonly forgotten: string[];
  aside(): SessionReporter;
  prompt(text: string): Promise<void>;
}

async function start(tellsHandover?: true): Promise<Probe> {
  const wheres: ConversationSetup[] = [];
  const configured: ChosenSettings[] = [];
  const forgotten: string[] = [];
  const agent = (id: string): Agent => ({
    info: { id, name: id.toUpperCase(), description: '', models: [] },
    open: (where) => {
      wheres.push(where);
      return Promise.resolve({
        ref: where.ref,
        ...(tellsHandover ? { tellsHandover } : {}),
        prompt: (turn: TurnContext) => {
          turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: `${id} ${where.ref}` });
          return Promise.resolve({ kind: 'completed' });
        },
        configure: (chosen) => void configured.push(chosen),
        forget: () => Promise.resolve(void forgotten.push(id)),
        close: () => Promise.resolve(),
      });
    },
  });
  host = await Host.start(testWorld(new MemoryStore()), [agent('one'), agent('two')]);
  const session = host.create({ roots: ['/w'], id: 's' }, testClient);
  if (isRejection(session)) throw new Error(session.message);
  await session.settled();
  let count = 0;
  return {
    session,
    wheres,
    configured,
    forgotten,
    aside() {
      const where = wheres.at(-1);
      if (!where) throw new Error('nobody opened a conversation');
      return where.aside;
    },
    async prompt(text) {
      count += 1;
      const turn = `t${count}`;
      expect(
        session.dispatch(
          { kind: 'startTurn', chat: 's', turn, message: { id: `m${count}`, text } },
          testClient,
        ),
      ).toBeUndefined();
      await until(session, (state) => state.chats['s']?.turns.some(({ id }) => id === turn) ?? false);
    },
  };
}

const chat = ({ session }: Probe) => session.head.chats['s'];

test('an agent starts no turn while the user holds messages, because its end would start them', async () => {
  const probe = await start();
  const { session } = probe;
  await probe.prompt('hi');
  const wake = (work = Promise.resolve({ kind: 'completed' } as const)) =>
    probe.aside().wake('woken', () => work);
  expect(wake(new Promise(() => {}))).toBe(true);
  const message = { id: 'later', text: 'later' };
  session.dispatch({ kind: 'queueMessage', lane: 'queue', chat: 's', turn: 'q', message }, testClient);
  session.dispatch({ kind: 'stopTurn', chat: 's', next: 'n', holds: true }, testClient);
  await until(session, ({ chats }) => chats['s']?.held ?? false);
  expect(wake()).toBe(false);
  session.dispatch({ kind: 'withdrawMessage', chat: 's', message: 'later' }, testClient);
  await until(session, ({ chats }) => chats['s']?.queue.length === 0);
  expect(wake()).toBe(true);
});

test('a conversation gives itself a name, and is opened by it later', async () => {
  const probe = await start();
  await probe.prompt('hi');
  probe.aside().bind('ref-1');
  expect(chat(probe)?.bound).toEqual({ agent: 'one', ref: 'ref-1' });
});

test('what the agent changes is told once, options are merged, and a human title stays', async () => {
  const probe = await start();
  await probe.prompt('hi');
  const { session } = probe;
  const aside = () => probe.aside();
  aside().change({ mode: 'plan', model: 'm', title: 'By the agent', options: { depth: 1 } });
  aside().change({ options: { tone: 'dry' } });
  const { seq } = session.head;
  aside().change({ mode: 'plan', options: { depth: 1 } });
  expect(session.head).toMatchObject({
    seq,
    mode: 'plan',
    model: 'm',
    title: 'By the agent',
    options: { depth: 1, tone: 'dry' },
  });
  session.dispatch({ kind: 'changeSession', changes: { title: 'Mine' } }, testClient);
  aside().change({ title: 'Again' });
  expect(session.head.title).toBe('Mine');
});

test('a fact is recorded', async () => {
  const probe = await start();
  await probe.prompt('hi');
  probe.aside().record({ kind: 'turns.reverted', chat: 's', turns: ['t'] });
  expect(chat(probe)?.revertedTurns).toEqual(['t']);
});

test('an agent begins a turn by itself, and nobody else works on it', async () => {
  const probe = await start();
  await probe.prompt('hi');
  const woke = probe.aside().wake('One went on.', (turn) => {
    turn.report({ kind: 'text.added', item: 'w', channel: 'answer', text: 'by myself' });
    return Promise.resolve({ kind: 'completed' });
  });
  expect(woke).toBe(true);
  expect(probe.aside().wake('Again.', () => Promise.resolve({ kind: 'completed' }))).toBe(false);
  await until(probe.session, (state) => state.chats['s']?.turns.length === 2);
  expect(chat(probe)?.turns[1]).toMatchObject({
    message: { text: 'One went on.', from: 'agent' },
    by: { kind: 'agent', agent: 'one' },
    items: [{ text: 'by myself' }],
  });
});

test('settings that somebody chooses reach the conversation', async () => {
  const probe = await start();
  await probe.prompt('hi');
  probe.session.dispatch(
    { kind: 'changeSession', changes: { mode: 'ask', options: { a: true } } },
    testClient,
  );
  probe.session.dispatch({ kind: 'changeSession', changes: { title: 'no setting' } }, testClient);
  await probe.session.settled();
  await Promise.resolve();
  expect(probe.configured).toEqual([{ mode: 'ask', model: undefined, options: { a: true } }]);
});

test('another agent takes over: it is told from whom, and the reader what it was given', async () => {
  const probe = await start();
  await probe.prompt('hi');
  probe.aside().bind('ref-1');
  const old = probe.aside();
  probe.session.dispatch({ kind: 'changeSession', changes: { agent: 'two' } }, testClient);
  await probe.session.settled();
  await probe.prompt('go on');
  expect(probe.wheres.map(({ ref, from }) => ({ ref, from }))).toEqual([
    { ref: undefined, from: undefined },
    { ref: undefined, from: 'one' },
  ]);
  expect(chat(probe)?.turns[1]?.items).toMatchObject([
    { type: 'notice', text: 'TWO takes over from ONE and was given the turn before this one.' },
    { type: 'text' },
  ]);
  old.record({ kind: 'turns.reverted', chat: 's', turns: ['late'] });
  old.bind('late');
  expect([chat(probe)?.revertedTurns, chat(probe)?.bound]).toEqual([[], { agent: 'one', ref: 'ref-1' }]);
});

test('settings that an agent tells after another one was chosen are not those of the other', async () => {
  const probe = await start();
  await probe.prompt('hi');
  probe.session.dispatch({ kind: 'changeSession', changes: { agent: 'two' } }, testClient);
  probe.aside().change({ mode: 'plan', model: 'm', options: { depth: 1 } });
  expect(probe.session.head).toMatchObject({ agent: 'two', mode: undefined, model: undefined, options: {} });
});

test('an agent that tells the handover itself is left to do so', async () => {
  const probe = await start(true);
  await probe.prompt('hi');
  probe.aside().bind('ref-1');
  probe.session.dispatch({ kind: 'changeSession', changes: { agent: 'two' } }, testClient);
  await probe.session.settled();
  await probe.prompt('go on');
  expect(chat(probe)?.turns[1]?.items).toMatchObject([{ type: 'text' }]);
});

test('a fork from the last turn may be a copy of the conversation, any other is none', async () => {
  const probe = await start();
  await probe.prompt('hi');
  probe.aside().bind('ref-1');
  const fork = (name: string, turn: string) => {
    probe.session.dispatch(
      { kind: 'createChat', chat: name, origin: { type: 'fork', chat: 's', turn } },
      testClient,
    );
    probe.session.dispatch(
      { kind: 'startTurn', chat: name, turn: `${name}-1`, message: { id: name, text: 'x' } },
      testClient,
    );
  };
  fork('copy', 't1');
  fork('other', 't0');
  await until(
    probe.session,
    ({ chats }) => chats['copy']?.turns.length === 1 && chats['other']?.turns.length === 1,
  );
  expect(probe.wheres.slice(1).map(({ chat: of, forkOf }) => [of, forkOf])).toEqual([
    ['copy', 'ref-1'],
    ['other', undefined],
  ]);
});

test('a removed session is forgotten by its agent, too', async () => {
  const probe = await start();
  await probe.prompt('hi');
  await host?.remove('s');
  expect(probe.forgotten).toEqual(['one']);
});
