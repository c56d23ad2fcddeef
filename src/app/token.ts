// The token that every network client must show: made once per data directory, readable by its owner only.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

export function readToken(path: string): string {
  try {
    const token = readFileSync(path, 'utf8').trim();
    if (/^[\w-]{32,}$/.test(token)) return token;
  } catch {
    // There is none yet.
  }
  const token = randomBytes(32).toString('base64url');
  writeFileSync(path, `${token}\n`, { mode: 0o600 });
  return token;
}
