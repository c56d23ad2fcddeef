// `parley store copy` is killed again and again, in both directions, and then finishes: everything is there
// once and as it was.
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chatCreated, created, Log, title, turnStarted, text } from '../contracts/logStore.ts';
import { outputFiles } from '../../src/io/files/outputFiles.ts';
import { outputs } from '../../src/io/files/toolOutputs.ts';
import type { DurableStore } from '../../src/io/store/durableStore.ts';
import { openStore } from '../../src/io/store/sqlite/open.ts';
import type { Entry } from '../../src/model/event.ts';
import { pause } from '../kit/living.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import { startPostgres } from '../kit/postgres.ts';
import type { PostgresServer } from '../kit/postgres.ts';
import { openOn } from '../kit/testStore.ts';
import { random } from './shownIsKept.ts';

const rounds = Number(process.env['PARLEY_COPY_ROUNDS'] ?? 2);
const sessions = Array.from({ length: 40 }, (_, at) => `s${at}`);
const database = 'copies';
const next = random(Number(process.env['PARLEY_SEED'] ?? 20_261_117));

let server: PostgresServer;
let home: Home;
let kills = 0;

beforeAll(async () => {
  server = await startPostgres();
  home = newHome();
}, 120_000);
afterAll(async () => {
  await home.dispose();
  await server.dispose();
});

const folder = (name: string) => join(home.dir, name);

/** All entries of a store, without their positions, which may differ. */
async function entriesOf(store: DurableStore): Promise<Map<string, readonly unknown[]>> {
  const found = new Map<string, readonly unknown[]>();
  for (const { id } of store.summaries().toSorted((a, b) => a.id.localeCompare(b.id))) {
    const entries: Entry[] = [];
    for await (const entry of store.read(id)) entries.push(entry);
    found.set(
      id,
      entries.map(({ pos: _, ...rest }) => rest),
    );
  }
  expect(await store.verify()).toEqual([]);
  await store.close();
  return found;
}

async function fill(directory: string): Promise<void> {
  const store = await openStore({ directory, report: (problem) => expect(problem).toBeUndefined() });
  let pos = 0;
  for (const id of sessions) {
    const log = Object.assign(new Log(id), { pos });
    const words = Array.from({ length: 400 }, (_, at) =>
      at % 9 === 0 ? title(`${at}`) : text(id, `word ${at} `),
    );
    await store.write(log.batch([created(id), chatCreated(id), turnStarted(id), ...words], 'disk'));
    pos = log.pos;
  }
  await store.close();
  const kept = outputs(directory);
  for (const id of sessions.slice(0, 10)) await kept.keep(id, 'call', `${id} `.repeat(50_000));
}

async function outputsOf(directory: string, id: string): Promise<unknown> {
  return (await outputFiles(directory).list(id)).map(({ name, hash }) => [name, hash]);
}

/** Kills copies at random moments, then lets one finish. */
async function copy(from: string, to: string): Promise<string> {
  let longest = 4_000;
  for (let round = 0; round < rounds; round += 1) {
    const { child, done } = home.run('store', 'copy', from, to);
    await Promise.race([once(child, 'exit'), pause(300 + next() * longest)]);
    if (child.exitCode === null) kills += 1;
    else longest = longest * 0.8;
    child.kill('SIGKILL');
    await done;
    // Nobody waits here for the end of its lease.
    if (server.sql("SELECT to_regclass('parley.hosts')", database) !== '')
      server.sql('DELETE FROM parley.hosts', database);
  }
  const { code, out, err } = await home.run('store', 'copy', from, to).done;
  expect([code, err]).toEqual([0, '']);
  return out;
}

test('a copy that finds the lease of a killed one says when it ends', async () => {
  const url = server.database('held');
  await (await openOn(url, 'first')).close();
  server.sql(
    "INSERT INTO parley.hosts VALUES ('x', 'a copy in process 1', '0', now(), now() + interval '1 hour')",
    'held',
  );
  const { code, err } = await home.run('store', 'copy', url, `file://${folder('held')}`).done;
  expect([code, err]).toEqual([
    3,
    expect.stringMatching(/: a copy in process 1 \(lease ends in 3[56]\d\d s\)\./),
  ]);
});

test('a copy waits until the sessions of a killed one are free', async () => {
  const from = folder('freed');
  await fill(from);
  const url = server.database('freed');
  const copyAgain = () => home.run('store', 'copy', `file://${from}`, url).done;
  expect(await copyAgain()).toMatchObject({ code: 0 });
  server.sql(
    `INSERT INTO parley.hosts VALUES ('x', 'a copy in process 1', '0', now(), now() - interval '1 s');
    UPDATE parley.sessions SET owner = 'x' WHERE id = 's1'`,
    'freed',
  );
  const { code, out, err } = await copyAgain();
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain('40 of 40 sessions are complete');
});

test('a copy that is killed goes on where it was', { timeout: 120_000 + rounds * 40_000 }, async () => {
  const [first, last] = [folder('first'), folder('last')];
  await fill(first);
  const url = server.database(database);
  const there = await copy(`file://${first}`, url);
  const back = await copy(url, `file://${last}`);
  const truth = await entriesOf(await openStore({ directory: first, report: () => {} }));
  expect(await entriesOf(await openOn(url, 'judge'))).toEqual(truth);
  expect(await entriesOf(await openStore({ directory: last, report: () => {} }))).toEqual(truth);
  for (const id of sessions) expect(await outputsOf(last, id)).toEqual(await outputsOf(first, id));
  process.stderr.write(`${kills} copies killed; ${there}${back}`);
});
