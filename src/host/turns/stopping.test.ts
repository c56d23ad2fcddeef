// What everybody sees of an agent that has not stopped yet: words beside the stopped turn, and nothing else.
import { afterEach, expect, test } from 'vitest';
import { testClient, testWorld, until } from '../../../test/kit/host.ts';
import { manualClock } from '../../../test/kit/manualClock.ts';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';
import { isRejection } from '../../model/command.ts';
import type { Outcome } from '../../model/event.ts';
import type { Agent } from '../agent.ts';
import { Host } from '../host.ts';
import type { Session } from '../session/session.ts';
import type { LimitSettings, Settings, SettingsValues } from '../settings/settings.ts';
import type { World } from '../world.ts';

const clock = manualClock();
let host: Host;
let store: MemoryStore;
/** Lets the agent stop. */
let release: () => void;
const closed: string[] = [];

afterEach(async () => {
  release();
  await host.close();
  closed.length = 0;
});

const agent = (id: string): Agent => ({
  info: { id, name: id.toUpperCase(), description: '', models: [] },
  open: () =>
    Promise.resolve({
      ref: id,
      prompt: (turn) => {
        turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: id });
        turn.report({ kind: 'usage.reported', usage: { input: 200 } });
        if (turn.message.text !== 'hang') return Promise.resolve({ kind: 'completed' });
        return new Promise<Outcome>((resolve) => {
          release = () => resolve({ kind: 'cancelled' });
        });
      },
      close: () => Promise.resolve(void closed.push(id)),
    }),
});

async function begin(limits: Partial<LimitSettings> = {}): Promise<Session> {
  const settings = {
    of: () => ({ limits, approvals: [] }) as unknown as SettingsValues,
    problems: () => [],
    watch: () => () => {},
  } satisfies Settings;
  store = new MemoryStore();
  const world = testWorld(store);
  const after: World['clock']['after'] = (milliseconds, run) => clock.after(milliseconds, run);
  host = await Host.start({ ...world, clock: { ...world.clock, after }, settings }, [
    agent('one'),
    agent('two'),
  ]);
  const session = host.create({ roots: ['/w'], id: 's' }, testClient);
  if (isRejection(session)) throw new Error(session.message);
  await session.settled();
  return session;
}

function send(session: Session, text: string): void {
  const message = { id: `m-${text}`, text };
  session.dispatch({ kind: 'startTurn', chat: 's', turn: `t-${text}`, message }, testClient);
}

/** A turn that was stopped, read by somebody, whose agent goes on. */
async function stopped(session: Session): Promise<void> {
  send(session, 'hang');
  await until(session, ({ chats }) => (chats['s']?.active?.items.length ?? 0) > 0);
  session.dispatch({ kind: 'stopTurn', chat: 's', next: 'n' }, testClient);
  session.dispatch({ kind: 'changeSession', changes: { read: true } }, testClient);
  session.dispatch({ kind: 'changeChat', chat: 's', read: true }, testClient);
  await session.settled();
}

const said = (session: Session) => session.state.chats['s']?.stopping ?? null;
const outcomes = (session: Session) => session.state.chats['s']?.turns.map(({ outcome }) => outcome.kind);
const waits = 'Waiting up to 15 seconds for ONE to stop; then it is ended.';

test('it is waited for in words after a second, until it has stopped; its turn stays stopped and read', async () => {
  const session = await begin();
  await stopped(session);
  const { modifiedAt } = session.state;
  clock.advance(999);
  await session.settled();
  expect(said(session)).toBe(null);
  clock.advance(1);
  await until(session, () => said(session) === waits);
  release();
  await until(session, () => said(session) === null);
  expect(outcomes(session)).toEqual(['cancelled']);
  expect(session.state).toMatchObject({
    read: true,
    modifiedAt,
    chats: { s: { read: true, active: undefined } },
  });
});

test('an agent that stops at once is not mentioned', async () => {
  const session = await begin();
  await stopped(session);
  const { seq } = session.state;
  release();
  send(session, 'next');
  await until(session, () => outcomes(session)?.length === 2);
  clock.advance(60_000);
  const kinds: string[] = [];
  for await (const { event, seq: at } of session.entries()) if (at > seq) kinds.push(event.kind);
  expect(kinds).not.toContain('chat.changed');
});

test('one that never stops loses its conversation, and the wait is over', async () => {
  const session = await begin();
  await stopped(session);
  clock.advance(1_000);
  await until(session, () => said(session) === waits);
  clock.advance(14_000);
  await until(session, () => said(session) === null);
  expect([closed, outcomes(session)]).toEqual([['one'], ['cancelled']]);
});

test('a message waits for it in its own turn and then runs, also one that steers meanwhile', async () => {
  const session = await begin();
  await stopped(session);
  clock.advance(1_000);
  await until(session, () => said(session) === waits);
  send(session, 'next');
  const message = { id: 'later', text: 'later' };
  session.dispatch({ kind: 'queueMessage', lane: 'steer', chat: 's', turn: 'q', message }, testClient);
  await session.settled();
  expect(session.state.chats['s']).toMatchObject({
    stopping: waits,
    active: { items: [] },
    steering: [message],
  });
  release();
  await until(session, () => outcomes(session)?.length === 3);
  expect(session.state.chats['s']?.turns.map((turn) => turn.message.text)).toEqual(['hang', 'next', 'later']);
  expect([outcomes(session), said(session)]).toEqual([['cancelled', 'completed', 'completed'], null]);
});

test('another agent may be chosen meanwhile: the old one is still the one that is waited for', async () => {
  const session = await begin();
  await stopped(session);
  session.dispatch({ kind: 'changeSession', changes: { agent: 'two' } }, testClient);
  clock.advance(1_000);
  await until(session, () => said(session) === waits);
  send(session, 'next');
  release();
  await until(session, () => outcomes(session)?.length === 2);
  expect([said(session), closed]).toEqual([null, ['one']]);
  expect(session.state.chats['s']?.turns.at(-1)?.items).toContainEqual(
    expect.objectContaining({ type: 'text', text: 'two' }),
  );
});

test('a budget that is used up meanwhile changes nothing about it', async () => {
  const limits = { steps: 9, session: { tokens: 1_000 } };
  const session = await begin(limits);
  await stopped(session);
  limits.session.tokens = 100;
  clock.advance(1_000);
  await until(session, () => said(session) === waits);
  release();
  await until(session, () => said(session) === null);
  expect(outcomes(session)).toEqual(['cancelled']);
});

test.each(['begin', 'end'] as const)(
  'the %s of the wait is said later if it could not be stored',
  async (part) => {
    const session = await begin();
    await stopped(session);
    if (part === 'end') clock.advance(1_000);
    await until(session, () => part === 'begin' || said(session) === waits);
    store.broken = new Error('The disk is full.');
    const lost = new Promise((resolve) => void session.onLoss(resolve));
    if (part === 'end') release();
    else clock.advance(1_000);
    await lost;
    store.broken = undefined;
    clock.advance(500);
    await until(session, () => said(session) === (part === 'end' ? null : waits));
    expect(outcomes(session)).toEqual(['cancelled']);
  },
);

test('a host that ended meanwhile has stopped waiting', async () => {
  store = new MemoryStore();
  const first = await Host.start(testWorld(store), [agent('one')]);
  const session = first.create({ roots: ['/w'], id: 's' }, testClient);
  if (isRejection(session)) throw new Error(session.message);
  session.dispatch({ kind: 'changeChat', chat: 's', stopping: waits }, { kind: 'host' });
  await session.settled();
  await first.close();
  release = () => {};
  host = await Host.start(testWorld(store), [agent('one')]);
  const again = await host.open('s');
  if (isRejection(again)) throw new Error(again.message);
  await again.settled();
  expect(said(again)).toBe(null);
});
