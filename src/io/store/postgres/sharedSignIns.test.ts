// Two hosts on a real PostgreSQL know the same devices, codes and owners.
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../../test/kit/patience.ts';
import { startPostgres } from '../../../../test/kit/postgres.ts';
import type { PostgresServer } from '../../../../test/kit/postgres.ts';
import { digestOf, openDevices } from '../../auth/devices.ts';
import { openOwnerToken } from '../../auth/ownerToken.ts';
import { PostgresStore } from './postgresStore.ts';

let server: PostgresServer;
let count = 0;
const opened: PostgresStore[] = [];

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.dispose());
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

async function twoHosts(): Promise<readonly [PostgresStore, PostgresStore]> {
  const url = server.database(`shared${(count += 1)}`);
  const open = async (name: string) => {
    const store = await PostgresStore.open({
      url,
      shown: 'the test database',
      name,
      version: '0',
      report(problem) {
        throw problem;
      },
      onLost() {},
    });
    opened.push(store);
    return store;
  };
  return [await open('one'), await open('two')];
}

test('a device that one host signs in is known to the other, and revoked on both', async () => {
  const [one, two] = await twoHosts();
  const [here, there] = [openDevices(one.signIns), openDevices(two.signIns)];
  const gone: string[] = [];
  there.follow((id) => gone.push(id));
  // The link may lead to the other host.
  const code = here.newCode('approve', 'edits');
  const token = (await eventually(() => there.redeem(code, 'Phone'), 'the stored code')) ?? '';
  expect([await here.redeem(code, 'Thief'), await there.redeem(code, 'Thief')]).toEqual([
    undefined,
    undefined,
  ]);
  expect(there.find(token)).toMatchObject({ name: 'Phone', role: 'approve', most: 'edits' });
  // Nobody asks for it: the beat of the lease brings it.
  const device = await eventually(() => here.find(token), 'the device on the first host');
  expect(server.sql('SELECT device FROM parley.devices', `shared${count}`)).not.toContain(token);
  expect(await here.change(device.id, { role: 'observe' })).toBe(true);
  await eventually(() => there.find(token)?.role === 'observe', 'the role on the second host');
  expect(await here.revoke(device.id)).toBe(true);
  await eventually(() => there.find(token) === undefined, 'the end on the second host');
  expect([gone, await here.revoke(device.id)]).toEqual([[device.id, device.id], false]);
});

test('a code ends after its time by the clock of the database', async () => {
  const [one] = await twoHosts();
  const devices = openDevices(one.signIns, () => Date.now() - 11 * 60_000);
  expect(await devices.redeem(devices.newCode('control'), 'Late')).toBeUndefined();
});

test('the owner of one host is known to the other until the token is replaced', async () => {
  const [one, two] = await twoHosts();
  const path = join(mkdtempSync(join(tmpdir(), 'parley-owner-')), 'token');
  const token = openOwnerToken(path, one.signIns);
  const first = token.current();
  await one.signIns.announceOwner(digestOf(first));
  const replaced: string[] = [];
  two.signIns.followOwners((digest) => replaced.push(digest));
  await two.signIns.refresh();
  expect([two.signIns.isOwner(digestOf(first)), two.signIns.isOwner(digestOf('other'))]).toEqual([
    true,
    false,
  ]);
  const second = await token.rotate();
  await eventually(() => two.signIns.isOwner(digestOf(second)), 'the new token');
  expect([two.signIns.isOwner(digestOf(first)), replaced]).toEqual([false, [digestOf(first)]]);
  // Without the database nothing is replaced, so that nobody is locked out of one host only.
  await server.kill();
  await expect(token.rotate()).rejects.toMatchObject({ code: 'unavailable' });
  expect([token.current(), readFileSync(path, 'utf8').trim()]).toEqual([second, second]);
  await server.start();
});
