// Turns that a full disk has cut off: the numbers of a client go on, and what it was shown stays as it is.
import { afterEach, expect, test } from 'vitest';
import { connect } from '../../../test/kit/ahp.ts';
import { rig, until } from '../../../test/kit/host.ts';
import type { Rig } from '../../../test/kit/host.ts';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';
import { eventually } from '../../../test/kit/patience.ts';
import type { Loose } from '../../../test/kit/wire.ts';
import type { Session } from '../../host/session/session.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

function start(session: Session): void {
  const message = { id: 'm', text: 'talk' };
  session.dispatch({ kind: 'startTurn', chat: session.id, turn: 't', message }, { kind: 'host' });
}

async function talking(on: Rig, id: string): Promise<Session> {
  const session = await on.create(id);
  start(session);
  await until(session, ({ chats }) => chats[id]?.active?.items.length === 1);
  return session;
}

/** Two sessions of which the first is the older one in the log, and a client that follows both. */
async function cutOff(versions: readonly string[]) {
  const store = new MemoryStore();
  const host = await rig(store);
  open.push(() => host.close());
  host.scripts.set('talk', (turn) => {
    turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: 'word' });
    return new Promise((resolve) => {
      turn.signal.addEventListener('abort', () => resolve({ kind: 'cancelled' }));
    });
  });
  const [old, young] = [await talking(host, 's1'), await talking(host, 's2')];
  const client = await connect(host.host, { versions });
  open.push(() => client.close());
  for (const channel of ['ahp-chat:/s1', 'ahp-chat:/s2', 'script:/s1']) await client.subscribe(channel);
  young.dispatch({ kind: 'changeSession', changes: { title: 'newer' } }, { kind: 'host' });
  await young.settled();
  store.broken = new Error('disk full');
  old.dispatch({ kind: 'changeSession', changes: { title: 'x' } }, { kind: 'host' });
  await expect(old.settled()).rejects.toThrow('disk full');
  await eventually(() => client.views.get('ahp-chat:/s1').activeTurn === undefined, 'the end of the turn');
  const shown: Loose = structuredClone(client.views.get('ahp-chat:/s1'));
  return { store, old, client, shown };
}

async function expectSame({ client, shown }: Awaited<ReturnType<typeof cutOff>>): Promise<void> {
  const { snapshot } = (await client.peer.request('subscribe', { channel: 'ahp-chat:/s1' })) as Loose;
  expect(snapshot.state.turns).toEqual(shown.turns);
  expect(client.views.get('ahp-chat:/s1')).toEqual(snapshot.state);
  expect(client.problems).toEqual([]);
}

test.each(['1.0.0', '0.9.0'])('what a full disk cuts off ends under a new number (%s)', async (version) => {
  const cut = await cutOff([version]);
  expect(cut.client.problems).toEqual([]);
  cut.store.broken = undefined;
  await until(cut.old, ({ chats }) => chats['s1']?.turns.length === 1);
  await expectSame(cut);
});

test('the end that was shown is kept, whatever ends the turn in the log and why it failed again', async () => {
  const cut = await cutOff(['1.0.0']);
  cut.store.broken = new Error('read-only');
  cut.old.dispatch({ kind: 'changeSession', changes: { title: 'y' } }, { kind: 'host' });
  await expect(cut.old.settled()).rejects.toThrow('read-only');
  cut.store.broken = undefined;
  cut.old.dispatch({ kind: 'stopTurn', chat: 's1', turn: 't', next: 'n' }, { kind: 'host' });
  await until(cut.old, ({ chats }) => chats['s1']?.turns.length === 1);
  await expectSame(cut);
});
