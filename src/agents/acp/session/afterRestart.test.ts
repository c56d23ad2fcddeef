// A question of an external agent is open when the host ends: it is open again in the next host, and the
// agent, which is started anew, works with the answer.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { agentRig, answerOf, chatOf, ended, send } from '../../../../test/kit/agentRig.ts';
import type { AgentRig, RigOptions } from '../../../../test/kit/agentRig.ts';
import { testClient, until } from '../../../../test/kit/host.ts';
import { MemoryStore } from '../../../../test/kit/memoryStore.ts';
import { disposeReference } from '../../../../test/kit/reference/program.ts';
import { workspace } from '../../../../test/kit/workspace.ts';
import type { Workspace } from '../../../../test/kit/workspace.ts';
import type { Session } from '../../../host/session/session.ts';
import type { Answer } from '../../../model/event.ts';
import type { EndedTurn, ToolItem } from '../../../model/state.ts';

const rigs: AgentRig[] = [];
const places: Workspace[] = [];
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close();
  for (const place of places.splice(0)) place.close();
});
afterAll(disposeReference);

const isAsking = (session: Session) => Object.keys(chatOf(session).asks).length === 1;
const calls = ({ items }: EndedTurn) => items.filter((item): item is ToolItem => item.type === 'tool');

/** The session in a second host, after the first one died or was stopped while the agent asked. */
async function restarted(
  text: string,
  { how = 'dies', ...options }: RigOptions & { readonly how?: 'dies' | 'stops' } = {},
): Promise<{ readonly session: Session; readonly turn: string; readonly place: Workspace }> {
  const place = workspace({ 'a.txt': 'one\n' });
  places.push(place);
  const first = await agentRig({ ...options, place });
  const session = await first.create('s');
  const turn = send(session, text);
  await until(session, () => isAsking(session));
  const died = copyOf(first.store);
  await first.close();
  const rig = await agentRig({ ...options, place, store: how === 'dies' ? died : first.store });
  rigs.push(rig);
  const again = await rig.host.open('s');
  if (!again || 'rejected' in again) throw new Error('The session is lost.');
  expect(chatOf(again)).toMatchObject({ active: { id: turn }, turns: [] });
  expect(isAsking(again)).toBe(true);
  return { session: again, turn, place };
}

function copyOf(store: MemoryStore): MemoryStore {
  const copy = new MemoryStore();
  const entries = ['$host', 's'].flatMap((session) =>
    [...store.read(session)].map((entry) => ({ session, entry })),
  );
  copy.write({ entries, summaries: store.summaries(), sync: 'disk' });
  return copy;
}

/** Answers the question that is open now, and says how often the host asked in all. */
async function answer(session: Session, turn: string, given: Answer): Promise<[EndedTurn, number]> {
  let asked = 0;
  session.follow((steps) => {
    asked += steps.filter(({ entry }) => entry.event.kind === 'ask.opened').length;
  });
  const [open] = Object.values(chatOf(session).asks);
  session.dispatch({ kind: 'answer', chat: 's', ask: open?.ask.id ?? '', answer: given }, testClient);
  await session.settled();
  return [await ended(session, turn), asked];
}

const yes: Answer = { kind: 'option', option: 'yes' };
const no: Answer = { kind: 'option', option: 'no' };
const touch = 'say I will.\nshell touch new.txt\nsay It is over.';

test.each(['dies', 'stops'] as const)(
  'a call that is allowed runs once, after a host that %s',
  async (how) => {
    const { session, turn, place } = await restarted(touch, { how, switches: { can: ['resume'] } });
    expect(existsSync(join(place.root, 'new.txt'))).toBe(false);
    const [over, asked] = await answer(session, turn, yes);
    expect([over.outcome, asked]).toEqual([{ kind: 'completed' }, 0]);
    expect(existsSync(join(place.root, 'new.txt'))).toBe(true);
    expect(calls(over).slice(0, 2)).toMatchObject([
      { result: { status: 'failed', error: expect.stringContaining('Not run yet: Parley was restarted.') } },
      { basis: { how: 'rule', rule: 'answered before Parley was restarted' }, result: { status: 'done' } },
    ]);
  },
);

test('an agent that cannot continue its conversation gets the transcript and the answer', async () => {
  const { session, turn, place } = await restarted(touch);
  const [over, asked] = await answer(session, turn, yes);
  expect([over.outcome, asked]).toEqual([{ kind: 'completed' }, 0]);
  expect(existsSync(join(place.root, 'new.txt'))).toBe(true);
});

test('a call that is refused does not run', async () => {
  const { session, turn, place } = await restarted(touch, { switches: { can: ['load'] } });
  const [over, asked] = await answer(session, turn, no);
  expect([over.outcome, asked, answerOf(over)]).toEqual([
    { kind: 'completed' },
    0,
    expect.stringContaining('Then not.'),
  ]);
  expect(existsSync(join(place.root, 'new.txt'))).toBe(false);
});

test('the answer counts for the same call only, and once', async () => {
  const text = 'shell touch new.txt\nagain\nshell touch other.txt\nshell touch new.txt\nshell touch new.txt';
  const { session, turn, place } = await restarted(text, { switches: { can: ['resume'] } });
  const [over, asked] = await answer(session, turn, yes);
  expect([over.outcome, asked]).toEqual([{ kind: 'completed' }, 2]);
  expect(existsSync(join(place.root, 'other.txt'))).toBe(true);
});

test('the agent is told what was answered', async () => {
  const { session, turn } = await restarted('shell touch new.txt\nagain\nshow', {
    switches: { can: ['resume'] },
  });
  const [over] = await answer(session, turn, { ...no, reason: 'Not today.' });
  expect(answerOf(over)).toContain(
    'The user has refused this (Not today.), and it was not run: $ touch new.txt',
  );
});

test('a stop of the turn ends it; the agent is not started', async () => {
  const { session, turn } = await restarted(touch, { switches: { can: ['resume'] } });
  session.dispatch({ kind: 'stopTurn', chat: 's', next: 'next' }, testClient);
  await until(session, () => chatOf(session).turns.length === 1);
  expect(chatOf(session).turns[0]).toMatchObject({ id: turn, outcome: { kind: 'cancelled' } });
});
