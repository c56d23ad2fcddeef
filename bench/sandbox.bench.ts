// What a sandbox costs: the time of a shell that does nothing, plain, confined, and confined with a way to
// ask for names on the network. Prints times and a target; has no limit.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { NotPossible } from '../src/host/ports.ts';
import { openSandbox } from '../src/io/sandbox/sandbox.ts';
import type { Confined } from '../src/io/sandbox/sandbox.ts';
import { median, print, temporary } from './kit.ts';

const rounds = 40;
const words = ['/bin/sh', '-c', 'true'] as const;
const { dir, remove } = temporary();
const work = join(dir, 'work');
mkdirSync(work);
const sandbox = openSandbox({ env: process.env, directory: join(dir, 'box'), own: [] });
const status = await sandbox.status();

if (status.available) {
  const common = { write: [work], scratch: 's' };
  const reach = () => Promise.resolve({ allowed: false, reason: 'no' } as const);
  const plain = typicalTime(() => ({ words, release: () => {} }));
  const off = typicalTime(() => sandbox.confine(words, work, { ...common, network: 'off' }));
  const asking = typicalTime(() => sandbox.confine(words, work, { ...common, network: 'ask', reach }));
  print(`plain                  ${plain.toFixed(1).padStart(7)} ms`);
  print(
    `confined, network off  ${off.toFixed(1).padStart(7)} ms, plain + ${(off - plain).toFixed(1)} (target 6)`,
  );
  print(`confined, network ask  ${asking.toFixed(1).padStart(7)} ms, plain + ${(asking - plain).toFixed(1)}`);
} else print(`no sandbox here: ${status.why}`);
remove();

/** In milliseconds, with the preparation by the host. */
function typicalTime(prepare: () => Confined | NotPossible): number {
  const all = Array.from({ length: rounds }, () => {
    const started = performance.now();
    const confined = prepare();
    if ('refused' in confined) throw new Error(confined.refused);
    const [command = '', ...rest] = confined.words;
    spawnSync(command, rest, { cwd: work, env: { PATH: '/usr/bin:/bin' } });
    const took = performance.now() - started;
    confined.release();
    return took;
  });
  return median(all);
}
