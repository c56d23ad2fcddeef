// Sessions that another host owns: followed, commanded, moved and taken over.
import { afterEach, expect, test } from 'vitest';
import { isRejection } from '../../model/command.ts';
import type { Command } from '../../model/command.ts';
import type { Answer, Origin } from '../../model/event.ts';
import type { State } from '../../model/state.ts';
import type { TurnContext } from '../agent.ts';
import type { Session, Step } from '../session/session.ts';
import { isIdle } from './followedSession.ts';
import { testClient, until } from '../../../test/kit/host.ts';
import type { Rig } from '../../../test/kit/host.ts';
import { pause } from '../../../test/kit/living.ts';
import { eventually } from '../../../test/kit/patience.ts';
import { SharedTables, sharedHost } from '../../../test/kit/sharedHosts.ts';

const rigs: Rig[] = [];
afterEach(async () => {
  for (const each of rigs.splice(0)) await each.close();
});

const phone: Origin = { kind: 'client', door: 'test', client: 'phone', device: 'My phone', most: 'ask' };

test('another host shows a session live, with positions that never run backwards', async () => {
  const { one, two } = await twoHosts();
  const { session, finish } = await runningSession(one);
  const followed = await opened(two, 's1');
  expect(followed.owner).toBe('one');
  const seen = watch(followed);
  finish('Hello.');
  await until(followed, idle);
  expect(withoutPlace(followed.state)).toEqual(withoutPlace(session.state));
  // Work of its own in between.
  await two.create('mine');
  start(session, 't2', 'quick');
  await until(followed, ({ chats }) => chats['s1']?.turns.length === 2);
  const positions = seen.map(({ entry }) => entry.pos);
  expect(positions).toEqual([...new Set(positions)].toSorted((a, b) => a - b));
  const again: number[] = [];
  for await (const { seq, pos } of followed.entries()) if (seq >= (seen[0]?.entry.seq ?? 0)) again.push(pos);
  expect(again).toEqual(positions);
});

test('what is read again and again is read as news, so that nobody who opens a session waits for it', async () => {
  const { one, two } = await twoHosts();
  const { finish } = await runningSession(one);
  const followed = await opened(two, 's1');
  const read = two.store.read.bind(two.store);
  const asked: unknown[] = [];
  two.store.read = (session, after, how) => {
    asked.push(how);
    return read(session, after, how);
  };
  finish('Hello.');
  await until(followed, idle);
  expect(new Set(asked)).toEqual(new Set(['news']));
});

test('news that are told in the moment in which a reading ends are read', async () => {
  const { one, two } = await twoHosts();
  const { forOthers } = one.host;
  const follow = forOthers.follow.bind(forOthers);
  let tell = () => {};
  forOthers.follow = (session, on) => {
    tell = () => on.stored();
    return follow(session, on);
  };
  await runningSession(one);
  await opened(two, 's1');
  const read = two.store.read.bind(two.store);
  let begun = 0;
  let atEnd = async () => {};
  two.store.read = async function* (...asked) {
    begun += 1;
    yield* read(...asked);
    const told = atEnd;
    atEnd = async () => {};
    void told();
  };
  const missed: number[] = [];
  for (let moment = 0; moment < 12; moment += 1) {
    let before = 0;
    const told = new Promise<void>((resolve) => {
      atEnd = async () => {
        await afterMoments(moment);
        before = begun;
        tell();
        resolve();
      };
    });
    tell();
    await told;
    await pause(0);
    if (begun === before) missed.push(moment);
  }
  expect(missed).toEqual([]);
});

test('commands are carried out by the owner, with who gave them', async () => {
  const { one, two } = await twoHosts();
  const { session } = await runningSession(one);
  const followed = await opened(two, 's1');
  const queue: Command = {
    kind: 'queueMessage',
    chat: 's1',
    lane: 'queue',
    message: { id: 'm9', text: 'quick' },
    turn: 't9',
  };
  expect(followed.dispatch(queue, phone)).toBeUndefined();
  // Decided on what is on its way.
  expect(followed.head.chats['s1']?.queue.map(({ id }) => id)).toEqual(['m9']);
  expect(followed.state.chats['s1']?.queue).toEqual([]);
  expect(followed.dispatch({ kind: 'stopTurn', chat: 's1', next: 't10' }, phone)).toBeUndefined();
  await followed.settled();
  await until(session, ({ chats }) => chats['s1']?.turns.length === 2);
  expect(session.state.chats['s1']?.turns.map(({ message, by }) => [message.id, by])).toEqual([
    ['m1', testClient],
    ['m9', phone],
  ]);
});

test('prompts of two hosts at once both run, the later one from the queue', async () => {
  const { one, two } = await twoHosts();
  const { session, finish } = await runningSession(one);
  const followed = await opened(two, 's1');
  finish('Hello.');
  await until(followed, idle);
  start(session, 't2', 'quick');
  // Not known here yet.
  const message = { id: 'm3', text: 'quick' };
  const command: Command = { kind: 'startTurn', chat: 's1', turn: 't3', message, orQueue: true };
  expect(followed.dispatch(command, phone)).toBeUndefined();
  await followed.settled();
  await until(followed, (state) => idle(state) && state.chats['s1']?.turns.length === 3);
  expect(followed.state.chats['s1']?.turns.map((turn) => turn.message.id)).toEqual(['m1', 'm t2', 'm3']);
});

test('an answer that is given on two hosts at once wins once, and the other one is refused', async () => {
  const { one, two, answers, answer } = await asking();
  const here = await opened(one, 's1');
  const there = await opened(two, 's1');
  await until(there, ({ chats }) => Object.keys(chats['s1']?.asks ?? {}).length === 1);
  expect(there.dispatch(answer('yes'), phone)).toBeUndefined();
  const outcome = there.settled();
  expect(here.dispatch(answer('no'), testClient)).toBeUndefined();
  await expect(outcome).rejects.toThrow('This was already answered.');
  await until(here, idle);
  expect(answers).toEqual([{ kind: 'fields', values: { q: 'no' } }]);
  await until(there, idle);
  expect(there.head.chats['s1']?.asks).toEqual({});
});

test('an answer given on a host that does not own the session is the answer', async () => {
  const { two, answers, answer } = await asking();
  const there = await opened(two, 's1');
  there.dispatch(answer('yes'), phone);
  await there.settled();
  await until(there, idle);
  expect(answers).toEqual([{ kind: 'fields', values: { q: 'yes' } }]);
});

test('a link lets nobody act as an agent or a host, or do what only the owner can', async () => {
  const { one, two } = await twoHosts();
  await runningSession(one);
  const followed = await opened(two, 's1');
  const report = { kind: 'text.added', item: 'i', channel: 'answer', text: 'x' } as const;
  const refused: readonly (readonly [Command, Origin])[] = [
    [{ kind: 'report', chat: 's1', turn: 't1', report }, phone],
    [
      { kind: 'stopTurn', chat: 's1', next: 'n' },
      { kind: 'agent', agent: 'script' },
    ],
    [{ kind: 'stopTurn', chat: 's1', next: 'n' }, { kind: 'host' }],
    [{ kind: 'record', fact: { kind: 'edits.reverted', edits: [] } }, phone],
    [{ kind: 'endTurn', chat: 's1', turn: 't1', outcome: { kind: 'completed' }, next: 'n' }, phone],
  ];
  for (const [at, [command, by]] of refused.entries()) {
    expect(followed.dispatch(command, by)).toMatchObject({
      rejected: 'elsewhere',
      message: expect.stringContaining('the host one'),
    });
    const forged = await one.host.forOthers.command({ id: `forged ${at}`, session: 's1', command, by });
    expect(forged).toMatchObject({ rejected: 'elsewhere' });
  }
  const freer: Command = { kind: 'changeSession', changes: { autonomy: 'full' } };
  expect(
    await one.host.forOthers.command({ id: 'freer', session: 's1', command: freer, by: phone }),
  ).toMatchObject({ rejected: expect.any(String) });
  expect(await two.host.moveChat('s1', {}, phone)).toMatchObject({ rejected: 'elsewhere' });
  expect(await two.host.undo('s1', { after: undefined }, phone)).toMatchObject({ rejected: 'elsewhere' });
});

test('an idle session moves to the host whose client prompts it, and back', async () => {
  const { one, two, tables } = await twoHosts();
  const session = await one.create('s1');
  const seenByOne = watch(session);
  const there = await opened(two, 's1');
  const seenByTwo = watch(there);
  start(there, 't1', 'quick');
  await there.settled();
  expect([tables.owners.get('s1'), there.owner, session.owner]).toEqual(['two', undefined, 'two']);
  await until(session, ({ chats }) => chats['s1']?.turns.length === 1);
  start(session, 't2', 'quick');
  await session.settled();
  expect(tables.owners.get('s1')).toBe('one');
  await until(there, ({ chats }) => chats['s1']?.turns.length === 2);
  await until(session, ({ chats }) => chats['s1']?.turns.length === 2);
  for (const steps of [seenByOne, seenByTwo]) {
    const positions = steps.map(({ entry }) => entry.pos);
    expect(positions).toEqual([...new Set(positions)].toSorted((a, b) => a - b));
  }
  expect(withoutPlace(there.state)).toEqual(withoutPlace(session.state));
});

test('who has asked for a session follows it also if it has moved before they began', async () => {
  const { one, two, tables } = await twoHosts();
  const session = await one.create('s1');
  const there = await opened(two, 's1');
  start(there, 't1', 'quick');
  await there.settled();
  expect(tables.owners.get('s1')).toBe('two');
  await until(there, idle);
  const seen = watch(session);
  start(there, 't2', 'quick');
  await until(session, (state) => idle(state) && state.chats['s1']?.turns.length === 2);
  expect(seen.at(-1)?.entry.event.kind).toBe('turn.ended');
});

test('a session that is let go while the database is away is free when it is back', async () => {
  const { one, two, tables } = await twoHosts();
  const session = await one.create('s1');
  const seen = watch(session);
  tables.broken = Object.assign(new Error('cannot reach the database'), { code: 'unavailable' });
  const letGo = one.host.forOthers.letGo('s1', 'two');
  await pause(100);
  tables.broken = undefined;
  expect(await letGo).toBe(true);
  const there = await opened(two, 's1');
  start(there, 't1', 'quick');
  await there.settled();
  expect(tables.owners.get('s1')).toBe('two');
  await until(session, ({ chats }) => chats['s1']?.turns.length === 1);
  expect(seen.at(-1)?.entry.event.kind).toBe('turn.ended');
});

test('a session stays where the agent of a stopped turn still works', async () => {
  const { one } = await twoHosts();
  const session = await one.create('s1');
  let release = () => {};
  one.scripts.set('deaf', () => new Promise((resolve) => (release = resolve)));
  start(session, 't1', 'deaf');
  await until(session, ({ chats }) => chats['s1']?.active !== undefined);
  await eventually(() => session.state.chats['s1']?.bound !== undefined, 'the conversation');
  session.dispatch({ kind: 'stopTurn', chat: 's1', next: 'n' }, testClient);
  await session.settled();
  expect(await one.host.forOthers.letGo('s1', 'two')).toBe(false);
  release();
  await eventually(() => one.host.forOthers.letGo('s1', 'two'), 'the session let go');
});

test('a session of which another host says that its agent is waited for is not idle', () => {
  const chat = { active: undefined, asks: {}, queue: [], steering: [] };
  const state = (stopping: string | null) => ({ chats: { s1: { ...chat, stopping } } }) as unknown as State;
  expect([isIdle(state('Waiting.')), isIdle(state(null))]).toEqual([false, true]);
});

test('a session stays where clients lend it tools, and whoever lends elsewhere is told', async () => {
  const { one, two, tables } = await twoHosts();
  const session = await one.create('s1');
  one.host.clientTools.lend('s1', 'editor', [{ client: 'editor', name: 'open', parameters: {} }]);
  const there = await opened(two, 's1');
  const back = two.host.workbenches.lend('m t1', { readText: () => Promise.resolve(undefined) });
  start(there, 't1', 'wait');
  await there.settled();
  expect(tables.owners.get('s1')).toBe('one');
  const notices = session.state.chats['s1']?.active?.items.flatMap((item) =>
    item.type === 'notice' ? [item.text] : [],
  );
  expect(notices).toEqual([
    expect.stringContaining('runs on the host one, so it does not see the unsaved files'),
  ]);
  back();
});

test('a host that dies is followed by another one, and nothing shown is lost', async () => {
  const { one, two, tables } = await twoHosts();
  const { session, say } = await runningSession(one);
  const followed = await opened(two, 's1');
  const seen = watch(followed);
  say('shown');
  await until(followed, (state) => JSON.stringify(state).includes('shown'));
  tables.removeHost('one');
  tables.tell('one', { kind: 'orphaned', sessions: ['s1'] });
  await until(followed, idle);
  expect(followed.owner).toBeUndefined();
  expect(followed.state.chats['s1']?.turns[0]).toMatchObject({ outcome: { kind: 'interrupted' } });
  expect(JSON.stringify(followed.state)).toContain('shown');
  expect(seen.map(({ entry }) => entry.seq)).toEqual(seen.map((_, at) => (seen[0]?.entry.seq ?? 0) + at));
  start(followed, 't2', 'quick');
  await until(followed, ({ chats }) => chats['s1']?.turns.length === 2);
  expect(session.state.chats['s1']?.turns).toEqual([]);
});

test('the sessions of a host that dies come home with one question to the store', async () => {
  const { one, two, tables } = await twoHosts();
  const ids = Array.from({ length: 20 }, (_, at) => `s${at}`);
  const all = [];
  for (const id of ids) {
    const session = await one.create(id);
    one.scripts.set('long', () => new Promise(() => {}));
    start(session, `t-${id}`, 'long');
    await until(session, ({ chats }) => chats[id]?.active !== undefined);
    all.push(await opened(two, id));
  }
  let asked = 0;
  tables.beforeAnswer = async () => void (asked += 1);
  tables.removeHost('one');
  tables.tell('one', { kind: 'orphaned', sessions: ids });
  for (const [at, session] of all.entries())
    await until(session, ({ chats }) => chats[ids[at] ?? '']?.turns.length === 1);
  expect([asked, [...new Set(all.map(({ owner }) => owner))]]).toEqual([1, [undefined]]);
});

test('a host that follows a session takes it over before one that would have to read it', async () => {
  const { one, two, tables } = await twoHosts();
  const three = await sharedHost('three', tables);
  rigs.push(three);
  await runningSession(one);
  const followed = await opened(two, 's1');
  tables.removeHost('one');
  tables.followers.get('three')?.({ kind: 'orphaned', sessions: ['s1'] });
  tables.followers.get('two')?.({ kind: 'orphaned', sessions: ['s1'] });
  await until(followed, idle);
  expect([tables.owners.get('s1'), followed.owner]).toEqual(['two', undefined]);
});

test('a session whose host dies while it is being opened comes home', async () => {
  const { one, two, tables } = await twoHosts();
  await runningSession(one);
  await eventually(() => two.host.summary('s1') !== undefined, 'the session in the list');
  tables.beforeAnswer = async () => {
    tables.beforeAnswer = async () => {};
    tables.removeHost('one');
    tables.tell('one', { kind: 'orphaned', sessions: ['s1'] });
    await eventually(() => tables.owners.get('s1') === 'two', 'the next owner');
  };
  const session = await opened(two, 's1');
  await until(session, idle);
  expect(session.state.chats['s1']?.turns[0]).toMatchObject({ outcome: { kind: 'interrupted' } });
});

test('a command waits for a link that comes back, and is carried out once', async () => {
  const { one, two, tables } = await twoHosts();
  const { session } = await runningSession(one);
  const followed = await opened(two, 's1');
  tables.cut.add('two');
  const message = { id: 'm2', text: 'quick' };
  followed.dispatch({ kind: 'queueMessage', chat: 's1', lane: 'queue', message, turn: 't2' }, phone);
  const outcome = followed.settled();
  // What is stored is shown, with or without a link.
  session.dispatch({ kind: 'changeSession', changes: { title: 'Seen' } }, testClient);
  await until(followed, ({ title }) => title === 'Seen');
  tables.cut.delete('two');
  await outcome;
  expect(session.state.chats['s1']?.queue.map(({ id }) => id)).toEqual(['m2']);
});

test('a message that an earlier owner has stored before it was gone runs once', async () => {
  const { one, two } = await twoHosts();
  const { session } = await runningSession(one);
  const followed = await opened(two, 's1');
  const message = { id: 'm9', text: 'quick' };
  const queue: Command = { kind: 'queueMessage', chat: 's1', lane: 'queue', message, turn: 't9' };
  followed.dispatch(queue, phone);
  followed.dispatch({ kind: 'stopTurn', chat: 's1', next: 't10' }, phone);
  await until(session, (state) => idle(state) && state.chats['s1']?.turns.length === 2);
  // The host that sent it to another owner asks this one.
  const again = { id: 'not known here', session: 's1', by: phone };
  const answers = [
    await one.host.forOthers.command({ ...again, command: queue }),
    await one.host.forOthers.command({
      ...again,
      id: 'nor this',
      command: { kind: 'startTurn', chat: 's1', message, turn: 't11' },
    }),
  ];
  expect(answers).toEqual([{ seq: session.head.seq }, { seq: session.head.seq }]);
  expect(session.head.chats['s1']?.turns.map(({ message: { id } }) => id)).toEqual(['m1', 'm9']);
  expect(idle(session.head)).toBe(true);
});

test('an id that a client uses again for other words is another message', async () => {
  const { one, two } = await twoHosts();
  const { session, finish } = await runningSession(one);
  finish('Hello.');
  await until(session, idle);
  const followed = await opened(two, 's1');
  const message = { id: 'm1', text: 'quick' };
  const command: Command = { kind: 'startTurn', chat: 's1', message, turn: 't2' };
  await one.host.forOthers.command({ id: 'a', session: 's1', by: phone, command });
  await until(followed, (state) => idle(state) && state.chats['s1']?.turns.length === 2);
  expect(followed.state.chats['s1']?.turns.map(({ message: { id } }) => id)).toEqual(['m1', 'm1']);
});

test('a command to a host that is frozen is carried out here as soon as its lease is over', async () => {
  const { one, two, tables } = await twoHosts();
  await runningSession(one);
  const followed = await opened(two, 's1');
  tables.frozen.add('one');
  followed.dispatch({ kind: 'changeSession', changes: { title: 'Here' } }, phone);
  const outcome = followed.settled();
  await pause(300);
  tables.removeHost('one');
  await outcome;
  expect([followed.owner, followed.state.title]).toEqual([undefined, 'Here']);
});

test('a session that has come home does not wait for the answer of its frozen owner', async () => {
  const { one, two, tables } = await twoHosts();
  await runningSession(one);
  const followed = await opened(two, 's1');
  tables.frozen.add('one');
  const { shared } = two.store;
  const frozen = await shared?.ownerOf('s1');
  const asks: unknown[] = [];
  // The store would say so a moment later.
  if (shared) shared.ownerOf = async (id) => (asks.push(id), frozen);
  followed.dispatch({ kind: 'changeSession', changes: { title: 'Here' } }, phone);
  const outcome = followed.settled();
  await eventually(() => asks.length > 0, 'the command waits for the owner');
  tables.removeHost('one');
  tables.tell('one', { kind: 'orphaned', sessions: ['s1'] });
  await outcome;
  expect([followed.owner, followed.state.title]).toEqual([undefined, 'Here']);
});

test('a claim whose answer is lost is repeated, because nobody else can make it any more', async () => {
  const { one, two, tables } = await twoHosts();
  await runningSession(one);
  const followed = await opened(two, 's1');
  tables.beforeAnswer = async () => {
    tables.beforeAnswer = async () => {};
    throw Object.assign(new Error('cannot reach the database'), { code: 'unavailable' });
  };
  tables.removeHost('one');
  tables.tell('one', { kind: 'orphaned', sessions: ['s1'] });
  await until(followed, idle);
  expect(followed.owner).toBeUndefined();
});

test('what is stored is shown at once although the link was cut', async () => {
  const { one, two, tables } = await twoHosts();
  const { session } = await runningSession(one);
  const followed = await opened(two, 's1');
  await pause(1_000);
  tables.cut.add('two');
  for (const cut of tables.breaks.splice(0)) cut();
  const began = performance.now();
  session.dispatch({ kind: 'changeSession', changes: { title: 'Seen' } }, testClient);
  await until(followed, ({ title }) => title === 'Seen');
  // With a link that is up the store is asked every five seconds only.
  expect(performance.now() - began).toBeLessThan(3_000);
});

test('a host without links shows the session and says who takes commands', async () => {
  const { one, two } = await twoHosts('without links');
  const { session } = await runningSession(one);
  const followed = await opened(two, 's1');
  followed.dispatch({ kind: 'stopTurn', chat: 's1', next: 'n' }, phone);
  await expect(followed.settled()).rejects.toThrow(/is open on the host one, which takes no commands/);
  session.dispatch({ kind: 'changeSession', changes: { title: 'Seen' } }, testClient);
  await until(followed, ({ title }) => title === 'Seen');
});

test('a session that its owner removes is gone everywhere', async () => {
  const { one, two, tables } = await twoHosts();
  await one.create('s1');
  await opened(two, 's1');
  await one.host.remove('s1');
  tables.tell('one', { kind: 'removed', session: 's1' });
  expect(await two.host.open('s1')).toMatchObject({ rejected: 'not-found' });
});

async function twoHosts(how: 'with links' | 'without links' = 'with links') {
  const tables = new SharedTables();
  const [one, two] = [await sharedHost('one', tables, how), await sharedHost('two', tables, how)];
  for (const each of [one, two]) {
    each.scripts.set('quick', () => Promise.resolve());
    each.scripts.set('wait', (turn) => stopped(turn));
    rigs.push(each);
  }
  return { one, two, tables };
}

/** Opens and watches it, as a client does. */
async function opened({ host }: Rig, id: string): Promise<Session> {
  await eventually(() => host.summary(id) !== undefined, 'the session in the list');
  const session = await host.open(id);
  if (isRejection(session)) throw new Error(session.message);
  return session;
}

async function afterMoments(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) await Promise.resolve();
}

function watch(session: Session): Step[] {
  const seen: Step[] = [];
  session.follow((steps) => void seen.push(...steps));
  return seen;
}

async function runningSession(on: Rig) {
  const session = await on.create('s1');
  let finish: (text: string) => void = () => {};
  let say: (text: string) => void = () => {};
  on.scripts.set('go', (turn) => {
    say = (text) => turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text });
    const done = new Promise<void>((resolve) => {
      finish = (text) => {
        say(text);
        resolve();
      };
    });
    return Promise.race([done, stopped(turn)]);
  });
  start(session, 't1', 'go');
  await session.settled();
  await eventually(() => session.state.chats['s1']?.active !== undefined, 'the turn');
  return { session, finish: (text: string) => finish(text), say: (text: string) => say(text) };
}

function stopped({ signal }: TurnContext): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function start(session: Session, turn: string, text: string): void {
  const message = { id: turn === 't1' && text === 'go' ? 'm1' : `m ${turn}`, text };
  expect(
    session.dispatch({ kind: 'startTurn', chat: session.id, turn, message }, testClient),
  ).toBeUndefined();
}

async function asking() {
  const { one, two } = await twoHosts();
  const answers: Answer[] = [];
  one.scripts.set('ask', async (turn) => {
    const questions = [{ id: 'q', message: 'Well?', answer: { type: 'text' } }] as const;
    answers.push(await turn.ask({ kind: 'question', message: 'Well?', questions }));
  });
  const session = await one.create('s1');
  start(session, 't1', 'ask');
  await until(session, ({ chats }) => Object.keys(chats['s1']?.asks ?? {}).length === 1);
  const ask = Object.keys(session.state.chats['s1']?.asks ?? {})[0] ?? '';
  const answer = (text: string): Command => ({
    kind: 'answer',
    chat: 's1',
    ask,
    answer: { kind: 'fields', values: { q: text } },
  });
  return { one, two, answers, answer };
}

function idle({ chats }: State): boolean {
  return Object.values(chats).every(({ active }) => !active);
}

/** Positions differ between hosts. */
function withoutPlace({ pos: _, ...state }: State) {
  return state;
}
