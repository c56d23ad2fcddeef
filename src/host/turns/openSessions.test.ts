// Which sessions stay in memory, and that nobody works with one that has left it.
import { expect, test, vi } from 'vitest';
import { rig, testClient, testWorld, until } from '../../../test/kit/host.ts';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';
import { isRejection } from '../../model/command.ts';
import type { Agent } from '../agent.ts';
import { Host } from '../host.ts';
import type { Session } from '../session/session.ts';

/** So many idle sessions without clients stay in memory, and each for so many milliseconds. */
const limit = 64;
const useTime = 60_000;
const name = (at: number) => `s${at}`;

/** A store with sessions that no host has open. */
async function stored(count: number): Promise<MemoryStore> {
  const store = new MemoryStore();
  const { create } = await rig(store);
  for (let at = 0; at < count; at += 1) await create(name(at));
  return store;
}

/** A world whose clock can be put forward. */
function worldOf(store: MemoryStore) {
  const world = testWorld(store);
  let ahead = 0;
  const elapsed = () => world.clock.elapsed() + ahead;
  const pass = () => void (ahead += useTime);
  return { world: { ...world, clock: { ...world.clock, elapsed } }, pass };
}

async function opened(host: Host, at: number): Promise<Session> {
  const session = await host.open(name(at));
  if (isRejection(session)) throw new Error(session.message);
  return session;
}

const prompt = (session: Session, turn = 't') =>
  session.dispatch(
    { kind: 'startTurn', chat: session.id, turn, message: { id: `message of ${turn}`, text: 'hi' } },
    testClient,
  );

/** How the turn of a prompt has ended. */
async function outcomeOfPrompt(session: Session): Promise<string | undefined> {
  expect(prompt(session)).toBeUndefined();
  await until(session, ({ chats }) => chats[session.id]?.turns.length === 1);
  return session.state.chats[session.id]?.turns[0]?.outcome.kind;
}

test('a session that was just opened runs its prompt, however many others have clients', async () => {
  const { host, close } = await rig(await stored(limit + 6));
  for (let at = 0; at < limit; at += 1) (await opened(host, at)).follow(() => {});
  // A client that comes back reads the log before it follows.
  const session = await opened(host, limit);
  for (let at = limit + 1; at < limit + 6; at += 1) await opened(host, at);
  expect(await outcomeOfPrompt(session)).toBe('completed');
  await close();
});

test('sessions that were just opened can all be used, however many they are', async () => {
  const { host, close } = await rig(await stored(limit + 16));
  const sessions: Session[] = [];
  // As a client that subscribes to all of them in one request.
  for (let at = 0; at < limit + 16; at += 1) sessions.push(await opened(host, at));
  for (const session of sessions) {
    expect(await outcomeOfPrompt(session)).toBe('completed');
    expect(host.opened(session.id)).toBe(session);
  }
  await close();
});

test('of idle sessions the last used stay, and one that has left refuses what it would not work on', async () => {
  const store = await stored(limit + 1);
  const { world, pass } = worldOf(store);
  const { host, close } = await rig(store, world);
  const sessions: Session[] = [];
  for (let at = 0; at < limit; at += 1) sessions.push(await opened(host, at));
  pass();
  expect(await opened(host, 0)).toBe(sessions[0]);
  await opened(host, limit);
  expect(host.openSessions().map(({ id }) => id)).toEqual([
    ...sessions.slice(2).map(({ id }) => id),
    name(0),
    name(limit),
  ]);
  const again = await opened(host, 1);
  expect(again).not.toBe(sessions[1]);
  expect(sessions[1] && prompt(sessions[1])).toMatchObject({ rejected: 'wrong-state' });
  expect(await outcomeOfPrompt(again)).toBe('completed');
  await close();
});

test('nobody finds or uses a session that is leaving; whoever opens it gets it when it has left', async () => {
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const agent: Agent = {
    info: { id: 'script', name: 'Script', description: '', models: [] },
    open: ({ chat }) =>
      Promise.resolve({
        ref: chat,
        prompt: () => Promise.resolve({ kind: 'completed' }),
        close: () => left,
      }),
  };
  const { world, pass } = worldOf(await stored(limit + 1));
  const host = await Host.start(world, [agent]);
  const first = await opened(host, 0);
  expect(await outcomeOfPrompt(first)).toBe('completed');
  await first.settled();
  pass();
  for (let at = 1; at <= limit; at += 1) await opened(host, at);
  expect(host.opened(name(0))).toBeUndefined();
  expect(prompt(first, 't2')).toMatchObject({ rejected: 'wrong-state' });
  const coming = opened(host, 0);
  leave();
  const again = await coming;
  expect(again).not.toBe(first);
  expect(prompt(again, 't2')).toBeUndefined();
  await until(again, ({ chats }) => chats[again.id]?.turns.length === 2);
  await host.close();
});

test('a session that cannot be read keeps no other from ending the turns that the last host has left', async () => {
  const store = new MemoryStore();
  const { create, scripts } = await rig(store);
  scripts.set('*', () => new Promise(() => {}));
  for (let at = 0; at < 20; at += 1) prompt(await create(name(at)));
  await expect.poll(() => store.unfinished()).toHaveLength(20);
  const read = store.read.bind(store);
  vi.spyOn(store, 'read').mockImplementation((session, after) => {
    if (session === name(3)) throw new Error('The disk cannot read this.');
    return read(session, after);
  });
  const { close, problems } = await rig(store);
  await expect.poll(() => store.unfinished()).toEqual([name(3)]);
  expect(problems).toHaveLength(1);
  await close();
});
