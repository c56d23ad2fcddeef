import { expect, test } from 'vitest';
import { rig, testClient, until } from '../../../test/kit/host.ts';
import { isRejection } from '../../model/command.ts';
import type { Entry } from '../../model/event.ts';
import { copyPast } from './importedPast.ts';
import type { Session } from './session.ts';

async function talk(session: Session, text: string): Promise<void> {
  const turns = session.state.chats[session.id]?.turns.length ?? 0;
  session.dispatch(
    { kind: 'startTurn', chat: session.id, turn: `turn-${text}`, message: { id: `message-${text}`, text } },
    testClient,
  );
  await until(session, (state) => state.chats[session.id]?.turns.length === turns + 1);
}

async function entriesOf(session: Session): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of session.entries()) entries.push(entry);
  return entries;
}

test('a copy has the turns up to a message, and no agent works in it again', async () => {
  const place = await rig();
  const { host, scripts } = place;
  let asked = 0;
  scripts.set('*', async (turn) => {
    asked += 1;
    turn.report({
      kind: 'text.added',
      item: `answer-${turn.message.text}`,
      channel: 'answer',
      text: `to ${turn.message.text}`,
    });
  });
  const session = await place.create('one');
  for (const text of ['a', 'b', 'c']) await talk(session, text);
  const past = copyPast(await entriesOf(session), {
    state: session.state,
    chat: 'one',
    as: 'two',
    title: 'Copy',
    until: 'message-b',
  });
  const copy = await host.restore(past);
  if (isRejection(copy)) throw new Error(copy.message);
  expect(copy.state.title).toBe('Copy');
  expect(
    copy.state.chats['two']?.turns.map(({ message, items, outcome }) => [
      message.text,
      items.length,
      outcome.kind,
    ]),
  ).toEqual([
    ['a', 1, 'completed'],
    ['b', 0, 'completed'],
  ]);
  expect(asked).toBe(3);
  expect(host.summary('two')).toMatchObject({ id: 'two', title: 'Copy', started: true });
  await talk(copy, 'd');
  expect(asked).toBe(4);
  expect(copy.state.chats['two']?.turns.at(-1)?.items).toMatchObject([{ text: 'to d' }]);
  expect(session.state.chats['one']?.turns.length).toBe(3);
  expect(isRejection(await host.restore(past))).toBe(true);
  await place.close();
});

const chooser = { kind: 'client', door: 'test', client: 'phone', device: 'a phone' } as const;

test.each(['plan', 'edits'] as const)('a copy keeps the mode %s, with who chose it', async (level) => {
  const place = await rig();
  const session = await place.create('one');
  await talk(session, 'a');
  session.dispatch({ kind: 'changeSession', changes: { autonomy: level } }, chooser);
  await session.settled();
  const past = copyPast(await entriesOf(session), {
    state: session.state,
    chat: 'one',
    as: 'two',
    title: 'Copy',
  });
  const copy = await place.host.restore(past);
  if (isRejection(copy)) throw new Error(copy.message);
  expect(copy.state.autonomy).toEqual({ level, by: chooser });
  expect(copy.state.chats['two']?.turns).toHaveLength(1);
  await place.close();
});

test('a chat that moves into a session of its own keeps the mode, with who chose it', async () => {
  const place = await rig();
  const session = await place.create('one');
  session.dispatch({ kind: 'changeSession', changes: { autonomy: 'plan' } }, chooser);
  session.dispatch({ kind: 'createChat', chat: 'side', origin: { type: 'user' } }, testClient);
  await session.settled();
  const moved = await place.host.moveChat('side', {}, testClient);
  if (isRejection(moved)) throw new Error(moved.message);
  expect(moved.state.autonomy).toEqual({ level: 'plan', by: chooser });
  await place.close();
});

test('a chat whose agent has not stopped yet stays, and whoever wants to move it learns why', async () => {
  const place = await rig();
  const session = await place.create('one');
  session.dispatch({ kind: 'createChat', chat: 'side', origin: { type: 'user' } }, testClient);
  session.dispatch({ kind: 'changeChat', chat: 'side', stopping: 'Waiting.' }, { kind: 'host' });
  await session.settled();
  expect(await place.host.moveChat('side', {}, testClient)).toEqual({
    rejected: 'turn-active',
    message: 'The agent of this chat has not stopped yet. Try again in a moment.',
  });
  await place.close();
});
