// Which folders the user trusts, and with what content: a changed file is a new file, and is not trusted.
import { randomBytes } from 'node:crypto';
import { renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { contains } from '../../base/paths.ts';
import { readUserFile } from '../files/folderFile.ts';
import { makeFolders } from '../files/privateFiles.ts';

export interface TrustStore {
  /** Whether its settings are trusted as they stand. */
  isTrusted(folder: string, hash: string): boolean;
  /** The user's decision about a folder or one of its parents, whatever its current settings. */
  said(folder: string): 'trusted' | 'refused' | undefined;
  trust(folder: string, hash: string): void;
  /** Stops asking for trust. Returns whether the folder was trusted. */
  untrust(folder: string): boolean;
  /** The user was asked about these settings and did not want to decide. */
  decline(folder: string, hash: string): void;
  isDeclined(folder: string, hash: string): boolean;
  /** All decisions of the user, by folder. */
  list(): readonly { readonly folder: string; readonly decision: 'trusted' | 'refused' | 'declined' }[];
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

/** Takes effect immediately when another process changes a decision or withdraws it. */
export function trustStore(file: string): TrustStore {
  const decided = decisionsIn(file);
  const declined = decisionsIn(declinedFile(file));
  return {
    isTrusted: (folder, hash) => decided.is(folder, hash),
    trust: (folder, hash) => decided.put(folder, hash),
    said: (folder) => {
      const trusted = decided.now();
      const nearest = Object.keys(trusted)
        .filter((known) => contains(known, folder))
        .toSorted((a, b) => b.length - a.length)[0];
      if (nearest === undefined) return undefined;
      return trusted[nearest] === refused ? 'refused' : 'trusted';
    },
    decline: (folder, hash) => declined.put(folder, hash),
    isDeclined: (folder, hash) => declined.is(folder, hash),
    list: () => {
      const trusted = decided.now();
      return [
        ...Object.entries(trusted).map(([folder, hash]) => ({
          folder,
          decision: hash === refused ? ('refused' as const) : ('trusted' as const),
        })),
        ...Object.keys(declined.now())
          .filter((folder) => !Object.hasOwn(trusted, folder))
          .map((folder) => ({ folder, decision: 'declined' as const })),
      ];
    },
    untrust: (folder) => {
      const known = read(file)[folder];
      decided.put(folder, refused);
      return known !== undefined && known !== refused;
    },
  };
}

/** A file of its own: what an older version finds in the other one, it takes for trust. */
function declinedFile(file: string): string {
  return join(dirname(file), 'trust-declined.json');
}

interface Decisions {
  now(): Trusted;
  is(folder: string, hash: string): boolean;
  put(folder: string, hash: string): void;
}

/** The file is looked at for every check, and read if it has changed. */
function decisionsIn(file: string): Decisions {
  let seen: { readonly stamp: string; readonly trusted: Trusted } | undefined;
  const now = (): Trusted => {
    const stamp = stampOf(file);
    if (stamp === undefined) return {};
    if (seen?.stamp !== stamp) seen = { stamp, trusted: read(file) };
    return seen.trusted;
  };
  return {
    now,
    is: (folder, hash) => {
      const known = now();
      return Object.hasOwn(known, folder) && known[folder] === hash;
    },
    put: (folder, hash) => write(file, { ...read(file), [folder]: hash }),
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
    const content: unknown = JSON.parse(readUserFile(file));
    if (typeof content !== 'object' || content === null || Array.isArray(content)) return {};
    return Object.fromEntries(
      Object.entries(content).flatMap(([folder, hash]) => (typeof hash === 'string' ? [[folder, hash]] : [])),
    );
  } catch {
    return {};
  }
}

function write(file: string, trusted: Trusted): void {
  makeFolders(dirname(file));
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, `${JSON.stringify(trusted, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}
