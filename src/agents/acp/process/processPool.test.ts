// Who waits for a program, and who does not.
import { expect, test } from 'vitest';
import { manualClock } from '../../../../test/kit/manualClock.ts';
import type { ChildTransport } from '../../../rpc/transports/child.ts';
import type { TransportListener } from '../../../rpc/transports/transport.ts';
import { AgentProcesses } from './agentProcesses.ts';
import { ProcessPool } from './processPool.ts';
import { usualTimes } from './program.ts';

test('nobody waits for the end of a program that has not answered yet; the next one starts after it', async () => {
  const clock = manualClock();
  const launched: string[] = [];
  const pool = new ProcessPool({
    program: { id: 'a', name: 'A', description: '', command: 'a', args: [] },
    launch: () => silent(launched),
    clock,
    times: usualTimes,
    version: '1',
    root: false,
    processes: new AgentProcesses({ clock }),
  });
  const place = { cwd: '/w', confined: undefined };
  pool.enter('one');
  const first = pool.link('one', place);
  await expect.poll(() => launched).toEqual(['started']);
  await pool.leave('one');
  pool.enter('two');
  void pool.link('two', place);
  clock.advance(usualTimes.setup);
  expect(await first).toMatchObject({ code: 'agent-start' });
  await expect.poll(() => launched).toEqual(['started', 'closed', 'started']);
});

/** A program that says nothing. */
function silent(told: string[]): ChildTransport {
  told.push('started');
  let listener: TransportListener | undefined;
  let exit = () => {};
  return {
    pid: undefined,
    exited: new Promise((resolve) => (exit = () => resolve({ code: 0, signal: null }))),
    dying: false,
    buffered: 0,
    pause: () => {},
    resume: () => {},
    send: () => {},
    ready: () => true,
    onDrain: () => ({ [Symbol.dispose]: () => {} }),
    listen: (given) => void (listener = given),
    close: () => {
      told.push('closed');
      exit();
      listener?.closed({ kind: 'local' });
    },
  };
}
