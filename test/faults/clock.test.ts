// A clock that jumps under the real host, by hours and days in both directions: the order is that of the log,
// nothing is lost or repeated, and no wait depends on the time of day.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { withIdleTimeout } from '../../src/agents/native/models/wires/shared/idleTimeout.ts';
import { ahpClient } from '../kit/clients.ts';
import type { AhpClient } from '../kit/clients.ts';
import { manualClock } from '../kit/manualClock.ts';
import { newHome } from '../kit/parley.ts';
import type { Loose } from '../kit/wire.ts';

const home = newHome();
afterAll(() => home.dispose());

const hour = 3_600_000;
const day = 24 * hour;
const session = 'ahp-session:/clock';

/** Loaded before the program: its clock is off by what a file says, from one moment to the next. */
const preload = `
  const { readFileSync } = require('node:fs');
  const Real = Date;
  const off = () => Number(readFileSync(process.env.CLOCK_FILE, 'utf8'));
  globalThis.Date = class extends Real {
    constructor(...given) { if (given.length > 0) super(...given); else super(Real.now() + off()); }
    static now() { return Real.now() + off(); }
  };
`;

function jump(milliseconds: number): void {
  writeFileSync(join(home.dir, 'offset'), String(milliseconds));
}

const textsOf = (state: Loose): string[] => state.turns.map((turn: Loose) => turn.message.text);

async function say(ahp: AhpClient, chat: string, text: string): Promise<void> {
  const before = ahp.states.get(chat).turns.length as number;
  ahp.dispatch(chat, {
    type: 'chat/turnStarted',
    turnId: `turn-${text}`,
    startedAt: new Date(0).toISOString(),
    message: { text, origin: { kind: 'user' } },
  });
  await ahp.until(chat, (state) => state.turns.length === before + 1);
}

test('turns stay in order, numbers grow, and a restart in another time zone shows the same', async () => {
  const file = join(home.dir, 'clock.cjs');
  writeFileSync(file, preload);
  Object.assign(home.env, { NODE_OPTIONS: `--require ${file}`, CLOCK_FILE: join(home.dir, 'offset') });
  jump(0);
  let host = await home.serve();
  const ahp = await ahpClient(host);
  await ahp.request('createSession', { channel: session, workingDirectories: [`file://${home.workspace}`] });
  const { defaultChat: chat } = await ahp.subscribe(session);
  await ahp.subscribe(chat);
  const offsets = [0, hour, -hour, day, -day, 30 * day, -400 * day, 0];
  const said = offsets.map((offset, at) => `say ${at} at ${offset / hour} hours`);
  for (const [at, offset] of offsets.entries()) {
    jump(offset);
    await say(ahp, chat, said[at] ?? '');
  }
  const shown = ahp.states.get(chat);
  expect(textsOf(shown)).toEqual(said);
  expect(ahp.seqs).toEqual([...new Set(ahp.seqs)].toSorted((a, b) => a - b));
  jump(-2 * day);
  const listed = (await home.run('sessions', 'list').done).out;
  expect(listed).toContain('say 0');
  // No age is negative. The path of the folder may have such characters.
  expect(listed).not.toMatch(/\s-\d/);
  await ahp.close();
  await host.kill();

  Object.assign(home.env, { TZ: 'Pacific/Kiritimati' });
  host = await home.serve();
  const later = await ahpClient(host);
  expect(textsOf(await later.subscribe(chat))).toEqual(said);
  await say(later, chat, 'say once more');
  expect(textsOf(later.states.get(chat))).toEqual([...said, 'say once more']);
  expect((await home.doctor()).out).not.toMatch(/damaged/i);
  await later.close();
});

test.each([
  ['back', -day],
  ['forth', day],
])('a stream that is silent is given up in the same time when the clock goes %s', (_, jumped) => {
  const clock = manualClock();
  let off = 0;
  const jumping = { ...clock, now: () => clock.now() + off };
  const silent = withIdleTimeout({
    fetch: () => Promise.reject(new Error('nobody asks')),
    clock: jumping,
    idle: 60_000,
    signal: new AbortController().signal,
  });
  clock.advance(30_000);
  silent.hear();
  off = jumped;
  clock.advance(59_999);
  expect(silent.signal.aborted).toBe(false);
  clock.advance(1);
  expect(silent.signal.aborted).toBe(true);
  silent.end();
});
