// A sandbox for one command line of ours, beside that of the host.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolderQuietly } from '../io/sandbox/removeFolder.ts';
import { openSandbox, placeholdersIn } from '../io/sandbox/sandbox.ts';
import type { Sandbox } from '../io/sandbox/sandbox.ts';
import { openSettings } from '../io/settings/open.ts';
import { sandboxPlaces } from './sandboxPlaces.ts';

/** Not in the data directory, which belongs to the host; they share the list of what lies in workspaces. */
export async function ownSandbox<T>(
  env: NodeJS.ProcessEnv,
  use: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  const settings = openSettings({ env });
  const directory = mkdtempSync(join(tmpdir(), 'parley-sandbox-'));
  const places = sandboxPlaces(env, settings);
  const placeholders = placeholdersIn(places.directory);
  const sandbox = openSandbox({ env, ...places, directory, placeholders });
  try {
    return await use(sandbox);
  } finally {
    sandbox.close();
    settings.close();
    removeFolderQuietly(directory);
  }
}
