import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reduce } from '../../model/reduce.ts';
import { emptyState } from '../../model/state.ts';
import type { Entry } from '../../model/event.ts';
import { rig, testClient, until } from '../../../test/kit/host.ts';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';
import { shareLive } from './live.ts';
import { leaseLost } from './logStore.ts';
import type { Sink } from './live.ts';

/** A client that says when it can take more. */
function slowSink() {
  const got: Entry[] = [];
  let open = true;
  let resume: (() => void) | undefined;
  const sink: Sink<Entry> = {
    deliver: (entries) => void got.push(...entries),
    ready: () => open,
    whenReady: (again) => {
      resume = again;
    },
  };
  return {
    sink,
    got,
    close: () => {
      open = false;
    },
    open: () => {
      open = true;
      const again = resume;
      resume = undefined;
      again?.();
    },
  };
}

const settle = async () => {
  for (let i = 0; i < 20; i += 1)
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
};

test('a client that stalls at any moment ends where the host is, with fewer messages, and holds nobody up', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('say', 'close', 'open', 'wait'), { maxLength: 40, size: 'max' }),
      async (moves) => {
        const { create, close } = await rig();
        const session = await create('s');
        const liveOf = shareLive<Entry>(({ entry }) => [entry]);
        const start = session.state;
        const [slow, fast] = [slowSink(), slowSink()];
        liveOf(session).attach(slow.sink);
        liveOf(session).attach(fast.sink);
        session.dispatch(
          { kind: 'startTurn', chat: 's', turn: 't', message: { id: 'm', text: 'hang' } },
          testClient,
        );
        for (const move of moves) {
          if (move === 'say')
            session.dispatch(
              {
                kind: 'report',
                chat: 's',
                turn: 't',
                report: { kind: 'text.added', item: 'i', channel: 'answer', text: 'x' },
              },
              testClient,
            );
          else if (move === 'wait') await session.settled();
          else slow[move]();
        }
        await session.settled();
        expect(fast.got.reduce(reduce, start)).toEqual(session.state);
        slow.open();
        await settle();
        expect(slow.got.reduce(reduce, start)).toEqual(session.state);
        expect(slow.got.length).toBeLessThanOrEqual(fast.got.length);
        await close();
      },
    ),
    { numRuns: 100 },
  );
});

test('a client that left hears nothing more, and the last one to leave ends the following', async () => {
  const { create, close } = await rig();
  const session = await create('s');
  const { sink, got } = slowSink();
  const leave = shareLive<Entry>(({ entry }) => [entry])(session).attach(sink);
  expect(session.isWatched).toBe(true);
  leave();
  expect(session.isWatched).toBe(false);
  session.dispatch({ kind: 'changeSession', changes: { title: 'x' } }, testClient);
  await session.settled();
  expect(got).toEqual([]);
  expect(emptyState('s').seq).toBe(0);
  await close();
});

test('whoever comes while nothing can be stored is told once that the turn was cut off', async () => {
  const store = new MemoryStore();
  const { scripts, create, close } = await rig(store);
  scripts.set('talk', (turn) => {
    turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: 'word' });
    return new Promise((resolve) => {
      turn.signal.addEventListener('abort', () => resolve({ kind: 'cancelled' }));
    });
  });
  const session = await create('s');
  const liveOf = shareLive<Entry>(({ entry }) => [entry]);
  const ends = ({ got }: ReturnType<typeof slowSink>) =>
    got.filter(({ event }) => event.kind === 'turn.ended').length;
  const first = slowSink();
  liveOf(session).attach(first.sink);
  session.dispatch(
    { kind: 'startTurn', chat: 's', turn: 't', message: { id: 'm', text: 'talk' } },
    testClient,
  );
  await until(session, () => session.state.chats['s']?.active?.items.length === 1);
  store.broken = new Error('disk full');
  session.dispatch({ kind: 'changeSession', changes: { title: 'x' } }, testClient);
  await expect(session.settled()).rejects.toThrow('disk full');
  expect(ends(first)).toBe(1);

  const late = slowSink();
  liveOf(session).attach(late.sink);
  await expect.poll(() => ends(late)).toBe(1);
  session.dispatch({ kind: 'changeSession', changes: { title: 'y' } }, testClient);
  await expect(session.settled()).rejects.toThrow('disk full');
  expect([ends(first), ends(late)]).toEqual([1, 1]);
  const message = { id: 'n', text: 'talk' };
  const next = { kind: 'queueMessage', chat: 's', turn: 'u', lane: 'queue', message } as const;
  expect(session.dispatch(next, testClient)).toMatchObject({
    message: expect.stringContaining('disk full') as string,
  });
  store.broken = undefined;
  await until(session, () => session.state.chats['s']?.turns.length === 1);
  expect([ends(first), ends(late)]).toEqual([1, 1]);
  await close();
});

test('a session that another host has taken over shows no end of its turns here', async () => {
  const store = new MemoryStore();
  const { scripts, create, close } = await rig(store);
  scripts.set(
    'talk',
    ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ kind: 'cancelled' }));
      }),
  );
  const session = await create('s');
  const { sink, got } = slowSink();
  shareLive<Entry>(({ entry }) => [entry])(session).attach(sink);
  const message = { id: 'm', text: 'talk' };
  session.dispatch({ kind: 'startTurn', chat: 's', turn: 't', message }, testClient);
  await until(session, () => got.some(({ event }) => event.kind === 'turn.started'));
  store.broken = Object.assign(new Error('taken over'), { code: leaseLost });
  session.dispatch({ kind: 'changeSession', changes: { title: 'x' } }, testClient);
  await expect(session.settled()).rejects.toThrow('taken over');
  expect(got.map(({ event }) => event.kind)).not.toContain('turn.ended');
  store.broken = undefined;
  await close();
});
