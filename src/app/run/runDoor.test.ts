import { describe, expect, test } from 'vitest';
import { rig } from '../../../test/kit/host.ts';
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

test('the rules of a run say who gave them, and each has a name of its own', async () => {
  const { host, close } = await rig();
  const [client, server] = createMemoryPair();
  const served = runDoor().serve(server, host);
  const run = wire(client);
  for (const tool of ['write_file', 'edit_file'])
    await run.request('run', { prompt: 'Go.', roots: ['/w'], allow: [{ tool }] });
  const answers = host.answers.list();
  expect(answers.map(({ by }) => by?.kind === 'client' && by.name)).toEqual(['parley run', 'parley run']);
  expect(new Set(answers.map(({ id }) => id)).size).toBe(2);
  await run.close();
  await served;
  await close();
});

describe('a provider that keeps failing', () => {
  const waits = [2_000, 4_000, 8_000, 16_000, 32_000, 60_000];
  const run = async (wish: object, asked: { readonly asked?: true } = {}) => {
    const { host, scripts, close } = await rig();
    scripts.set('*', async (turn) => {
      for (const [at, wait] of waits.entries()) {
        const problem = { code: 'overloaded', message: 'Lab has an internal error.' };
        const retry = { problem, attempt: at + 1, of: 10, wait, ...asked };
        turn.report({ kind: 'notice.added', level: 'warning', text: 'Again.', waits: true, retry });
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
      return turn.signal.aborted ? { kind: 'cancelled' } : { kind: 'completed' };
    });
    const [client, server] = createMemoryPair();
    const served = runDoor().serve(server, host);
    const door = wire(client);
    const result = await door.request('run', { prompt: 'Go.', roots: ['/w'], allow: [], ...wish });
    await door.close();
    await served;
    await close();
    return result;
  };

  test('is given up after two minutes of waiting', async () => {
    expect(await run({})).toMatchObject({
      stopped: {
        code: 'overloaded',
        message: expect.stringMatching(/error. Given up after 5 more attempts/),
      },
    });
  });
  test('is waited for with --timeout, and as long as it asks for itself', async () => {
    expect(await run({ timeout: 600_000 })).toMatchObject({ outcome: { kind: 'completed' } });
    expect(await run({}, { asked: true })).toMatchObject({ outcome: { kind: 'completed' } });
  });
});
