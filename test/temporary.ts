// Gives a whole run one directory for everything temporary and removes it at the end: programs that the tests
// start leave files of their own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function setup(): () => void {
  // The name is short, for the path of a socket may not be long.
  const directory = mkdtempSync(join(tmpdir(), 'pt-'));
  process.env['TMPDIR'] = directory;
  return () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}
