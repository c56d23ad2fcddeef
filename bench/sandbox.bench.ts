// What a sandbox costs: the time of a command line that does nothing, from the request to its end, plain and
// confined. Commands of an agent come one after the other, with the time of a model between them; the pause
// stands for that. The first command of a folder, and one after a change of what is guarded, find no sandbox
// ready; they are measured, too.
import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import type { Confinement } from '../src/host/ports.ts';
import { processes } from '../src/io/processes/shellCommands.ts';
import { openSandbox } from '../src/io/sandbox/sandbox.ts';
import { median, print, record, temporary } from './kit.ts';

const rounds = 40;

/** In milliseconds; models take longer. */
const pause = 250;

const { dir, remove } = temporary();
const work = join(dir, 'work');
mkdirSync(work);
const sandbox = openSandbox({ env: process.env, directory: join(dir, 'box'), own: [] });
const status = await sandbox.status();

if (status.available) {
  const shells = processes({ sandbox });
  const common = { write: [work], scratch: 's' };
  const reach = () => Promise.resolve({ allowed: false, reason: 'no' } as const);
  const ways: { readonly [name: string]: (round: number) => Confinement | undefined } = {
    plain: () => undefined,
    'network off': () => ({ ...common, network: 'off' }),
    'network ask': () => ({ ...common, network: 'ask', reach }),
    'network off, none ready': (round) => ({ ...common, network: 'off', scratch: `new ${round}` }),
  };
  const times = new Map(Object.keys(ways).map((name) => [name, [] as number[]]));
  // In turn, so that the load of the machine is the same for all.
  for (let round = 0; round < rounds; round += 1)
    for (const [name, confined] of Object.entries(ways)) {
      const took = await timeOf(confined(round));
      if (round > 0) times.get(name)?.push(took);
      await delay(pause);
    }
  const plain = median(times.get('plain') ?? []);
  for (const [name, all] of times) {
    const more = median(all) - plain;
    print(`${name.padEnd(24)} ${median(all).toFixed(1).padStart(7)} ms, plain + ${more.toFixed(1)}`);
    if (name !== 'plain') record({ name: `sandbox: ${name}, more than plain`, unit: 'ms', parley: more });
  }

  async function timeOf(confined: Confinement | undefined): Promise<number> {
    const started = performance.now();
    const signal = new AbortController().signal;
    const command = { command: 'true', cwd: work, timeout: 60_000, signal, output: () => {}, confined };
    const end = await shells.run(command);
    if (end.kind !== 'exited' || end.code !== 0) throw new Error(JSON.stringify(end));
    return performance.now() - started;
  }
} else print(`no sandbox here: ${status.why}`);
sandbox.close();
remove();
