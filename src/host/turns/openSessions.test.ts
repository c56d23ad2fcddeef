// Which sessions stay in memory, and that nobody works with one that has left it.
import { expect, test } from 'vitest';
import { rig, testClient, testWorld, until } from '../../../test/kit/host.ts';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';
import { isRejection } from '../../model/command.ts';
import type { Agent } from '../agent.ts';
import { Host } from '../host.ts';
import type { Session } from '../session/session.ts';

/** So many idle sessions without clients stay in memory. */
const limit = 64;
const name = (at: number) => `s${at}`;

/** A store with sessions that no host has open. */
async function stored(count: number): Promise<MemoryStore> {
  const store = new MemoryStore();
  const { create } = await rig(store);
  for (let at = 0; at < count; at += 1) await create(name(at));
  return store;
}

async function opened(host: Host, at: number): Promise<Session> {
  const session = await host.open(name(at));
  if (isRejection(session)) throw new Error(session.message);
  return session;
}

const prompt = (session: Session) =>
  session.dispatch(
    { kind: 'startTurn', chat: session.id, turn: 't', message: { id: 'm', text: 'hi' } },
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

test('of idle sessions the last used stay, and one that has left refuses what it would not work on', async () => {
  const { host, close } = await rig(await stored(limit + 1));
  const sessions: Session[] = [];
  for (let at = 0; at < limit; at += 1) sessions.push(await opened(host, at));
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

test('nobody finds a session that is leaving; whoever opens it gets it when it has left', async () => {
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
  const host = await Host.start(testWorld(await stored(limit + 1)), [agent]);
  const first = await opened(host, 0);
  expect(await outcomeOfPrompt(first)).toBe('completed');
  await first.settled();
  for (let at = 1; at <= limit; at += 1) await opened(host, at);
  expect(host.opened(name(0))).toBeUndefined();
  const coming = opened(host, 0);
  leave();
  const again = await coming;
  expect(again).not.toBe(first);
  again.dispatch(
    { kind: 'startTurn', chat: again.id, turn: 't2', message: { id: 'm2', text: 'hi' } },
    testClient,
  );
  await until(again, ({ chats }) => chats[again.id]?.turns.length === 2);
  await host.close();
});
