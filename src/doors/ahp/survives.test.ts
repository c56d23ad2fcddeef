// What clients left in a session is there on a new host: drafts, the queue, marks, chats, and the question
// that nobody had answered.
import { expect, test } from 'vitest';
import { attach } from '../../../test/kit/ahp.ts';
import { ahpRig, checkAgrees, turnStarted } from '../../../test/kit/ahpRig.ts';
import { rig } from '../../../test/kit/host.ts';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';
import type { Loose } from '../../../test/kit/wire.ts';
import type { TurnContext } from '../../host/agent.ts';

const { host, inSession, open } = ahpRig();
const [session, chat] = ['script:/s1', 'ahp-chat:/s1'];

async function ask(turn: Pick<TurnContext, 'ask'>): Promise<void> {
  await turn.ask({
    kind: 'question',
    message: 'Which one?',
    questions: [{ id: 'q', message: 'Which one?', required: true, answer: { type: 'text' } }],
  });
}

test('drafts, the queue, marks and an open question survive a host that dies, and a client that comes back cannot tell', async () => {
  const store = new MemoryStore();
  const first = await rig(store);
  first.scripts.set('ask', ask);
  const one = await inSession(first);
  const say = (text: string) => ({ text, origin: { kind: 'user' } });
  const actions: readonly (readonly [string, Loose])[] = [
    [chat, turnStarted('t1', 'ask')],
    [chat, { type: 'chat/pendingMessageSet', kind: 'queued', id: 'q1', message: say('first') }],
    [chat, { type: 'chat/pendingMessageSet', kind: 'queued', id: 'q2', message: say('second') }],
    [chat, { type: 'chat/draftChanged', draft: say('half a thou') }],
    [session, { type: 'session/isReadChanged', isRead: false }],
    [session, { type: 'session/isArchivedChanged', isArchived: true }],
    [session, { type: 'session/titleChanged', title: 'Kept' }],
  ];
  for (const [channel, action] of actions)
    expect((await one.echo(one.dispatch(channel, action))).params.rejectionReason).toBeUndefined();
  await one.wait(() =>
    one.views.get(chat).activeTurn?.responseParts.some(({ kind }: Loose) => kind === 'inputRequest'),
  );
  const { request } = one.views.get(chat).activeTurn.responseParts[0];
  const answer = { state: 'draft', value: { kind: 'text', value: 'the le' } };
  await one.echo(
    one.dispatch(chat, { type: 'chat/inputAnswerChanged', requestId: request.id, questionId: 'q', answer }),
  );
  await one.close();

  const copy = new MemoryStore();
  for (const id of ['$host', 's1'])
    copy.write({
      entries: [...store.read(id)].map((entry) => ({ session: id, entry })),
      summaries: [],
      sync: 'disk',
    });
  copy.write({ entries: [], summaries: store.summaries(), sync: 'disk' });
  const second = await host(copy);
  second.scripts.set('ask', ask);
  for (const text of ['first', 'second']) second.scripts.set(text, () => Promise.resolve());
  const back = attach(second.host, {}, one);
  open.push(() => back.close());
  const result = await back.request('reconnect', {
    clientId: 'client-1',
    lastSeenServerSeq: one.lastSeen(),
    subscriptions: ['ahp-root://', session, chat],
  });
  expect(result).toMatchObject({ type: 'replay', missing: [] });
  expect(result.actions.every(({ serverSeq }: Loose) => serverSeq > one.lastSeen())).toBe(true);
  const view = back.views.get(chat);
  expect(view).toMatchObject({
    draft: say('half a thou'),
    queuedMessages: [{ id: 'q1' }, { id: 'q2' }],
    turns: [],
    activeTurn: {
      id: 't1',
      responseParts: [{ kind: 'inputRequest', request: { id: request.id, answers: { q: answer } } }],
    },
  });
  expect(back.views.get(session)).toMatchObject({ title: 'Kept' });
  expect(back.views.get(session).status & (32 | 64)).toBe(64);
  await checkAgrees(back, session, chat);

  // The answer reaches the agent of the new host, and the queue goes on behind it.
  await back.echo(
    back.dispatch(chat, {
      type: 'chat/inputCompleted',
      requestId: request.id,
      response: 'accept',
      answers: { q: { state: 'submitted', value: { kind: 'text', value: 'the left' } } },
    }),
  );
  await back.wait(() => back.views.get(chat).turns.length === 3);
  await checkAgrees(back, session, chat);
});
