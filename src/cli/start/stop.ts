// `parley stop`: asks the running host to store everything and end, and waits until it has.
// A host that does not react is killed.
import { setTimeout as delay } from 'node:timers/promises';
import { readHostInfo } from '../../app/hostInfo.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { isAlive } from '../../io/processes/processWatch.ts';
import { acquire } from '../../io/store/lock.ts';
import { runningHost } from '../client/controlClient.ts';
import { noMore, readArgs } from '../say.ts';
import { print } from '../output.ts';

/** How long a host may take to stop before it gets a signal, and then before it is killed, in ms. */
const stopTime = 5_500;

export async function run(args: readonly string[]): Promise<number> {
  noMore(readArgs(args, {}).positionals);
  const peer = await runningHost();
  const asked = peer
    ?.request('stop')
    .catch(() => {})
    .then(async () => {
      peer.close();
      await peer.closed;
      return true;
    });
  const late = new AbortController();
  const stopped = asked && (await Promise.race([asked, delay(stopTime, false, { signal: late.signal })]));
  late.abort();
  if (stopped) return say('The host has stopped.');
  const pid = await holder();
  peer?.close();
  if (pid === undefined) return say('No host is running.');
  return say(await end(pid));
}

/** The process of a host that has opened its socket and still holds the data directory. */
async function holder(): Promise<number | undefined> {
  const { directory, info } = dataPaths(process.env);
  const pid = readHostInfo(info)?.pid;
  if (pid === undefined) return undefined;
  const lock = await acquire(directory);
  if ('heldBy' in lock) return lock.heldBy.pid === pid ? pid : undefined;
  lock.release();
  return undefined;
}

async function end(pid: number): Promise<string> {
  process.kill(pid, 'SIGTERM');
  if (await hasEnded(pid)) return 'The host did not answer and was ended.';
  process.kill(pid, 'SIGKILL');
  return 'The host did not answer and was killed. Everything that it has shown is stored.';
}

async function hasEnded(pid: number): Promise<boolean> {
  for (const start = performance.now(); performance.now() - start < stopTime; await delay(50))
    if (!isAlive(pid)) return true;
  return false;
}

function say(text: string): number {
  print(`${text}\n`);
  return 0;
}
