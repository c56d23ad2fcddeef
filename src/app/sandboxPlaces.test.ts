import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isRecord } from '../base/isRecord.ts';
import type { Settings } from '../host/settings/settings.ts';
import { sandboxPlaces } from './sandboxPlaces.ts';

const root = join(import.meta.dirname, '..', '..');

test('every package that runs in the host without being in the bundle is one of its places', () => {
  const { program = [] } = sandboxPlaces({ HOME: '/home/user' }, {} as unknown as Settings);
  const missing = [...unbundled()].filter(
    (name) =>
      !program.some((path) =>
        [name, name.split('/')[0]].some((part) => path.endsWith(`/node_modules/${part}`)),
      ),
  );
  expect(missing).toEqual([]);
});

/** The optional packages, and all that these need. */
function unbundled(): ReadonlySet<string> {
  const lock: unknown = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const packages = isRecord(lock) && isRecord(lock['packages']) ? lock['packages'] : {};
  const needed = (place: string, kinds: readonly string[]) => {
    const entry = packages[place];
    return kinds.flatMap((kind) =>
      isRecord(entry) && isRecord(entry[kind]) ? Object.keys(entry[kind]) : [],
    );
  };
  const found = new Set(needed('', ['optionalDependencies']));
  // A set also gives what is added on the way.
  for (const name of found)
    for (const next of needed(`node_modules/${name}`, ['dependencies', 'optionalDependencies']))
      if (`node_modules/${next}` in packages) found.add(next);
  return found;
}
