// Hosts on one PostgreSQL: hosts and the database are killed, or freeze, while sessions stream.
// Whatever a client was shown is there again, once and in order, on the host that has the session then.
import { hostname } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ahpClient } from '../kit/clients.ts';
import type { AhpClient } from '../kit/clients.ts';
import { pause } from '../kit/living.ts';
import { newHome } from '../kit/parley.ts';
import type { Home, Served } from '../kit/parley.ts';
import { eventually } from '../kit/patience.ts';
import { startPostgres } from '../kit/postgres.ts';
import type { PostgresServer } from '../kit/postgres.ts';
import { RpcError } from '../../src/rpc/rpcError.ts';
import type { Loose } from '../kit/wire.ts';
import { expectSound } from './manyHosts/audit.ts';
import { expectKept, random, send, spokenOf } from './shownIsKept.ts';

/** `npm run faults:postgres` asks for more. */
const rounds = Number(process.env['PARLEY_POSTGRES_ROUNDS'] ?? 3);
const hostCount = Number(process.env['PARLEY_POSTGRES_HOSTS'] ?? 2);
const sessionsPerHost = Number(process.env['PARLEY_POSTGRES_SESSIONS'] ?? 3);
/** If given, rounds go on until the time is over. */
const minutes = Number(process.env['PARLEY_POSTGRES_MINUTES'] ?? 0);
const seed = Number(process.env['PARLEY_SEED'] ?? 20_261_116);

/** Long enough that a fault hits it. */
const pieces = 150;
const piece = 5;
const stream = `stream ${piece} word\npause 20\n`.repeat(pieces);

let server: PostgresServer;
const homes: Home[] = [];

beforeAll(async () => {
  server = await startPostgres([]);
  const database = server.database('judge');
  for (let at = 0; at < hostCount; at += 1) {
    const home = newHome();
    home.env['PARLEY_STORE'] = database;
    homes.push(home);
  }
}, 120_000);
afterAll(async () => {
  for (const home of homes) await home.dispose();
  await server.dispose();
});

/** A session with the client that started it. */
interface Streaming {
  readonly ahp: AhpClient;
  /** The host that has it. */
  readonly at: number;
  readonly session: string;
  readonly chat: string;
}

const faults = { host: killHost, database: killDatabase, freeze: freezeHost };

/** How long the sessions of a killed host were away, in milliseconds. */
const takeovers: number[] = [];

const length = minutes > 0 ? `${minutes} minutes` : `${rounds} rounds`;
test(`faults for ${length}`, { timeout: 60_000 * (minutes > 0 ? 2 * minutes + 10 : rounds) }, async () => {
  const next = random(seed);
  const names = Object.keys(faults) as (keyof typeof faults)[];
  const hosts = await Promise.all(homes.map((home) => home.serve('--no-open')));
  const end = performance.now() + minutes * 60_000;
  const count = { turns: 0, rounds: 0, last: 0 };
  const goesOn = (round: number) => (minutes > 0 ? performance.now() < end : round < rounds);
  for (let round = 0; goesOn(round); round += 1) {
    const fault = names[round % names.length] ?? 'host';
    const victim = Math.floor(next() * hostCount);
    const started = await Promise.all(
      hosts.flatMap((host, at) =>
        Array.from({ length: sessionsPerHost }, (_, n) => startStream(host, at, `r${round}-${at}-${n}`)),
      ),
    );
    const about = `round ${round} (${fault})`;
    await Promise.all(started.map((each) => reach(each, (state) => heard(state) > 100, `${about}: words`)));
    await pause(next() * 200);
    await faults[fault]({ hosts, started, victim, about });
    count.turns += started.length;
    count.rounds += 1;
    count.last = victim;
    for (const { ahp } of started) {
      expect(ahp.seqs, 'sequence numbers').toEqual([...new Set(ahp.seqs)].toSorted((a, b) => a - b));
      await ahp.close().catch(() => {});
    }
  }
  const slowest = takeovers.toSorted((a, b) => a - b);
  const p95 = slowest[Math.floor(slowest.length * 0.95)] ?? 0;
  if (minutes > 0)
    process.stderr.write(
      `${count.rounds} rounds, ${count.turns} turns on ${hostCount} hosts; nothing lost, doubled or changed; ` +
        `${takeovers.length} takeovers, p95 ${(p95 / 1_000).toFixed(1)} s\n`,
    );
  // The one that was hit last has just been started.
  await expectStatus(hosts, (count.last + 1) % hostCount);
  for (const host of hosts) await host.kill('SIGTERM');
  await expectSound(server, 'judge');
});

interface Round {
  readonly hosts: Served[];
  readonly started: readonly Streaming[];
  /** The host that is hit. */
  readonly victim: number;
  readonly about: string;
}

/** Another host takes over what the killed one had. */
async function killHost({ hosts, started, victim, about }: Round): Promise<void> {
  await hosts[victim]?.kill();
  const mine = started.filter(({ at }) => at === victim);
  await Promise.all(mine.map(({ ahp }) => ahp.peer.closed));
  await expectTakenOver(mine, hosts[(victim + 1) % hostCount], about);
  await expectFinished(
    started.filter(({ at }) => at !== victim),
    about,
  );
  hosts[victim] = await served(victim);
}

/** Turns wait for the database and go on to their end. */
async function killDatabase({ started, about }: Round): Promise<void> {
  await server.kill();
  await pause(300);
  await server.start();
  await expectFinished(started, about);
}

/** A host that wakes up after the end of its lease ends itself, and has stored nothing more. */
async function freezeHost({ hosts, started, victim, about }: Round): Promise<void> {
  const frozen = hosts[victim];
  const other = hosts[(victim + 1) % hostCount];
  if (!frozen) return;
  process.kill(frozen.pid, 'SIGSTOP');
  const mine = started.filter(({ at }) => at === victim);
  await expectTakenOver(mine, other, about);
  process.kill(frozen.pid, 'SIGCONT');
  expect(await frozen.exited, about).toBe(3);
  await expectFinished(
    started.filter(({ at }) => at !== victim),
    about,
  );
  // What the frozen host showed when it woke up was stored before it froze.
  await expectTakenOver(mine, other, `${about}, woken up`);
  hosts[victim] = await served(victim);
}

async function startStream(host: Served, at: number, name: string): Promise<Streaming> {
  const ahp = await ahpClient(host);
  const session = `parley:/${name}`;
  const workspace = homes[at]?.workspace ?? '/';
  await ahp.request('createSession', { channel: session, workingDirectories: [`file://${workspace}`] });
  const { defaultChat: chat } = await ahp.subscribe(session);
  await ahp.subscribe(chat);
  send(ahp, chat, [`${session}#1`, stream]);
  return { ahp, at, session, chat };
}

/** Everything that clients of the old owner were shown is there on the new one, and the session works on. */
async function expectTakenOver(all: readonly Streaming[], host: Served | undefined, about: string) {
  if (!host) throw new Error('There is no other host.');
  const fresh = await ahpClient(host);
  const began = performance.now();
  const check = async ({ ahp, at, session, chat }: Streaming) => {
    const shown = ahp.states.get(chat);
    await eventually(() => subscribed(fresh, session), `${about}: ${session} on the other host`);
    await fresh.subscribe(chat);
    // The new owner ends the turn of the old one.
    const there = { ahp: fresh, at, session, chat };
    const now = await reach(there, isIdle, `${about}: the end of the old turn`);
    if (!about.endsWith('woken up')) takeovers.push(performance.now() - began);
    expectKept(shown, now, `${about}: ${session}`);
    const turns = now.turns.length;
    send(fresh, chat, [`${session}#${turns + 1}`, 'say We go on.']);
    const after = await reach(there, (state) => state.turns.length > turns, `${about}: a new turn`);
    expect(spokenOf(after.turns.at(-1)), about).toContain('We go on.');
  };
  await Promise.all(all.map(check));
  await fresh.close();
}

/** A session of a host that is alive, or seems so, is refused in words that name the host. */
async function subscribed(ahp: AhpClient, session: string): Promise<boolean> {
  try {
    await ahp.subscribe(session);
    return true;
  } catch (error) {
    if (!(error instanceof RpcError) || !/is open on the host \S+:|no such channel/.test(error.message))
      throw error;
    await pause(100);
    return false;
  }
}

async function expectFinished(all: readonly Streaming[], about: string): Promise<void> {
  for (const each of all) {
    const { session } = each;
    const state = await reach(each, isIdle, `${about}: the end of the turn`);
    const said = spokenOf(state.turns.at(-1));
    expect([state.turns.at(-1).state, said.match(/word/g)?.length], `${about}: ${session}`).toEqual([
      'complete',
      piece * pieces,
    ]);
  }
}

/** Waits until the client has seen that a chat has come so far. */
function reach(
  { ahp, session, chat }: Streaming,
  holds: (state: Loose) => boolean,
  what: string,
): Promise<Loose> {
  const look = () => {
    ahp.last();
    const state = ahp.states.get(chat);
    return state && holds(state) ? state : undefined;
  };
  return eventually<Loose>(look, `${what} of ${session}`);
}

function isIdle({ activeTurn }: Loose): boolean {
  return activeTurn === undefined;
}

function heard(state: Loose): number {
  return [...state.turns, ...(state.activeTurn ? [state.activeTurn] : [])].map(spokenOf).join('').length;
}

/** A host that was killed is started again. */
function served(at: number): Promise<Served> {
  const home = homes[at];
  if (!home) throw new Error(`There is no home ${at}.`);
  return home.serve('--no-open');
}

/** Health, metrics and the doctor say who has the sessions, and only to those who may know. */
async function expectStatus(hosts: readonly Served[], at: number): Promise<void> {
  const host = hosts[at];
  const ask = async (path: string, token?: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(`http://127.0.0.1:${host?.port}${path}`, { headers });
    return [response.status, await response.text()] as const;
  };
  const names = homes.map(({ env }) =>
    expect.objectContaining({ name: `${hostname()}:${env['PARLEY_HOME']}` }),
  );
  const [status, body] = await ask('/healthz', host?.token);
  expect([status, JSON.parse(body)]).toEqual([
    200,
    {
      status: 'ok',
      version: expect.any(String),
      hosts: expect.arrayContaining(names),
      links: expect.any(Array),
    },
  ]);
  expect(JSON.parse((await ask('/healthz'))[1])).toEqual({ status: 'ok', version: expect.any(String) });
  expect((await ask('/metrics'))[0]).toBe(401);
  expect((await ask('/metrics', 'wrong'))[0]).toBe(401);
  const [, metrics] = await ask('/metrics', host?.token);
  expect(metrics).toMatch(new RegExp(`^parley_hosts ${hostCount}$`, 'm'));
  expect(metrics).toMatch(/^parley_commits_total [1-9]\d*$/m);
  expect(metrics).not.toContain('word');
  const doctor = await homes[at]?.doctor();
  expect(doctor?.out).toMatch(/\(this host\) has \d+ open sessions/);
}
