// An agent that sends more than the store takes: a real program, and a store that takes nothing for a while.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answerOf, chatOf, ended, send } from '../../../../test/kit/agentRig.ts';
import { start } from '../../../../test/kit/agentStart.ts';
import { until } from '../../../../test/kit/host.ts';
import { pause, untilGone } from '../../../../test/kit/living.ts';
import { manualClock } from '../../../../test/kit/manualClock.ts';
import { MemoryStore } from '../../../../test/kit/memoryStore.ts';
import { eventually } from '../../../../test/kit/patience.ts';
import type { Batch } from '../../../host/session/logStore.ts';
import { QuietTimer } from './quietTimer.ts';
import { ReadingPace } from './readingPace.ts';

test('an agent that floods is read no further than the store is behind, and loses no word', async () => {
  const { rig, session, store } = await startSlow();
  const call = `call fs/read_text_file ${JSON.stringify({ path: join(rig.place.root, 'a.txt') })}`;
  const turn = send(session, `say on\nflood 12000\n${call}\nsay done`);
  await until(session, () => answerOf(chatOf(session).active ?? { items: [] }) !== '');
  store.stop();
  await eventually(() => rig.host.storage.waiting.entries >= 4_096, 'entries that wait');
  await pause(200);
  expect(rig.host.storage.waiting.entries).toBeLessThan(5_000);
  store.goOn();
  const { outcome, items } = await ended(session, turn);
  expect(outcome).toEqual({ kind: 'completed' });
  expect(answerOf({ items }).replace(/xx+/, ({ length }) => `${length}\n`)).toBe(
    'on\n12000000\n{"content":"one\\ntwo\\n"}\ndone\n',
  );
});

test('an agent that is killed while it waits fails its turn, with what it had sent', async () => {
  const { rig, session, store } = await startSlow();
  const turn = send(session, 'process\nflood 12000');
  const said = () => answerOf(chatOf(session).active ?? { items: [] });
  await until(session, () => said().includes('pid'));
  const pid = Number(/pid (\d+)/.exec(said())?.[1]);
  store.stop();
  await eventually(() => rig.host.storage.waiting.entries >= 4_096, 'entries that wait');
  process.kill(pid, 'SIGKILL');
  await untilGone(pid);
  await eventually(() => session.head.chats[session.id]?.active === undefined, 'the end');
  store.goOn();
  const { outcome, items } = await ended(session, turn);
  expect(outcome).toMatchObject({ kind: 'failed', problem: { code: 'agent-crashed' } });
  expect(answerOf({ items }).length).toBeGreaterThan(4_096_000);
});

test('reading waits for room, and goes on at once where an answer is urgent', async () => {
  const done: string[] = [];
  let give = () => {};
  let room: Promise<void> | undefined;
  const pace = new ReadingPace(
    { pause: () => done.push('pause'), resume: () => done.push('resume') },
    () => room,
  );
  pace.took();
  room = new Promise((resolve) => (give = resolve));
  pace.took();
  pace.took();
  expect([pace.isHeld, done]).toEqual([true, ['pause']]);
  const calm = pace.hurry();
  pace.took();
  expect([pace.isHeld, done]).toEqual([false, ['pause', 'resume']]);
  calm();
  pace.took();
  expect([pace.isHeld, done]).toEqual([true, ['pause', 'resume', 'pause']]);
  give();
  await room;
  room = undefined;
  await pause(0);
  expect([pace.isHeld, done.length]).toEqual([false, 4]);
});

test('an agent that cannot be heard is not silent', () => {
  const clock = manualClock();
  const pace = { isHeld: true };
  let silences = 0;
  const timer = new QuietTimer({ clock, milliseconds: 100, pace }, () => (silences += 1));
  clock.advance(1_000);
  expect(silences).toBe(0);
  pace.isHeld = false;
  clock.advance(100);
  timer.end();
  expect(silences).toBe(1);
});

async function startSlow() {
  const store = slowStore();
  return { ...(await start({ store })), store };
}

function slowStore() {
  const store = new MemoryStore();
  const write = store.write.bind(store);
  let stopped: Promise<void> | undefined;
  let free = () => {};
  return Object.assign(store, {
    write: (batch: Batch) => (stopped ? stopped.then(() => write(batch)) : write(batch)),
    stop(): void {
      stopped = new Promise((resolve) => (free = resolve));
    },
    goOn(): void {
      stopped = undefined;
      free();
    },
  });
}
