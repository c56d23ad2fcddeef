// What the sandbox of a data directory needs to know: where it keeps its files, what it hides, and which
// names the user allowed for good.
import { dirname, join } from 'node:path';
import type { Settings } from '../host/settings/settings.ts';
import type { SandboxOptions } from '../io/sandbox/sandbox.ts';
import { readConfig, withValue, writeConfig } from '../io/settings/editConfigFile.ts';
import { settingsFiles } from '../io/settings/open.ts';
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

/** Adds a name to those of the user's settings file that confined programs may connect to. */
export function allowHost(env: NodeJS.ProcessEnv, name: string, settings: Settings): void {
  const { user } = settingsFiles(env);
  const hosts = settings.of([]).sandbox?.hosts ?? [];
  if (hosts.includes(name)) return;
  const text = withValue(readConfig(user), ['sandbox', 'hosts'], { value: [...hosts, name], file: user });
  writeConfig(user, text, 'nothing');
}
