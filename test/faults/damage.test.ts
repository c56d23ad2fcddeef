// Every kind of damage to a data directory: the host starts or says why it does not, what is left is shown
// with the gap marked, everybody else keeps everything, and work goes on.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gapText } from '../../src/host/session/damagedLog.ts';
import { loadDatabase, query } from '../../src/io/store/sqlite/database.ts';
import type { OpenDatabase } from '../../src/io/store/sqlite/database.ts';
import { readSeal } from '../../src/io/store/sqlite/logSeal.ts';
import { ahpClient } from '../kit/clients.ts';
import type { AhpClient } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import { eventually } from '../kit/patience.ts';
import type { Loose } from '../kit/wire.ts';
import { damageKinds } from './damageKinds.ts';
import type { DamageKind, Shown } from './damageKinds.ts';

const sessions = ['before', 'hit', 'after'];
const turns = [1, 2, 3, 4, 5, 6];

const folder = mkdtempSync(join(tmpdir(), 'parley-damage-'));
/** A data directory that was put away. */
const stored = (name: string) => join(folder, name);
const dataOf = ({ env }: Home) => String(env['PARLEY_HOME']);
const answerOf = (turn: number, session: string) => `Answer-${turn}-of-${session}.`;

/** One host for all that is prepared, because each session names the folder it was made in. */
const home = newHome();

let open: OpenDatabase;

beforeAll(async () => {
  open = await loadDatabase();
  await prepare(['elsewhere'], { numbers: turns, end: 'SIGTERM', as: 'other' });
  rmSync(dataOf(home), { recursive: true });
  await prepare(sessions, { numbers: turns.slice(0, 4), end: 'SIGTERM', as: 'earlier' });
  await prepare(sessions, { numbers: turns.slice(4), end: 'SIGKILL', as: 'crashed' });
  await (await home.serve()).kill('SIGTERM');
  putAway('closed');
});

afterAll(async () => {
  await home.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** A copy of the data directory without its socket. */
function putAway(name: string): void {
  rmSync(join(dataOf(home), 'host.sock'), { force: true });
  cpSync(dataOf(home), stored(name), { recursive: true });
}

interface Preparation {
  readonly numbers: readonly number[];
  readonly end: NodeJS.Signals;
  readonly as: string;
}

/** Plays turns, lets the host end, and puts its data directory away. */
async function prepare(names: readonly string[], { numbers, end, as }: Preparation): Promise<void> {
  const host = await home.serve();
  const ahp = await ahpClient(host);
  for (const session of names) {
    const chat = await chatOf(ahp, session, numbers[0] === 1);
    for (const turn of numbers)
      await play(ahp, chat, `stream 1 ${answerOf(turn, session)}\npause 5\nstream 40 ${'words '.repeat(8)}`);
  }
  const path = join(dataOf(home), 'log.db');
  await eventually(() => (readSeal(`${path}.seal`)?.head ?? 0) >= lastPosition(path), 'the seal of the log');
  await eventually(() => isPacked(path), 'the pieces of all turns in few rows');
  await host.kill(end);
  putAway(as);
}

function lastPosition(path: string): number {
  return ask(path, 'SELECT max(pos) FROM entries');
}

function isPacked(path: string): boolean {
  const late = 'packed < (SELECT max(seq) FROM entries WHERE session = id)';
  return ask(path, `SELECT count(*) FROM sessions WHERE ${late}`) === 0;
}

function ask(path: string, sql: string): number {
  const database = open(path, { readOnly: true });
  try {
    return Number(query(database, sql)()[0]?.[0]);
  } finally {
    database.close();
  }
}

async function chatOf(ahp: AhpClient, session: string, isNew: boolean): Promise<string> {
  const channel = `parley:/${session}`;
  if (isNew)
    await ahp.request('createSession', { channel, workingDirectories: [`file://${home.workspace}`] });
  const { defaultChat } = await ahp.subscribe(channel);
  await ahp.subscribe(defaultChat);
  return defaultChat;
}

async function play(ahp: AhpClient, chat: string, text: string): Promise<void> {
  const { length } = ahp.states.get(chat).turns;
  ahp.dispatch(chat, {
    type: 'chat/turnStarted',
    turnId: `${chat} ${length + 1}`,
    startedAt: new Date(0).toISOString(),
    message: { text, origin: { kind: 'user' } },
  });
  await ahp.until(chat, (state) => state.turns.length > length && state.activeTurn === undefined);
}

/** How much a client is shown of a session. Whatever is shown is right and in order. */
async function shownOf(ahp: AhpClient, session: string): Promise<Shown> {
  const chat = await chatOf(ahp, session, false).catch(() => undefined);
  if (chat === undefined) return 'gone';
  const state = ahp.states.get(chat);
  const isMarked = JSON.stringify(state).includes(gapText);
  if (state.activeTurn !== undefined) return 'newer';
  const said = state.turns.map(({ responseParts }: Loose) => JSON.stringify(responseParts));
  const found = turns.filter((turn) => said.some((text: string) => text.includes(answerOf(turn, session))));
  const order = found.map((turn) => said.findIndex((text: string) => text.includes(answerOf(turn, session))));
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  if (found.length === 0) return 'gone';
  const complete = said.filter((text: string) => text.includes('words '.repeat(8 * 40).trim()));
  if (complete.length === turns.length && found.length === turns.length && !isMarked) return 'whole';
  // A gap costs what was hit: at most two of the turns.
  return isMarked && found.length >= turns.length - 2 ? 'gap' : 'shorter';
}

const kinds = Object.entries(damageKinds);
const isRefused = ([, { refused }]: readonly [string, DamageKind]) => refused !== undefined;

test('there are at least 24 kinds', () => {
  expect(kinds.length).toBeGreaterThanOrEqual(24);
});

test.each(kinds.filter((kind) => !isRefused(kind)))('%s', async (_, kind) => {
  const { hit = 'whole', others = ['whole'], told = /^/ } = kind;
  const directory = damaged(kind);
  const host = await home.serve();
  try {
    const ahp = await ahpClient(host);
    expect([hit].flat()).toContain(await shownOf(ahp, 'hit'));
    expect(others).toContain(await shownOf(ahp, 'before'));
    expect(others).toContain(await shownOf(ahp, 'after'));
    const words = hostLog(directory);
    expect(words).toMatch(told);
    for (const [, path = ''] of words.matchAll(/kept as (\S+)\.(?: |")/g))
      expect(existsSync(path)).toBe(true);

    const chat = await chatOf(ahp, 'next', true);
    await play(ahp, chat, 'say We go on.');
    expect(JSON.stringify(ahp.states.get(chat))).toContain('We go on.');
  } finally {
    await host.kill('SIGTERM');
  }
});

test.each([['verify'], ['show', 'hit'], ['export', 'hit']])(
  'the list and the doctor know the damage that `sessions %s` has found',
  async (...command) => {
    const kind = damageKinds['a record in the middle is damaged'];
    if (!kind) throw new Error('There is no such kind.');
    damaged(kind);
    const host = await home.serve();
    const said = async (...args: readonly string[]) => {
      const { code, out, err } = await home.run(...args).done;
      return { code, text: out + err };
    };
    try {
      expect(await said('sessions', ...command)).toMatchObject({ code: 1 });
      expect((await said('sessions', 'list')).text).toMatch(/hit +damaged/);
      expect((await home.doctor()).out).toContain('1 of 3 sessions are damaged.');
    } finally {
      await host.kill('SIGTERM');
    }
  },
);

test.each(kinds.filter(isRefused))('%s, and the host does not start', async (_, kind) => {
  const directory = damaged(kind);
  const before = contentOf(join(directory, 'log.db'));
  expect(await home.run('serve', '--port', '0').done).toMatchObject({
    code: 1,
    err: expect.stringMatching(kind.refused ?? /^/),
  });
  expect(contentOf(join(directory, 'log.db'))).toEqual(before);
});

test.runIf(canMount())('a data directory that cannot be written is refused with the reason', () => {
  damaged({ damage: () => {} });
  const script = 'mount --bind "$PARLEY_HOME" "$PARLEY_HOME" && mount -o remount,ro,bind "$PARLEY_HOME"';
  const { status, stderr } = spawnSync(
    'unshare',
    [
      '-m',
      'sh',
      '-c',
      `${script} && exec "$@"`,
      'sh',
      process.execPath,
      home.program,
      'serve',
      '--port',
      '0',
    ],
    { env: home.env, encoding: 'utf8' },
  );
  expect(stderr).toMatch(/parley: .*(?:read-only|EROFS)/);
  expect(status).toBe(1);
});

function canMount(): boolean {
  return (
    process.platform === 'linux' &&
    spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs none /mnt']).status === 0
  );
}

/** What the host wrote in its log. */
function hostLog(directory: string): string {
  const path = join(directory, 'host.ndjson');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function contentOf(path: string): Buffer | readonly string[] {
  return statSync(path).isDirectory() ? readdirSync(path) : readFileSync(path);
}

/** A copy of what was prepared in the place of the data directory, damaged. */
function damaged({ crashed, damage }: DamageKind): string {
  const directory = dataOf(home);
  rmSync(directory, { recursive: true, force: true });
  cpSync(stored(crashed ? 'crashed' : 'closed'), directory, { recursive: true });
  rmSync(join(directory, 'host.ndjson'), { force: true });
  damage({ directory, earlier: stored('earlier'), other: stored('other'), open });
  return directory;
}
