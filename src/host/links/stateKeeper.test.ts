// Where several hosts use one store, the states of a session are stored while it grows.
import { afterEach, expect, test } from 'vitest';
import { rig, testClient, until } from '../../../test/kit/host.ts';
import type { Rig } from '../../../test/kit/host.ts';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';
import { eventually } from '../../../test/kit/patience.ts';
import { SharedTables, sharedHost } from '../../../test/kit/sharedHosts.ts';
import { reduce } from '../../model/reduce.ts';
import { emptyState } from '../../model/state.ts';
import type { LogStore, StoredState } from '../session/logStore.ts';
import type { Session } from '../session/session.ts';

const rigs: Rig[] = [];
afterEach(async () => {
  for (const each of rigs.splice(0)) await each.close();
});

test('a state is stored after each turn that has made the session an eighth longer', async () => {
  const { one, stored } = await growing(await sharedHost('one', new SharedTables()));
  const session = await one.create('s');
  for (let turn = 0; turn < 24; turn += 1) await runTurn(session, turn);
  const lengths = stored.map(({ state }) => state.seq);
  for (const [at, length] of lengths.entries()) {
    const before = lengths[at - 1] ?? 0;
    const due = before + Math.max(500, before / 8);
    expect(length).toBeGreaterThanOrEqual(due);
    expect(length).toBeLessThan(due + 310);
  }
  expect(session.state.seq - (lengths.at(-1) ?? 0)).toBeLessThan(1_000);

  const last = stored.at(-1);
  expect(last?.state.chats['s']?.active).toBeUndefined();
  let state = emptyState('s');
  const states = [state];
  const times = [0];
  for await (const entry of session.entries()) {
    state = reduce(state, entry);
    states.push(state);
    times.push(entry.at);
  }
  expect(last?.state).toEqual(states[last?.state.seq ?? 0]);
  expect(last?.at).toBe(times[last?.state.seq ?? 0]);
  // Those before its last turns, of which none ends with the state itself.
  expect(last?.earlier?.length).toBe(20);
  for (const { seq, at, read } of last?.earlier ?? [])
    expect([read(), at]).toEqual([states[seq], times[seq]]);
});

test('nothing is stored of sessions of other hosts', async () => {
  const tables = new SharedTables();
  const { one, stored } = await growing(await sharedHost('one', tables));
  const two = await growing(await sharedHost('two', tables));
  const session = await one.create('s');
  await eventually(() => two.one.host.summary('s') !== undefined, 'the session on the other host');
  const followed = await two.one.host.open('s');
  if (!('state' in followed)) throw new Error(followed.message);
  for (let turn = 0; turn < 4; turn += 1) await runTurn(session, turn);
  await until(followed, ({ seq }) => seq === session.state.seq);
  expect([stored.length > 0, two.stored]).toEqual([true, []]);
});

test('another host goes on from what is stored, not from what it has read', async () => {
  const tables = new SharedTables();
  const { one, stored } = await growing(await sharedHost('one', tables));
  const session = await one.create('s');
  for (let turn = 0; turn < 3; turn += 1) await runTurn(session, turn);
  expect(stored.length).toBe(1);
  await one.host.close();
  const two = await growing(await sharedHost('two', tables), stored[0]);
  const again = await two.one.host.open('s');
  if (!('state' in again)) throw new Error(again.message);
  await runTurn(again, 3);
  expect(two.stored.map(({ state }) => state.seq)).toEqual([again.state.seq]);
});

test('a host that has its store for itself stores states when it reads a long log, and not before', async () => {
  const { one, stored } = await growing(await rig(new MemoryStore()));
  const session = await one.create('s');
  for (let turn = 0; turn < 4; turn += 1) await runTurn(session, turn);
  expect(stored).toEqual([]);
});

/** A host with states, and what it stores. Each of its turns makes 300 entries and some more. */
async function growing(
  one: Rig,
  before?: StoredState,
): Promise<{ readonly one: Rig; readonly stored: StoredState[] }> {
  rigs.push(one);
  const stored: StoredState[] = [];
  const states: LogStore['states'] = {
    read: async () => before,
    write: async (state) => void stored.push(state),
  };
  Object.assign(one.store, { states });
  let count = 0;
  one.scripts.set('*', async (turn) => {
    for (const last = count + 300; count < last; count += 1)
      turn.report({ kind: 'text.added', item: `i${count}`, channel: 'answer', text: 'Some text.' });
  });
  return { one, stored };
}

async function runTurn(session: Session, turn: number): Promise<void> {
  const message = { id: `m${turn}`, text: 'go' };
  const refused = session.dispatch(
    { kind: 'startTurn', chat: session.id, turn: `t${turn}`, message },
    testClient,
  );
  expect(refused).toBeUndefined();
  await until(session, ({ chats }) => chats['s']?.turns.length === turn + 1);
}
