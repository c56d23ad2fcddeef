// The power fails at any moment of the real program's work: what was acknowledged is on the disk, and of
// what was only shown at most the words since the beginning of the last sync are missing. Needs strace.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { openStore } from '../../src/io/store/sqlite/open.ts';
import { reduce } from '../../src/model/reduce.ts';
import { emptyState } from '../../src/model/state.ts';
import type { State, Turn } from '../../src/model/state.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import { inTime } from '../kit/patience.ts';
import type { Loose } from '../kit/wire.ts';
import { canTrace, TracedDisk, tracing } from './powerCut.ts';
import { random } from './shownIsKept.ts';

/** What a client was told of a session, and when. */
interface Told {
  readonly session: string;
  readonly at: number;
  readonly what: 'created' | 'text' | 'tool' | 'ended';
  readonly text?: string;
}

interface Recording {
  readonly disk: TracedDisk;
  readonly told: readonly Told[];
  /** The errors that the client got instead of answers. */
  readonly refused: readonly string[];
  /** When the program had ended. */
  readonly end: number;
}

/** `Date.now()` cuts a part of a millisecond off: nothing was told later than this. */
const now = () => Date.now() + 1;

/** Words in a steady flow, tools, and so many pieces that SQLite moves its write-ahead log meanwhile. */
const turns = [
  [
    'say One two three.',
    'pause 20',
    'stream 20',
    'pause 25',
    'stream 1',
    'pause 9',
    'stream 3',
    'pause 40',
    'say Four.',
  ],
  ['say I look.', 'tool read_file {"path":"a.txt"}', 'say I look again.', 'tool read_file {"path":"a.txt"}'],
  Array.from({ length: 30 }, (_, n) => [`say Word ${n}.`, 'pause 12']).flat(),
  Array.from({ length: 300 }, (_, n) => [`say ${n}`, 'pause 3']).flat(),
];

test.runIf(canTrace()).each([
  { title: 'a disk that works', cuts: 40 },
  { title: 'a disk whose syncs take 10 ms', cuts: 20, inject: ['fdatasync:delay_enter=10000'] },
  { title: 'a disk that fails every fourth sync', cuts: 30, inject: ['fdatasync:error=EIO:when=3+4'] },
  {
    title: 'a disk that fails for a while',
    cuts: 30,
    // A new log needs three calls of fsync in one thread; the ones after that are of the recovery.
    inject: ['fdatasync:error=EIO:when=12..14', 'fsync:error=EIO:when=4..6'],
  },
])('on $title a loss of power costs nothing that was acknowledged', { timeout: 240_000 }, async (on) => {
  const home = newHome();
  try {
    const recording = await record(home, on.inject);
    expect(recording.refused.length === 0 || on.title.includes('for a while'), recording.refused.join()).toBe(
      true,
    );
    expect(recording.disk.failures > 0).toBe(on.title.includes('fails'));
    expect(recording.disk.waits('log.db-running/pieces').length).toBeGreaterThan(100);
    const next = random(Number(process.env['PARLEY_SEED'] ?? 20_261_116));
    const [first, last] = [recording.told.at(0)?.at ?? 0, recording.told.at(-1)?.at ?? 0];
    let lost = 0;
    for (let cut = 0; cut < on.cuts; cut += 1) {
      const moment = cut % 4 === 3 ? recording.end : first + next() * (last + 100 - first);
      lost = Math.max(lost, await afterCut(recording, moment, next));
    }
    process.stdout.write(
      `${on.title}, ${recording.disk.failures} syncs and ${recording.refused.length} requests failed: the ` +
        `oldest lost word was shown ${lost} ms before the cut; ${waited(recording)}\n`,
    );
  } finally {
    await home.dispose();
  }
});

async function record(home: Home, inject: readonly string[] | undefined): Promise<Recording> {
  writeFileSync(join(home.workspace, 'a.txt'), 'One line.\n');
  const trace = join(home.dir, 'trace');
  const program = [process.execPath, home.program, 'acp', '--standalone'];
  const child = spawn('strace', [...tracing(trace, inject), ...program], {
    env: home.env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  const ended = exited.then(() => Promise.reject(new Error('The program ended before its time.')));
  ended.catch(() => {});
  const told: Told[] = [];
  const refused: string[] = [];
  const waiting = new Map<number, (answer: Loose) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, method, params, result, error }: Loose = JSON.parse(line);
    if (error) refused.push(error.message);
    if (method === undefined) waiting.get(id)?.(result);
    const { sessionUpdate, content, status } = params?.update ?? {};
    // That something could not be stored is told, too, and is not stored.
    if (sessionUpdate === 'agent_message_chunk' && !content.text.startsWith('The turn failed:'))
      told.push({ session: params.sessionId, at: now(), what: 'text', text: content.text });
    if (sessionUpdate === 'tool_call_update' && status === 'completed')
      told.push({ session: params.sessionId, at: now(), what: 'tool' });
  });
  const ask = (method: string, params: object): Promise<Loose> => {
    const id = waiting.size + 1;
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const answer = new Promise<Loose>((resolve) => waiting.set(id, resolve));
    return inTime(Promise.race([answer, ended]), () => `the answer to ${method}`);
  };
  await ask('initialize', { protocolVersion: 1, clientCapabilities: {} });
  await Promise.all(
    [turns, turns.toReversed()].map(async (order) => {
      const create = () => ask('session/new', { cwd: home.workspace, mcpServers: [] });
      // Refused while the disk fails, which ends after a few calls.
      const made = (await create()) ?? (await create()) ?? (await create());
      const session = String(made.sessionId);
      told.push({ session, at: now(), what: 'created' });
      for (const turn of order) {
        const answer = await ask('session/prompt', {
          sessionId: session,
          prompt: [{ type: 'text', text: turn.join('\n') }],
        });
        if (answer?.stopReason === 'end_turn') told.push({ session, at: now(), what: 'ended' });
      }
    }),
  );
  child.stdin.end();
  await inTime(exited, () => 'the end of the program');
  const end = now();
  const disk = await TracedDisk.read(trace, String(home.env['PARLEY_HOME']));
  rmSync(trace);
  return { disk, told, refused, end };
}

/** Checks what is left by a loss of power. Returns how long before it the oldest lost word was shown. */
async function afterCut({ disk, told }: Recording, moment: number, next: () => number): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'parley-power-'));
  try {
    disk.writeImage(moment, directory, next);
    const problems: string[] = [];
    const store = await openStore({ directory, report: (problem) => problems.push(String(problem)) });
    let lost = 0;
    for (const session of new Set(told.map((each) => each.session))) {
      let state = emptyState(session);
      for await (const entry of store.read(session)) state = reduce(state, entry);
      const mine = told.filter((each) => each.session === session && each.at < moment);
      lost = Math.max(lost, moment - expectKept(state, mine, synced(disk, moment)));
    }
    expect([problems, await store.verify()]).toEqual([[], []]);
    await store.close();
    return Math.round(lost);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The beginning of the last sync of the pieces of answers that ended before a moment. */
function synced(disk: TracedDisk, moment: number): number {
  return Math.max(
    0,
    ...disk
      .syncs('log.db-running/pieces')
      .filter(({ until }) => until <= moment)
      .map(({ at }) => at),
  );
}

/** Returns when the first word was shown that is lost. */
function expectKept(state: State, told: readonly Told[], sure: number): number {
  const all: readonly Turn[] = Object.values(state.chats).flatMap((chat) => [
    ...chat.turns,
    ...(chat.active ? [chat.active] : []),
  ]);
  const count = (what: Told['what']) => told.filter((each) => each.what === what).length;
  const items = all.flatMap((turn) => turn.items);
  const completed = Object.values(state.chats)
    .flatMap((chat) => chat.turns)
    .filter(({ outcome }) => outcome.kind === 'completed');
  const tools = items.filter((item) => item.type === 'tool' && item.status === 'ended');
  if (count('created') > 0) expect(state.seq).toBeGreaterThan(0);
  expect(completed.length).toBeGreaterThanOrEqual(count('ended'));
  expect(tools.length).toBeGreaterThanOrEqual(count('tool'));
  const text = items
    .map((item) => (item.type === 'text' && item.channel === 'answer' ? item.text : ''))
    .join('');
  let length = 0;
  for (const each of told) {
    if (each.what === 'ended') expect(text.length).toBeGreaterThanOrEqual(length);
    if (each.text === undefined) continue;
    if (!text.startsWith(each.text, length)) {
      expect(each.at).toBeGreaterThan(sure);
      return each.at;
    }
    length += each.text.length;
  }
  return Number.POSITIVE_INFINITY;
}

/** How long writes waited until they were on the disk. */
function waited({ disk }: Recording): string {
  const waits = disk.waits('log.db-running/pieces');
  const at = (part: number) => (waits[Math.floor((waits.length - 1) * part)] ?? 0).toFixed(1);
  return `${waits.length} writes were on the disk after ${at(0.5)} ms (median), ${at(1)} ms (longest)`;
}
