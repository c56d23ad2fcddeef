// Where ECA keeps the user's own configuration.
import { homedir } from 'node:os';
import { join } from 'node:path';

export function ecaDirectory(env: { readonly [name: string]: string | undefined }): string {
  const base = env['XDG_CONFIG_HOME'];
  return join(base === undefined || base === '' ? join(homedir(), '.config') : base, 'eca');
}
