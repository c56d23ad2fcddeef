// What the sandbox of a data directory needs to know: where it keeps its files, and what it hides.
import { dirname, join } from 'node:path';
import type { Settings } from '../host/settings/settings.ts';
import type { SandboxOptions } from '../io/sandbox/sandbox.ts';
import { dataPaths, directories, socketPath } from '../io/settings/dataPaths.ts';

export function sandboxPlaces(
  env: NodeJS.ProcessEnv,
  settings: Settings,
): Pick<SandboxOptions, 'directory' | 'own' | 'settings'> {
  const { data, config, state } = directories(env);
  return {
    directory: join(dataPaths(env).directory, 'sandbox'),
    // The socket may have a place of its own.
    own: [data, config, state, dirname(socketPath(env))],
    settings: () => settings.of([]).sandbox,
  };
}
