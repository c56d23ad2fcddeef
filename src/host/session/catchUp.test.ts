import { expect, test } from 'vitest';
import { rig, testClient } from '../../../test/kit/host.ts';
import { CatchUp } from './catchUp.ts';
import type { Session } from './session.ts';

/** A subscriber of two sessions that does not accept anything yet. */
async function slowSubscriber() {
  const { create, close } = await rig();
  const [a, b] = [await create('a'), await create('b')];
  let followed = [a, b].map((session) => ({ session, at: session.state }));
  const got: string[] = [];
  let isOpen = false;
  const catchUp = new CatchUp<(typeof followed)[number]>({
    followed: () => followed,
    ready: () => isOpen,
    live: () => void got.push('live'),
    deliver: (missed) => {
      for (const { subscriber, step } of missed) {
        subscriber.at = step.after;
        got.push(`${subscriber.session.id} ${step.after.title}`);
      }
    },
  });
  const rename = async (session: Session, title: string) => {
    session.dispatch({ kind: 'changeSession', changes: { title } }, testClient);
    await session.settled();
  };
  return {
    a,
    b,
    got,
    catchUp,
    rename,
    close,
    open: () => {
      isOpen = true;
    },
    leave: (session: Session) => {
      followed = followed.filter((each) => each.session !== session);
    },
  };
}

test('what was missed in several sessions comes in the order in which it was stored', async () => {
  const { a, b, got, catchUp, rename, open, close } = await slowSubscriber();
  expect([catchUp.accepts(), catchUp.isLive]).toEqual([false, false]);
  await rename(b, '1');
  await rename(a, '2');
  await rename(b, '3');
  await catchUp.resume();
  expect(got).toEqual([]);
  open();
  const caughtUp = catchUp.caughtUp();
  await catchUp.resume();
  await caughtUp;
  expect(got).toEqual(['b 1', 'a 2', 'b 3', 'live']);
  expect([catchUp.accepts(), catchUp.isLive]).toEqual([true, true]);
  await close();
});

test('a session that is left while its log is read is not heard of', async () => {
  const { a, b, got, catchUp, rename, open, leave, close } = await slowSubscriber();
  catchUp.accepts();
  await rename(a, '1');
  await rename(b, '2');
  open();
  const read = catchUp.resume();
  leave(a);
  await read;
  expect(got).toEqual(['b 2', 'live']);
  await close();
});
