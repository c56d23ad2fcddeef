// The store in PostgreSQL, on a real server: the contract of every store, leases, lost connections, messages.
import { mkdtempSync, readdirSync, readFileSync, realpathSync, statSync, utimesSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  chatCreated,
  created,
  Log,
  logStoreContract,
  read,
  text,
  title,
  turnStarted,
} from '../../../../test/contracts/logStore.ts';
import { pause } from '../../../../test/kit/living.ts';
import { eventually } from '../../../../test/kit/patience.ts';
import { startPostgres } from '../../../../test/kit/postgres.ts';
import type { PostgresServer } from '../../../../test/kit/postgres.ts';
import { foldLog } from '../../../host/session/foldLog.ts';
import { LogDamage } from '../../../host/session/logStore.ts';
import type { ForeignChange } from '../../../host/session/logStore.ts';
import { outputFiles } from '../../files/outputFiles.ts';
import { outputFile, outputs } from '../../files/toolOutputs.ts';
import { summarize } from '../../../host/session/summary.ts';
import { reduce } from '../../../model/reduce.ts';
import { emptyState } from '../../../model/state.ts';
import { copyStore } from '../copyStore.ts';
import type { DurableStore } from '../durableStore.ts';
import { openStore } from '../sqlite/open.ts';
import type { SqliteStore } from '../sqlite/sqlite.ts';
import { indexOn } from '../../search/sessionIndex.ts';
import { databaseOutputFiles, databaseOutputs } from './databaseOutputs.ts';
import { PostgresStore } from './postgresStore.ts';
import type { PostgresStoreOptions } from './postgresStore.ts';
import { databasePages } from './searchPages.ts';

let server: PostgresServer;
let count = 0;
const opened: DurableStore[] = [];

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.dispose());
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

logStoreContract('the store in PostgreSQL', async () => {
  const database = newDatabase();
  let store = await open({ url: database });
  const rights = (words: string) => server.sql(`ALTER TABLE parley.entries ${words}`, nameIn(database));
  return {
    store,
    async reopen() {
      await store.close();
      store = await open({ url: database });
      return store;
    },
    breakWrites: () => rights('ADD CONSTRAINT broken CHECK (false) NOT VALID'),
    mendWrites: () => rights('DROP CONSTRAINT broken'),
    dispose: () => store.close(),
  };
});

describe('a lost connection', () => {
  test('waits for a database that comes back, and stores everything once', async () => {
    const store = await open({ url: newDatabase() });
    const log = new Log('s');
    await store.write(log.batch([created('s'), chatCreated('s'), turnStarted('s')], 'disk'));
    await server.kill();
    const written = store.write({ ...log.batch([text('s', 'one')], 'kernel'), summaries: [] });
    await server.start();
    await written;
    await store.write(log.batch([title('After')], 'disk'));
    expect(await read(store, 's')).toEqual(log.entries);
  });

  test.each(['answer', 'request'] as const)('that swallows the %s is settled by asking', async (what) => {
    const database = newDatabase();
    const proxy = await cuttingProxy(server.port);
    const store = await open({
      url: `postgres://parley:not%20so%20secret@127.0.0.1:${proxy.port}/${nameIn(database)}`,
    });
    const log = new Log('s');
    await store.write(log.batch([created('s')], 'disk'));
    proxy.cut(what);
    await store.write(log.batch([title('Unknown')], 'disk'));
    await store.write(log.batch([title('Next')], 'disk'));
    expect([await read(store, 's'), proxy.cuts()]).toEqual([log.entries, 1]);
    await store.close();
    proxy.close();
  });

  test('that is refused for now waits, and says why once', async () => {
    const database = newDatabase();
    const told: unknown[] = [];
    const url = `postgres://parley:not%20so%20secret@127.0.0.1:${server.port}/${nameIn(database)}`;
    const store = await open({ url, report: (problem) => void told.push(problem) });
    const log = new Log('s');
    await store.write(log.batch([created('s')], 'disk'));
    const password = (word: string) => server.sql(`ALTER ROLE parley PASSWORD '${word}'`);
    password('another');
    server.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${nameIn(database)}'`,
    );
    const written = store.write(log.batch([title('Kept')], 'disk'));
    try {
      await eventually(() => told.some((each) => String(each).includes('password')), 'the reason');
    } finally {
      password('not so secret');
    }
    await written;
    expect(await read(store, 's')).toEqual(log.entries);
    expect(told.filter((each) => /Storing entries.*password/.test(String(each)))).toHaveLength(1);
  });

  test.each(['53100', '25006', '40P01', '58030'])('waits while the database raises %s', async (state) => {
    const database = newDatabase();
    const told: unknown[] = [];
    const store = await open({ url: database, report: (problem) => void told.push(problem) });
    const log = new Log('s');
    await store.write(log.batch([created('s')], 'disk'));
    server.sql(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no' ` +
        `USING ERRCODE = '${state}'; END $$; ` +
        'CREATE TRIGGER refuse BEFORE INSERT ON parley.entries EXECUTE FUNCTION refuse()',
      nameIn(database),
    );
    const written = store.write(log.batch([title('Kept')], 'disk'));
    const isOpen = pause(200).then(() => 'waits');
    expect(await Promise.race([isOpen, written])).toBe('waits');
    server.sql('DROP TRIGGER refuse ON parley.entries', nameIn(database));
    await written;
    expect([await read(store, 's'), told.length]).toEqual([log.entries, 1]);
  });

  test('is given up after a while, and the session goes on without what was in doubt', async () => {
    const database = newDatabase();
    const store = await open({ url: database, patience: 300 });
    const log = new Log('s');
    await store.write(log.batch([created('s')], 'disk'));
    await server.kill();
    const lost = log.batch([title('Lost')], 'disk');
    await expect(store.write(lost)).rejects.toMatchObject({ code: 'unavailable' });
    await server.start();
    log.takeBack(1);
    await eventually(
      () =>
        store.write(log.batch([title('Kept')], 'disk')).then(
          () => true,
          () => (log.takeBack(1), false),
        ),
      'the database',
    );
    expect((await read(store, 's')).map(({ event }) => event)).toEqual(log.entries.map(({ event }) => event));
  });
});

describe('a lease', () => {
  test('gives each session to one host, and names the owner', async () => {
    const database = newDatabase();
    const [one, two] = [
      await open({ url: database, name: 'one' }),
      await open({ url: database, name: 'two' }),
    ];
    const log = new Log('s');
    await one.write(log.batch([created('s')], 'disk'));
    const owner = { host: 'one', lease: one.shared.own.me, renewed: expect.any(String) as unknown };
    const first = await two.shared.claim('s');
    expect(first).toEqual(owner);
    const isRenewed = async () => (await two.shared.ownerOf('s'))?.renewed !== first?.renewed;
    await eventually(isRenewed, 'a renewal of the lease');
    await one.shared.own.publish({ url: 'https://a:1/', fingerprint: 'AB:CD' });
    const address = { url: 'https://a:1/', fingerprint: 'AB:CD' };
    expect(await two.shared.ownerOf('s')).toEqual({ ...owner, address });
    expect(await one.shared.ownerOf('s')).toBeUndefined();
    expect(await two.shared.own.publicKeyOf(one.shared.own.me)).toBe(one.shared.own.key.publicKey);
    expect(await one.shared.own.publicKeyOf(two.shared.own.me)).toBeUndefined();
    await expect(two.write(new Log('s', log).batch([created('s')], 'disk'))).rejects.toMatchObject({
      code: 'lease-lost',
    });
    await expect(two.remove('s')).rejects.toMatchObject({ code: 'lease-lost' });
    await one.shared.release('s');
    expect(await two.shared.claim('s')).toBeUndefined();
    expect(two.head()).toBe(log.pos);
    await expect(one.write(log.batch([title('Late')], 'disk'))).rejects.toMatchObject({ code: 'lease-lost' });
    expect(await one.holders()).toMatchObject([
      { name: 'one', sessions: 0, isMe: true },
      { name: 'two', sessions: 1, isMe: false },
    ]);
  });

  test('gives free sessions to one of the hosts that want all of them at the same moment', async () => {
    const url = newDatabase();
    const names = ['dead', 'one', 'two', 'three'];
    const [dead, ...others] = await Promise.all(names.map((name) => open({ url, name })));
    const ids = Array.from({ length: 40 }, (_, at) => `s${at}`);
    const mine = new Log('mine');
    await others[0]?.write(mine.batch([created('mine')], 'disk'));
    for (const id of ids) await dead?.write(new Log(id, mine).batch([created(id)], 'disk'));
    server.sql("DELETE FROM parley.hosts WHERE name = 'dead'", nameIn(url));
    const claimed = await Promise.all(
      others.map(({ shared }) => shared?.claimFree([...ids, 'mine', 'none'])),
    );
    const owned = server.sql(
      'SELECT count(*) FROM parley.sessions s JOIN parley.hosts h ON h.id = s.owner',
      nameIn(url),
    );
    expect([claimed.flat().toSorted(), Number(owned)]).toEqual([[...ids, 'mine'].toSorted(), 41]);
    expect(claimed[0]).toContain('mine');
  });

  test('lets a commit store the sessions that are left when another host has taken one', async () => {
    const url = newDatabase();
    const [one, two] = [await open({ url, name: 'one' }), await open({ url, name: 'two' })];
    const [mine, gone, fresh] = [new Log('mine'), new Log('gone'), new Log('fresh')];
    await one.write(mine.batch([created('mine')], 'disk'));
    await one.write(gone.batch([created('gone')], 'disk'));
    await one.shared.release('gone');
    await two.shared.claim('gone');
    const before = await read(two, 'gone');
    const batches = [
      mine.batch([title('Kept')], 'disk'),
      gone.batch([title('Lost')], 'disk'),
      fresh.batch([created('fresh')], 'disk'),
    ];
    const entries = batches.flatMap((batch) => batch.entries);
    const rows = batches.flatMap((batch) => batch.summaries);
    const failure = await one
      .write({ entries, summaries: rows, sync: 'disk' })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'lease-lost', sessions: new Set(['gone']) });
    expect([await read(one, 'mine'), await read(one, 'fresh')]).toEqual([mine.entries, fresh.entries]);
    expect(await read(two, 'gone')).toEqual(before);
    expect(one.summaries().find(({ id }) => id === 'gone')?.title).not.toBe('Lost');
    await one.write(mine.batch([title('Goes on')], 'disk'));
    expect(await read(two, 'mine')).toEqual(mine.entries);
  });

  test('is behind everything that another host has stored or shown, as soon as a client arrives', async () => {
    const url = newDatabase();
    const [one, two] = [await open({ url, name: 'one' }), await open({ url, name: 'two' })];
    const log = new Log('s');
    await one.write(log.batch([created('s'), chatCreated('s')], 'disk'));
    const first = await two.takePosition();
    expect(first).toBeGreaterThan(log.pos);
    expect(two.head()).toBe(first);
    await two.shared.reserve(first + 500);
    const second = await one.takePosition();
    expect([second > first + 500, await two.takePosition()]).toEqual([true, second + 1]);
  });

  test('is renewed while the database works on a long question', async () => {
    const database = newDatabase();
    const store = await open({ url: database });
    const asked = store.connection.query({ text: 'SELECT pg_sleep(4)' });
    await pause(3_500);
    expect(leaseLeft(database)).toBeGreaterThan(8);
    await asked;
  });

  test('is renewed in time over a new connection when the old ones are silent', async () => {
    const database = newDatabase();
    const proxy = await silencingProxy(server.port);
    const url = `postgres://parley:not%20so%20secret@127.0.0.1:${proxy.port}/${nameIn(database)}`;
    const lost: string[] = [];
    // The end of the lease cannot be stored, because the proxy is gone by then.
    const store = await open({ url, onLost: () => void lost.push('lost'), report: () => {} });
    proxy.silence();
    await pause(1_500);
    let least = leaseLeft(database);
    await eventually(() => {
      const left = leaseLeft(database);
      least = Math.min(least, left);
      return left > least + 2;
    }, 'a renewal');
    expect([least > 0, lost]).toEqual([true, []]);
    proxy.close();
    await store.close();
  });

  test('that was lost lets nothing more be stored', async () => {
    const database = newDatabase();
    let lost = false;
    const store = await open({ url: database, name: 'one', onLost: () => void (lost = true) });
    const log = new Log('s');
    await store.write(log.batch([created('s'), chatCreated('s'), turnStarted('s')], 'disk'));
    server.sql('DELETE FROM parley.hosts', nameIn(database));
    await expect(
      store.write({ ...log.batch([text('s', 'late')], 'kernel'), summaries: [] }),
    ).rejects.toMatchObject({ code: 'lease-lost' });
    await eventually(() => lost, 'the message that the lease is lost');
    expect(server.sql('SELECT count(*) FROM parley.entries', nameIn(database))).toBe('3');
  });

  test('of a dead host runs out, and its unfinished sessions are offered', async () => {
    const database = newDatabase();
    const log = new Log('s');
    const dead = await open({ url: database, name: 'dead' });
    await dead.write(log.batch([created('s'), chatCreated('s'), turnStarted('s')], 'disk'));
    const heir = await open({ url: database, name: 'heir' });
    const changes: ForeignChange[] = [];
    heir.shared.follow((change) => changes.push(change));
    expect([heir.unfinished(), heir.summaries().length]).toEqual([[], 1]);
    await dead.write(log.batch([title('Seen')], 'disk'));
    await eventually(() => changes.length > 0, 'a change of the other host');
    expect(changes[0]).toMatchObject({ kind: 'changed', summary: { title: 'Seen' } });
    server.sql("UPDATE parley.hosts SET id = 'x', until = '-infinity' WHERE name = 'dead'", nameIn(database));
    await eventually(() => changes.some(({ kind }) => kind === 'orphaned'), 'an orphan');
    expect(await heir.shared.claim('s')).toBeUndefined();
    await heir.remove('s');
    expect(heir.summaries()).toEqual([]);
  });
});

test('a damaged entry is found, told apart from later ones, and remembered', async () => {
  const database = newDatabase();
  const store = await open({ url: database });
  const log = new Log('s');
  await store.write(log.batch([created('s'), chatCreated('s'), title('Three'), title('Four')], 'disk'));
  server.sql("UPDATE parley.entries SET event = event || ' ' WHERE seq = 3", nameIn(database));
  const damage = await read(store, 's').catch((error: unknown) => error);
  expect(damage).toBeInstanceOf(LogDamage);
  expect(damage).toMatchObject({ seq: 3, next: 4 });
  expect(await store.verify()).toEqual([
    { part: 'log', session: 's', seq: 3, problem: 'Entry 3 is damaged: its checksum is wrong.' },
  ]);
  expect(store.summaries()[0]?.damage).toBe('Entry 3 is damaged: its checksum is wrong.');
});

describe('what cannot be opened says why, without the password', () => {
  const cases: readonly [string, (port: number) => string, RegExp][] = [
    ['no server', () => 'postgres://ada:hunter2@127.0.0.1:1/x', /cannot reach the database SHOWN/],
    [
      'a wrong password',
      (port) => `postgres://parley:hunter2@127.0.0.1:${port}/postgres`,
      /refuses the password/,
    ],
    [
      'no database',
      (port) => `postgres://parley:not%20so%20secret@127.0.0.1:${port}/none`,
      /no such database/,
    ],
    [
      'no connection left for its user',
      (port) => {
        server.sql("CREATE ROLE crowded LOGIN PASSWORD 'hunter2' CONNECTION LIMIT 0");
        return `postgres://crowded:hunter2@127.0.0.1:${port}/postgres`;
      },
      /the database SHOWN refuses: too many connections/,
    ],
  ];
  test.each(cases)('%s', async (_, address, words) => {
    const failed = await open({ url: address(server.port), shown: 'SHOWN' }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'unavailable', message: expect.stringMatching(words) });
    expect(String(failed)).not.toContain('hunter2');
  });

  test('too few connections, and nothing goes on behind it', async () => {
    const database = newDatabase();
    await (await open({ url: database })).close();
    server.sql("CREATE ROLE few LOGIN PASSWORD 'hunter2' CONNECTION LIMIT 2; GRANT parley TO few");
    const url = `postgres://few:hunter2@127.0.0.1:${server.port}/${nameIn(database)}`;
    const problems: unknown[] = [];
    const failure = open({ url, report: (problem) => problems.push(problem) });
    await expect(failure).rejects.toThrow(/refuses: too many connections/);
    // Longer than until the next beat of a lease.
    await pause(1_500);
    expect(problems).toEqual([]);
  });

  test('a newer schema', async () => {
    const database = newDatabase();
    await (await open({ url: database })).close();
    server.sql('UPDATE parley.meta SET schema = 99', nameIn(database));
    await expect(open({ url: database })).rejects.toMatchObject({
      code: 'newer',
      message: expect.stringMatching(
        /^The database was written by a newer Parley \(schema 99, this one knows \d+\)\. Update Parley on this/,
      ),
    });
  });

  test('an older schema is brought up to date while a host of it goes on', async () => {
    const database = newDatabase();
    const old = await open({ url: database, name: 'old' });
    const log = new Log('s');
    await old.write(log.batch([created('s')], 'disk'));
    server.sql('DROP TABLE parley.links, parley.link_keys', nameIn(database));
    server.sql('UPDATE parley.meta SET schema = 3', nameIn(database));
    const fresh = await open({ url: database, name: 'new' });
    await old.write(log.batch([title('Still here')], 'disk'));
    await fresh.shared.own.publish({ url: 'https://a:1/' });
    expect(await read(fresh, 's')).toEqual(log.entries);
    expect((await fresh.holders()).map(({ name }) => name)).toEqual(['new', 'old']);
  });

  test('a database that lacks what was added gets it, and hosts that know nothing of it can still start', async () => {
    const database = newDatabase();
    await (await open({ url: database })).close();
    server.sql('DROP TABLE parley.states', nameIn(database));
    await (await open({ url: database })).close();
    expect(server.sql("SELECT to_regclass('parley.states') IS NOT NULL", nameIn(database))).toBe('t');
    // The number that hosts of 18 November 2026 compare with theirs.
    expect(server.sql('SELECT schema FROM parley.meta', nameIn(database))).toBe('5');
  });

  test('hosts that start together create the tables once', async () => {
    const database = newDatabase();
    const stores = await Promise.all(['a', 'b', 'c'].map((name) => open({ url: database, name })));
    expect((await stores[0]?.holders())?.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });
});

function leaseLeft(database: string): number {
  const asked = 'SELECT extract(epoch FROM until - clock_timestamp()) FROM parley.hosts';
  return Number(server.sql(asked, nameIn(database)));
}

/** Passes everything on; connections that are open when it is told so stay open and carry nothing more. */
async function silencingProxy(target: number) {
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    client.pipe(upstream);
    upstream.pipe(client);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
  });
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    silence() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    close() {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Passes everything on, and breaks one connection at the next commit: before it, or before its answer. */
async function cuttingProxy(target: number) {
  let armed: 'answer' | 'request' | undefined;
  let cuts = 0;
  const proxy = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    let isCommitting = false;
    const cut = () => {
      armed = undefined;
      cuts += 1;
      end();
    };
    client.on('data', (data) => {
      // A statement is named in full when it is sent for the first time, and by its name later.
      isCommitting = data.includes('append');
      if (isCommitting && armed === 'request') cut();
      else upstream.write(data);
    });
    upstream.on('data', (data) => (isCommitting && armed === 'answer' ? cut() : client.write(data)));
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
  });
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    cut: (what: 'answer' | 'request') => void (armed = what),
    cuts: () => cuts,
    close: () => proxy.close(),
  };
}

test('what a dead host leaves is claimed although many open sessions', async () => {
  const url = newDatabase();
  const dead = await open({ url, name: 'dead' });
  const log = new Log('s');
  await dead.write(log.batch([created('s'), chatCreated('s'), turnStarted('s')], 'disk'));
  const ids = Array.from({ length: 250 }, (_, at) => `t${at}`);
  for (const id of ids) await dead.write(new Log(id, log).batch([created(id)], 'disk'));
  const heir = await open({ url, name: 'heir' });
  const told = new Promise<readonly string[]>((resolve) => {
    heir.shared.follow((change) => change.kind === 'orphaned' && resolve(change.sessions));
  });
  let isOpened = false;
  // One statement may not take as long as a busy machine needs for what follows.
  const statements = Array.from({ length: 6 }, () => heir.connection.query({ text: 'SELECT pg_sleep(10)' }));
  const opening = Promise.allSettled(statements).then(() => (isOpened = true));
  server.sql("DELETE FROM parley.hosts WHERE name = 'dead'", nameIn(url));
  expect(await heir.shared.claimFree(await told)).toEqual(['s']);
  // Nor does it wait for those that are claimed one by one, or for the positions of what it shows.
  const owners = await Promise.all([...ids, 'none'].map((id) => heir.shared.claim(id)));
  expect(new Set(owners)).toEqual(new Set([undefined]));
  await heir.shared.reserve(heir.head() + 10);
  expect(await heir.takePosition()).toBe(heir.head());
  expect(await heir.shared.ownerOf('s')).toBeUndefined();
  await heir.shared.release('s');
  expect(isOpened).toBe(false);
  await eventually(() => {
    server.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(10)'");
    return isOpened;
  }, 'the end of the statements');
  await opening;
});

test('whoever opens a session does not wait for all who follow others', async () => {
  const store = await open({ url: newDatabase() });
  await store.write(new Log('s').batch([created('s'), title('one')], 'disk'));
  let told = 0;
  const opening = { isOver: false };
  const follow = async () => {
    while (!opening.isOver) for await (const { seq } of store.read('s', 1, 'news')) told += seq - 1;
  };
  const following = Array.from({ length: 1_000 }, follow);
  await store.shared.claim('s');
  const before = told;
  expect((await read(store, 's')).length).toBe(2);
  // With a stored state, only what came later is read.
  expect((await read(store, 's', 1)).length).toBe(1);
  // Each of the two would wait for all of them.
  expect(told - before).toBeLessThan(500);
  opening.isOver = true;
  await Promise.all(following);
});

describe('a copy', () => {
  test('goes to the database and back, resumed and compared', async () => {
    const [first, last] = [await folder(), await folder()];
    const logs = ['$host', 'a', 'b'].map((id, at) => Object.assign(new Log(id), { pos: at * 1_000 }));
    for (const log of logs)
      await first.write(
        log.batch([created(log.id), ...Array.from({ length: 450 }, (_, n) => title(`${n} \0`))], 'disk'),
      );
    const database = newDatabase();
    const middle = await open({ url: database });
    // A copy that was interrupted: of one session the beginning is there, of another one nothing.
    const [one] = logs;
    const begun = (one?.entries ?? []).slice(0, 7);
    await middle.write({
      entries: begun.map((entry) => ({ session: '$host', entry })),
      summaries: [summarize(begun.reduce(reduce, emptyState('$host')))],
      sync: 'disk',
    });
    const all = { sessions: 3, complete: 3, outputs: 0, problems: [] };
    const none = { outputs: noOutputs() };
    expect(await copyStore({ from: first, to: middle, ...none })).toEqual({ ...all, entries: 1_346 });
    expect(await copyStore({ from: first, to: middle, ...none })).toEqual({ ...all, entries: 0 });
    expect(await middle.verify()).toEqual([]);
    // Two hosts have used the same positions.
    server.sql("UPDATE parley.entries SET pos = pos - 1000, crc = 0 WHERE session = 'b'", nameIn(database));
    const damaged = await copyStore({ from: middle, to: last, ...none });
    expect(damaged.problems).toEqual([
      'Session b is damaged and was copied in part: Entry 1 is damaged: its checksum is wrong.',
    ]);
    expect(await read(last, 'a')).toEqual(logs[1]?.entries);
    expect(await last.verify()).toEqual([]);
  });

  test('gives new positions where hosts have used one twice, and leaves alone what differs', async () => {
    const [source, target] = [await open({ url: newDatabase() }), await folder()];
    for (const id of ['a', 'b', 'c']) await source.write(new Log(id).batch([created(id), title(id)], 'disk'));
    await target.write(
      Object.assign(new Log('c'), { pos: 90 }).batch([created('c'), title('other')], 'disk'),
    );
    expect(await copyStore({ from: source, to: target, outputs: noOutputs() })).toEqual({
      sessions: 3,
      complete: 2,
      entries: 4,
      outputs: 0,
      problems: ['Session c is different in the target from entry 1 on; it was left alone.'],
    });
    const positions = [...(await read(target, 'a')), ...(await read(target, 'b'))].map(({ pos }) => pos);
    expect(positions).toEqual([1, 2, 93, 94]);
  });

  test('leaves alone what a new host uses, and takes what it has stored until then', async () => {
    const [source, database] = [await open({ url: newDatabase() }), newDatabase()];
    const [target, host] = [await open({ url: database }), await open({ url: database, name: 'busy' })];
    const logs = ['a', 'b'].map((id) => new Log(id));
    for (const log of logs) await source.write(log.batch([created(log.id), title('one')], 'disk'));
    await host.write(new Log('a').batch([created('a')], 'disk'));
    let isGrown = false;
    const growing = {
      summaries: () => source.summaries(),
      head: () => source.head(),
      async *read(id: string) {
        yield* source.read(id);
        const log = logs[1];
        if (id === 'b' && log && !isGrown) await source.write(log.batch([title('two')], 'disk'));
        isGrown ||= id === 'b';
      },
    };
    const copied = { from: growing, to: target, outputs: noOutputs() };
    const problems = ['Session a is in use on the host busy; it was left alone.'];
    const result = { sessions: 2, complete: 1, outputs: 0, problems };
    expect(await copyStore(copied)).toEqual({ ...result, entries: 2 });
    expect(await copyStore(copied)).toEqual({ ...result, entries: 1 });
    expect(await read(target, 'b')).toEqual(logs[1]?.entries);
  });

  test('takes every byte of the long outputs along, both ways, and what is there stays', async () => {
    const [source, target] = [await folder(), await folder()];
    const database = newDatabase();
    const middle = await open({ url: database });
    const [here, there] = [temporary(), temporary()];
    for (const id of ['a', 'b'])
      await source.write(
        Object.assign(new Log(id), { pos: id === 'a' ? 0 : 10 }).batch([created(id)], 'disk'),
      );
    const paths = [
      await outputs(here).keep('a', 'call 1', 'one\0 two'),
      await outputs(here).keep('a', 'call 2', 'ä'.repeat(3_000_000)),
      await outputs(here).keep('b', 'call 1', 'three'),
    ];
    // A file is deleted by its age, so the copy must have the same.
    const old = new Date('2026-11-01T10:00:00Z');
    utimesSync(String(paths[0]), old, old);
    const inDatabase = databaseOutputFiles(middle.connection);
    const goes = { from: outputFiles(here), to: inDatabase };
    const all = { sessions: 2, complete: 2, problems: [] };
    expect(await copyStore({ from: source, to: middle, outputs: goes })).toEqual({
      ...all,
      entries: 2,
      outputs: 3,
    });
    // As after an interruption: one is missing in the target, and another one is not the same.
    server.sql(`DELETE FROM parley.outputs WHERE name = '${outputFile('call 2')}'`, nameIn(database));
    server.sql("UPDATE parley.outputs SET bytes = 'x' WHERE session = 'b'", nameIn(database));
    expect(await copyStore({ from: source, to: middle, outputs: goes })).toEqual({
      ...all,
      complete: 1,
      entries: 0,
      outputs: 1,
      problems: [
        `The long output ${outputFile('call 1')} of session b is different in the target; it was left alone.`,
      ],
    });
    const back = { from: inDatabase, to: outputFiles(there) };
    expect(await copyStore({ from: middle, to: target, outputs: back })).toEqual({
      ...all,
      entries: 2,
      outputs: 3,
    });
    const came = paths.map((path) => readFileSync(String(path).replace(here, there), 'utf8'));
    expect(came).toEqual(['one\0 two', 'ä'.repeat(3_000_000), 'x']);
    expect(statSync(String(paths[0]).replace(here, there)).mtimeMs).toBe(old.getTime());
    expect(await copyStore({ from: middle, to: target, outputs: back })).toMatchObject({ outputs: 0 });
  });

  test('finds the outputs of a database whose schema is older', async () => {
    const database = newDatabase();
    await (await open({ url: database })).close();
    server.sql(
      'ALTER TABLE parley.outputs RENAME COLUMN bytes TO text; ALTER TABLE parley.outputs ALTER COLUMN text ' +
        "TYPE text USING convert_from(text, 'UTF8'); UPDATE parley.meta SET schema = 1; " +
        'DROP TABLE parley.sign_in_codes, parley.owners; ' +
        "INSERT INTO parley.outputs VALUES ('s', 'call 1', now(), 'ä')",
      nameIn(database),
    );
    const store = await open({ url: database });
    const files = databaseOutputFiles(store.connection);
    expect(await files.read('s', outputFile('call 1'))).toEqual(Buffer.from('ä'));
    expect(server.sql('SELECT schema FROM parley.meta', nameIn(database))).toBe('5');
  });
});

describe('beside the log', () => {
  test('text is found in any case and accent, in part of a word, and is gone with its session', async () => {
    const store = await open({ url: newDatabase() });
    const log = new Log('s');
    await store.write(log.batch([created('s'), chatCreated('s'), turnStarted('s')], 'disk'));
    await store.write(log.batch([text('s', 'A naïve 100%_sure '), text('s', 'Ärger\0')], 'disk'));
    const index = indexOn({
      open: async () => databasePages(store.connection),
      exists: () => true,
      store,
      report,
    });
    const find = async (...words: string[]) => {
      const sessions = [{ id: 's', title: 'The title', seq: log.entries.length }];
      const found = await index.search(sessions, { words, limit: 5, signal: new AbortController().signal });
      return found.matches.map(({ lines }) => lines);
    };
    const line = 'A naïve 100%_sure Ärger\uFFFD';
    expect([await find('NAIVE'), await find('%_s', 'title'), await find('x%')]).toEqual([
      [[line]],
      [[line]],
      [],
    ]);
    await store.write(log.batch([text('s', 'goes on'), title('x')], 'disk'));
    expect(await find('Ärger', 'goes')).toEqual([[`${line}goes on`]]);
    await store.remove('s');
    expect(await databasePages(store.connection).sessionsWith('goes')).toEqual(new Set());
  });

  test('states of long sessions are in files of the host, and go with their sessions', async () => {
    const url = newDatabase();
    const states = join(mkdtempSync(join(tmpdir(), 'parley-states-')), 'states');
    const [one, two] = [await open({ url, name: 'one', states }), await open({ url, name: 'two' })];
    const logs = ['a', 'b', 'c'].map((id) => new Log(id));
    for (const [index, log] of logs.entries()) {
      log.pos = index * 10;
      await one.write(log.batch([created(log.id), chatCreated(log.id)], 'disk'));
      // So that the state is seen to come from the file.
      const state = { ...log.entries.reduce(reduce, emptyState(log.id)), title: 'stored' };
      await one.states?.write({ state, at: log.entries.at(-1)?.at ?? 0 });
      await one.write(log.batch([turnStarted(log.id)], 'disk'));
      await one.shared.release(log.id);
    }
    const opening = (store: PostgresStore, id: string) => foldLog({ store }, id);
    expect((await opening(one, 'a')).state).toMatchObject({ title: 'stored', seq: 3 });
    expect((await opening(two, 'a')).state).toMatchObject({ seq: 3, title: 'A title' });
    await one.remove('a');
    expect(readdirSync(states).length).toBe(2);
    await two.remove('b');
    await eventually(() => readdirSync(states).length === 1, 'the file of the other');
    await one.close();
    await two.remove('c');
    await (await open({ url, name: 'one', states })).warm();
    expect(readdirSync(states)).toEqual([]);
  });

  test('states of long sessions are read by hosts that have older ones or none', async () => {
    const database = newDatabase();
    const [one, two] = [
      await open({ url: database, name: 'one', states: temporary() }),
      await open({ url: database, name: 'two', states: temporary() }),
    ];
    const log = new Log('s');
    const put = async (store: PostgresStore, name: string) => {
      // So that the state is seen to be the stored one.
      const state = { ...log.entries.reduce(reduce, emptyState('s')), title: name };
      await store.states?.write({ state, at: log.entries.at(-1)?.at ?? 0 });
    };
    const titles = async () =>
      Promise.all([one, two].map(async (store) => (await foldLog({ store }, 's')).state.title));
    const sql = (statement: string) => server.sql(statement, nameIn(database));

    await one.write(log.batch([created('s'), chatCreated('s')], 'disk'));
    await eventually(() => two.summaries().length === 1, 'the session on the other host');
    await put(one, 'first');
    expect(await titles()).toEqual(['first', 'first']);
    await put(two, 'of a host that is not the owner');
    expect(await titles()).toEqual(['first', 'of a host that is not the owner']);
    await one.write(log.batch([turnStarted('s')], 'disk'));
    await put(one, 'second');
    expect(await titles()).toEqual(['second', 'second']);
    sql("UPDATE parley.states SET seq = 99, state = '\\x00'");
    expect(await titles()).toEqual(['second', 'of a host that is not the owner']);
    await put(one, 'third');
    expect(await titles()).toEqual(['third', 'third']);
    expect(sql('SELECT count(*) FROM parley.states')).toBe('1');
    await one.remove('s');
    expect(sql('SELECT count(*) FROM parley.states')).toBe('0');
  });

  test('states of damaged sessions are removed everywhere', async () => {
    const database = newDatabase();
    const store = await open({ url: database, states: temporary() });
    const log = new Log('s');
    await store.write(log.batch([created('s'), chatCreated('s')], 'disk'));
    await store.states?.write({ state: log.entries.reduce(reduce, emptyState('s')), at: 0 });
    server.sql('UPDATE parley.entries SET crc = 0 WHERE seq = 1', nameIn(database));
    expect(await store.verify()).toMatchObject([{ part: 'log', session: 's', seq: 1 }]);
    expect(server.sql('SELECT count(*) FROM parley.states', nameIn(database))).toBe('0');
  });

  test('a session is opened from its log where the table of states cannot be read', async () => {
    const database = newDatabase();
    const problems: unknown[] = [];
    const store = await open({
      url: database,
      states: temporary(),
      report: (problem) => void problems.push(problem),
    });
    const log = new Log('s');
    await store.write(log.batch([created('s'), chatCreated('s')], 'disk'));
    server.sql('ALTER TABLE parley.states RENAME TO gone', nameIn(database));
    expect((await foldLog({ store }, 's')).state).toMatchObject({ seq: 2, title: 'A title' });
    expect(String(problems)).toMatch(/relation "parley.states" does not exist/);
  });

  test('a state that is written while the host stops is stored whole or not at all, and is no problem', async () => {
    const database = newDatabase();
    const store = await open({ url: database, states: temporary() });
    const log = new Log('s');
    const put = (name: string) => {
      const state = { ...log.entries.reduce(reduce, emptyState('s')), title: name };
      return store.states?.write({ state, at: log.entries.at(-1)?.at ?? 0 });
    };
    await store.write(log.batch([created('s'), chatCreated('s')], 'disk'));
    await put('first');
    await store.write(log.batch([turnStarted('s')], 'disk'));
    await Promise.all([put('second'), store.close()]);
    const other = await open({ url: database, name: 'other', states: temporary() });
    const { title: shown } = (await foldLog({ store: other }, 's')).state;
    const seq = server.sql('SELECT seq FROM parley.states', nameIn(database));
    expect(['first 2', 'second 3']).toContain(`${shown} ${seq}`);
  });

  test('long outputs come to the files of the host that claims the session', async () => {
    const database = newDatabase();
    const one = await open({ url: database, name: 'one' });
    const log = new Log('s');
    await one.write(log.batch([created('s')], 'disk'));
    const [here, there] = [temporary(), temporary()];
    const kept = databaseOutputs({ connection: () => one.connection, directory: here, report });
    const path = await kept.keep('s', 'call 1', 'long\0');
    expect(readFileSync(String(path), 'utf8')).toBe('long\0');
    await one.shared.release('s');
    const two: PostgresStore = await open({
      url: database,
      name: 'two',
      onClaim: (sessions) =>
        databaseOutputs({ connection: () => two.connection, directory: there, report }).fill(sessions),
    });
    await two.shared.claim('s');
    expect(readFileSync(String(path).replace(here, there), 'utf8')).toBe('long\0');
  });
});

function report(problem: unknown): void {
  throw problem;
}

async function folder(): Promise<SqliteStore> {
  const store = await openStore({ directory: temporary(), report });
  opened.push(store);
  return store;
}

/** For stores whose sessions have none. */
function noOutputs() {
  return { from: outputFiles(temporary()), to: outputFiles(temporary()) };
}

function temporary(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'parley-outputs-')));
}

function newDatabase(): string {
  count += 1;
  return server.database(`test${count}`);
}

function nameIn(database: string): string {
  return new URL(database).pathname.slice(1);
}

async function open(
  options: Partial<PostgresStoreOptions> & { readonly url: string },
): Promise<PostgresStore> {
  const store = await PostgresStore.open({
    shown: 'the test database',
    name: 'test',
    version: '0',
    report,
    onLost: () => {},
    ...options,
  });
  opened.push(store);
  return store;
}
