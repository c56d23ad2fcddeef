import { afterEach, beforeEach, expect, test } from 'vitest';
import { rig, testClient, until } from '../../../test/kit/host.ts';
import type { Rig } from '../../../test/kit/host.ts';
import type { TurnContext } from '../agent.ts';
import type { Session } from '../session/session.ts';

let hosted: Rig;
let turns: TurnContext[];

beforeEach(async () => {
  hosted = await rig();
  turns = [];
  hosted.scripts.set('*', (turn) => Promise.resolve(void turns.push(turn)));
});
afterEach(() => hosted.close());

async function prompt(session: Session, chat = session.id): Promise<TurnContext> {
  const turn = `turn-${turns.length + 1}`;
  session.dispatch({ kind: 'startTurn', chat, turn, message: { id: turn, text: 'hi' } }, testClient);
  await until(session, (state) => state.chats[chat]?.turns.at(-1)?.id === turn);
  const context = turns.at(-1);
  if (!context) throw new Error('nobody was asked');
  return context;
}

test('an agent names the conversation, also after its turn', async () => {
  const session = await hosted.create('s');
  const turn = await prompt(session);
  turn.log.title('Fixing the door');
  expect([session.head.title, session.head.titleBy]).toEqual(['Fixing the door', 'agent']);
  turn.log.title('');
  turn.log.title('Mending the door');
  expect(session.head.title).toBe('Mending the door');
});

test('an agent that gives an endless name gets as much of it as a title can have', async () => {
  const session = await hosted.create('s');
  (await prompt(session)).log.title(`${'x'.repeat(999)}\u{1F600}`);
  expect(session.head.title).toBe('x'.repeat(999));
});

test('a name that a human gave stays', async () => {
  const session = await hosted.create('s');
  session.dispatch({ kind: 'changeSession', changes: { title: 'Mine' } }, testClient);
  (await prompt(session)).log.title('Fixing the door');
  expect([session.head.title, session.head.titleBy]).toEqual(['Mine', 'client']);
});

test('a chat beside the default one gets a name of its own, once', async () => {
  const session = await hosted.create('s');
  session.dispatch({ kind: 'createChat', chat: 'c', origin: { type: 'user' } }, testClient);
  const turn = await prompt(session, 'c');
  turn.log.title('One');
  turn.log.title('Two');
  expect([session.head.title, session.head.chats['c']?.title]).toEqual(['', 'One']);
});

test('a name that comes after the session was let go is dropped', async () => {
  const session = await hosted.create('s');
  const turn = await prompt(session);
  await hosted.host.remove('s');
  const { seq } = session.head;
  turn.log.title('Too late');
  expect(session.head.seq).toBe(seq);
});
