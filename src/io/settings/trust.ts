// Which folders the user trusts, and with what content: a changed file is a new file, and is not trusted.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface TrustStore {
  isTrusted(folder: string, hash: string): boolean;
  trust(folder: string, hash: string): void;
  /** Whether it was trusted. */
  untrust(folder: string): boolean;
}

type Trusted = { readonly [folder: string]: string };

/** The file is read at every question, which are few; nobody keeps an answer that has been taken back. */
export function trustStore(file: string): TrustStore {
  return {
    isTrusted: (folder, hash) => {
      const trusted = read(file);
      return Object.hasOwn(trusted, folder) && trusted[folder] === hash;
    },
    trust: (folder, hash) => write(file, { ...read(file), [folder]: hash }),
    untrust: (folder) => {
      const { [folder]: known, ...others } = read(file);
      if (known !== undefined) write(file, others);
      return known !== undefined;
    },
  };
}

/** What cannot be read trusts nobody. */
function read(file: string): Trusted {
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof content !== 'object' || content === null || Array.isArray(content)) return {};
    return Object.fromEntries(
      Object.entries(content).flatMap(([folder, hash]) => (typeof hash === 'string' ? [[folder, hash]] : [])),
    );
  } catch {
    return {};
  }
}

function write(file: string, trusted: Trusted): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, `${JSON.stringify(trusted, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}
