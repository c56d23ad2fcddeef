import { expect, test } from 'vitest';
import { eventually } from '../../../test/kit/patience.ts';
import { SharedTables, sharedHost } from '../../../test/kit/sharedHosts.ts';
import { wire } from '../../../test/kit/wire.ts';
import { createMemoryPair } from '../../rpc/transports/memory.ts';
import { runDoor } from './runDoor.ts';

test('a run that the host of the session does not take ends with the reason', async () => {
  const tables = new SharedTables();
  const one = await sharedHost('one', tables, 'without links');
  const two = await sharedHost('two', tables, 'without links');
  await one.create('s1');
  await eventually(() => two.host.summary('s1') !== undefined, 'the session on the second host');
  const [client, server] = createMemoryPair();
  const served = runDoor().serve(server, two.host);
  const run = wire(client);
  expect(await run.request('run', { prompt: 'Go.', roots: ['/w'], session: 's1', allow: [] })).toMatchObject({
    outcome: { kind: 'failed', problem: { code: 'not-stored', message: expect.stringMatching(/host one/) } },
  });
  await run.close();
  await served;
  await two.close();
  await one.close();
});
