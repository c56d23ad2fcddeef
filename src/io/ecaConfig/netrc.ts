// Reads passwords from a netrc file: machine, login, password and port.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A query names a machine, with an optional login and port: `me@api.example.com:443`. */
export function passwordFor(wish: string, file: string | undefined): string {
  const [, login, machine = '', port] = /^(?:(.*)@)?([^:]*)(?::(\d+))?$/.exec(wish) ?? [];
  const found = entriesIn(textOf(file)).find(
    (entry) =>
      entry['machine'] === machine &&
      (login === undefined || entry['login'] === login) &&
      (port === undefined || entry['port'] === port),
  );
  return found?.['password'] ?? '';
}

function textOf(file: string | undefined): string {
  for (const path of file === undefined
    ? ['.netrc', '_netrc'].map((name) => join(homedir(), name))
    : [file.replace(/^~(?=\/)/, homedir())]) {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      // The next one, or nothing at all.
    }
  }
  return '';
}

const members: ReadonlySet<string> = new Set(['machine', 'login', 'password', 'port', 'account']);

function entriesIn(text: string): readonly { readonly [member: string]: string | undefined }[] {
  const words = text
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, ''))
    .join('\n')
    .split(/\s+/)
    .filter(Boolean);
  const entries: { [member: string]: string }[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const [word = '', value = ''] = [words[at], words[at + 1]];
    if (!members.has(word)) continue;
    if (word === 'machine') entries.push({});
    const entry = entries.at(-1);
    if (entry) entry[word] = value;
    at += 1;
  }
  return entries;
}
