// A client that comes back is told what it has missed, which needs the state before that.
import { expect, test, vi } from 'vitest';
import { rig, testClient, until } from '../../../test/kit/host.ts';
import { reduce } from '../../model/reduce.ts';
import { emptyState } from '../../model/state.ts';
import { stateAt } from './catchUp.ts';
import type { Session } from './session.ts';

test('the state before any entry is that of the log, and near the end only the last turns are read', async () => {
  const { create, store, close } = await rig();
  const session = await create('s');
  for (let turn = 1; turn <= 25; turn += 1) await say(session, turn);
  const entries = await readAll(session);
  const states = [emptyState('s')];
  for (const entry of entries) states.push(reduce(states.at(-1) ?? emptyState('s'), entry));
  for (const state of states) expect(await stateAt(session, state.seq)).toEqual(state);

  const starts = entries.filter(({ event }) => event.kind === 'turn.started');
  const read = vi.spyOn(store, 'read');
  await stateAt(session, session.state.seq - 1);
  expect(read.mock.calls[0]?.[1]).toBe((starts.at(-1)?.seq ?? 0) - 1);
  read.mockClear();
  await stateAt(session, (starts[2]?.seq ?? 0) - 1);
  expect(read.mock.calls[0]?.[1]).toBe(0);
  await close();
});

async function say(session: Session, turn: number): Promise<void> {
  session.dispatch(
    {
      kind: 'startTurn',
      chat: session.id,
      turn: `turn-${turn}`,
      message: { id: `message-${turn}`, text: `Say ${turn}.` },
    },
    testClient,
  );
  await until(session, ({ chats }) => chats[session.id]?.turns.length === turn);
  await session.settled();
}

async function readAll(session: Session) {
  const found = [];
  for await (const entry of session.entries()) found.push(entry);
  return found;
}
