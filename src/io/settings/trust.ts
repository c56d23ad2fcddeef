// Which folders the user trusts, and with what content: a changed file is a new file, and is not trusted.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { contains } from '../../base/paths.ts';

export interface TrustStore {
  /** Whether its settings are trusted as they stand. */
  isTrusted(folder: string, hash: string): boolean;
  /** The user's decision about a folder or one of its parents, whatever its current settings. */
  said(folder: string): 'trusted' | 'refused' | undefined;
  trust(folder: string, hash: string): void;
  /** Stops asking for trust. Returns whether the folder was trusted. */
  untrust(folder: string): boolean;
  /** All decisions of the user, by folder. */
  list(): readonly { readonly folder: string; readonly decision: 'trusted' | 'refused' }[];
}

/** A store that also remembers trust for this time, in memory. */
export interface PassingTrust extends TrustStore {
  trustOnce(folder: string, hash: string, session: string): void;
  /** Forgets what was trusted only in this session. */
  endSession(session: string): boolean;
}

/** Stored instead of a hash if the user does not trust a folder. */
const refused = 'never';

/** In place of a hash where a folder has no settings, only texts for agents. */
export const withoutSettings = 'no settings';

type Trusted = { readonly [folder: string]: string };

/**
 * The file is looked at for every check, and read if it has changed, so a withdrawn decision takes effect
 * immediately.
 */
export function trustStore(file: string): TrustStore {
  let seen: { readonly stamp: string; readonly trusted: Trusted } | undefined;
  const now = (): Trusted => {
    const stamp = stampOf(file);
    if (stamp === undefined) return {};
    if (seen?.stamp !== stamp) seen = { stamp, trusted: read(file) };
    return seen.trusted;
  };
  return {
    isTrusted: (folder, hash) => {
      const trusted = now();
      return Object.hasOwn(trusted, folder) && trusted[folder] === hash;
    },
    trust: (folder, hash) => write(file, { ...read(file), [folder]: hash }),
    said: (folder) => {
      const trusted = now();
      const nearest = Object.keys(trusted)
        .filter((known) => contains(known, folder))
        .toSorted((a, b) => b.length - a.length)[0];
      if (nearest === undefined) return undefined;
      return trusted[nearest] === refused ? 'refused' : 'trusted';
    },
    list: () =>
      Object.entries(now()).map(([folder, hash]) => ({
        folder,
        decision: hash === refused ? 'refused' : 'trusted',
      })),
    untrust: (folder) => {
      const known = read(file);
      write(file, { ...known, [folder]: refused });
      return known[folder] !== undefined && known[folder] !== refused;
    },
  };
}

export function withPassingTrust(store: TrustStore): PassingTrust {
  const once = new Map<string, { readonly hash: string; readonly session: string }>();
  return {
    ...store,
    isTrusted: (folder, hash) => once.get(folder)?.hash === hash || store.isTrusted(folder, hash),
    said(folder) {
      if (once.has(folder)) return 'trusted';
      const isInside = [...once.keys()].some((known) => contains(known, folder));
      return store.said(folder) ?? (isInside ? 'trusted' : undefined);
    },
    trustOnce: (folder, hash, session) => void once.set(folder, { hash, session }),
    endSession(session) {
      const over = [...once].filter(([, trusted]) => trusted.session === session);
      for (const [folder] of over) once.delete(folder);
      return over.length > 0;
    },
  };
}

/** Changes with the file; undefined if there is none. */
function stampOf(file: string): string | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false, bigint: true });
    return found && `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
  } catch {
    return undefined;
  }
}

/** An unreadable file means that nothing is trusted. */
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
