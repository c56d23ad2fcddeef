// What the sandbox of a data directory needs to know: where it keeps its files, and what it hides.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Settings } from '../host/settings/settings.ts';
import type { SandboxOptions } from '../io/sandbox/sandbox.ts';
import { dataPaths, directories, socketPath } from '../io/settings/dataPaths.ts';

export function sandboxPlaces(
  env: NodeJS.ProcessEnv,
  settings: Settings,
): Pick<SandboxOptions, 'directory' | 'own' | 'program' | 'settings'> {
  const { data, config, state } = directories(env);
  return {
    directory: join(dataPaths(env).directory, 'sandbox'),
    // The socket may have a place of its own.
    own: [data, config, state, dirname(socketPath(env))],
    program: programPlaces(),
    settings: () => settings.of([]).sandbox,
  };
}

/** A running host loads files of its program later, and an editor starts it again. */
function programPlaces(): readonly string[] {
  const built = dirname(fileURLToPath(import.meta.url));
  const packages = unbundled.flatMap((name) => [`../node_modules/${name}`, `../../${name}`]);
  return [
    process.execPath,
    ...['.', '../bin', '../package.json', ...packages].map((name) => join(built, name)),
  ];
}

/** The packages that are not in the bundle, or their scopes, and what they need. */
const unbundled = [
  '@lydell',
  '@photostructure',
  '@vscode',
  'node-addon-api',
  'node-gyp-build',
  'pg',
  'pg-cloudflare',
  'pg-connection-string',
  'pg-int8',
  'pg-pool',
  'pg-protocol',
  'pg-types',
  'pgpass',
  'postgres-array',
  'postgres-bytea',
  'postgres-date',
  'postgres-interval',
  'split2',
  'xtend',
];
