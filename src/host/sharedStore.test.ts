// Two hosts on one store: a session has one owner, and each host learns what the other one does.
import { afterEach, expect, test } from 'vitest';
import { isRejection } from '../model/command.ts';
import { testClient } from '../../test/kit/host.ts';
import type { Rig } from '../../test/kit/host.ts';
import { eventually } from '../../test/kit/patience.ts';
import { SharedTables, sharedHost } from '../../test/kit/sharedHosts.ts';

const rigs: Rig[] = [];
afterEach(async () => {
  for (const each of rigs.splice(0)) await each.close();
});

test('an open session belongs to one host, which others name; a closed one is free', async () => {
  const { one, two, tables } = await twoHosts();
  const session = await one.create('s1');
  await eventually(() => two.host.summary('s1') !== undefined, 'the next step');
  const followed = await two.host.open('s1');
  expect(isRejection(followed) ? followed : followed.owner).toBe('one');
  expect(await two.host.remove('s1')).toEqual({
    rejected: 'elsewhere',
    message: 'Session s1 is open on the host one. Close it there, or connect to that host.',
  });
  expect(session.dispatch({ kind: 'changeSession', changes: { title: 'Mine' } }, testClient)).toBeUndefined();
  await session.settled();
  tables.owners.delete('s1');
  const moved = await two.host.open('s1');
  expect(isRejection(moved) ? moved : moved.state.title).toBe('Mine');
});

test('hosts that start together on an empty store have each a log of their own', async () => {
  const tables = new SharedTables();
  const all = await Promise.all(['one', 'two', 'three'].map((name) => sharedHost(name, tables)));
  rigs.push(...all);
  for (const { host } of all) {
    expect(host.own.dispatch({ kind: 'changeSession', changes: { title: 'x' } }, testClient)).toBeUndefined();
    await host.own.settled();
  }
  expect(all.map(({ host }) => host.own.id).toSorted()).toEqual(['$host', '$host:three', '$host:two']);
  expect(all.flatMap(({ problems }) => problems)).toEqual([]);
});

test('a host that reads the common log when another has just begun it has a log of its own', async () => {
  const tables = new SharedTables();
  tables.beforeAnswer = async () => {
    tables.beforeAnswer = async () => {};
    rigs.push(await sharedHost('one', tables));
  };
  rigs.push(await sharedHost('two', tables));
  expect(rigs.map(({ host }) => host.own.id)).toEqual(['$host', '$host:two']);
});

test('the list follows other hosts, and their unfinished work is taken over', async () => {
  const { one, two, tables } = await twoHosts();
  await one.create('s1');
  await one.create('s2');
  await eventually(() => two.host.summaries().length === 2, 'the next step');
  tables.owners.delete('s1');
  tables.tell('one', { kind: 'orphaned', sessions: ['s1'] });
  await eventually(() => tables.owners.get('s1') === 'two', 'the next step');
  tables.tell('one', { kind: 'removed', session: 's2' });
  expect(two.host.summaries().map(({ id }) => id)).toEqual(['s1']);
});

test('each host has a log of its own, which nobody lists', async () => {
  const { one, two, tables } = await twoHosts();
  await Promise.all([one.host.own.settled(), two.host.own.settled()]);
  expect([one.host.own.id, two.host.own.id]).toEqual(['$host', '$host:two']);
  expect([...tables.owners]).toEqual([
    ['$host', 'one'],
    ['$host:two', 'two'],
  ]);
  expect([one.host.summaries(), two.host.summaries()]).toEqual([[], []]);
});

test('an answer for always holds on all hosts, and is taken back where it was given', async () => {
  const { one, two, tables } = await twoHosts();
  const rule = { id: 'r', effect: 'allow', tool: 'execute', made: { by: testClient, at: 1 } } as const;
  one.host.own.dispatch({ kind: 'changeSession', changes: { rules: [rule] } }, testClient);
  await eventually(() => two.host.answers.list().length === 1, 'the answer on the second host');
  expect(two.host.answers.list()).toMatchObject([{ id: 'r', scope: 'everywhere', confirmed: true }]);
  expect(await two.host.answers.revoke('r', testClient)).toEqual({
    host: 'one',
    lease: 'one',
    renewed: expect.any(String),
  });
  // The log of a host that is gone belongs to whoever needs it, for a moment.
  tables.owners.delete('$host');
  expect(await two.host.answers.revoke('r', testClient)).toBe(true);
  expect([two.host.answers.list(), tables.owners.get('$host')]).toEqual([[], undefined]);
  const third = await sharedHost('three', tables, 'without links');
  rigs.push(third);
  expect(third.host.answers.list()).toEqual([]);
});

/** Without links, as hosts that cannot reach each other. */
async function twoHosts(): Promise<{ one: Rig; two: Rig; tables: SharedTables }> {
  const tables = new SharedTables();
  const start = async (name: string) => {
    const on = await sharedHost(name, tables, 'without links');
    rigs.push(on);
    return on;
  };
  return { one: await start('one'), two: await start('two'), tables };
}
