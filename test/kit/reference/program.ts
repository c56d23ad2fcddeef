// The reference agent as a program: built once for a test file, and set up in a home as
// people set up any agent.
import { join } from 'node:path';
import { bundle } from '../bundle.ts';
import type { Bundle } from '../bundle.ts';
import type { Home } from '../parley.ts';
import type { Switches } from './switches.ts';

let built: Promise<Bundle> | undefined;

/** A file that Node can run. */
export function referenceBundle(): Promise<Bundle> {
  built ??= bundle(join(import.meta.dirname, '..', 'referenceAgent.ts'));
  return built;
}

export async function disposeReference(): Promise<void> {
  const made = await built;
  built = undefined;
  made?.dispose();
}

export async function addReference(home: Home, switches: Switches, name = 'The reference'): Promise<void> {
  const { path } = await referenceBundle();
  const { code, err } = await home.run(
    'agents',
    'add',
    'ref',
    '--name',
    name,
    '--env',
    `REFERENCE_AGENT=${JSON.stringify(switches)}`,
    '--',
    process.execPath,
    path,
  ).done;
  if (code !== 0 || err !== '') throw new Error(`parley agents add ended with ${code}: ${err}`);
}
