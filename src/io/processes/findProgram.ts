// Finds a program as the system would: by its path, or in the folders of the PATH.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

type Environment = { readonly [name: string]: string | undefined };

/** The full path of an executable, if there is one. */
export function findProgram(
  command: string,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const endings = platform === 'win32' ? ['', ...(env['PATHEXT'] ?? '.EXE;.CMD;.BAT').split(';')] : [''];
  const folders = /[/\\]/.test(command)
    ? ['']
    : (env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  for (const folder of folders) {
    for (const ending of endings) {
      const path = folder === '' ? `${command}${ending}` : join(folder, `${command}${ending}`);
      if (isProgram(path)) return path;
    }
  }
  return undefined;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
