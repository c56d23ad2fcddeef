// The owner's token, with which any network client has full control: one per data directory, readable by its
// owner only.
import { randomBytes } from 'node:crypto';
import { present } from '../../base/present.ts';
import { writePrivately } from '../files/privateFiles.ts';
import { digestOf } from './devices.ts';
import type { SharedSignIns } from './signInStorage.ts';
import { readFileIfAny } from '../files/folderFile.ts';

export interface OwnerToken {
  current(): string;
  /** Replaces the token; the old one is worth nothing from then on. Gives the new one. */
  rotate(): Promise<string>;
  /** Calls back after the token was replaced, until the result is called. */
  follow(changed: () => void): () => void;
  /** What is known about the owners of hosts that share the store. */
  readonly shared?: SharedSignIns;
}

/** Creates the token if there is none. */
export function openOwnerToken(path: string, shared?: SharedSignIns): OwnerToken {
  let token = read(path) ?? create(path);
  const followers = new Set<() => void>();
  return {
    current: () => token,
    async rotate() {
      const next = newToken();
      // The other hosts come first: if they cannot be told, the old token stays.
      await shared?.announceOwner(digestOf(next));
      writePrivately(path, `${next}\n`);
      token = next;
      for (const follower of followers) follower();
      return token;
    },
    follow: (changed) => {
      followers.add(changed);
      return () => void followers.delete(changed);
    },
    ...present({ shared }),
  };
}

function read(path: string): string | undefined {
  const token = readFileIfAny(path)?.trim() ?? '';
  return /^[\w-]{32,}$/.test(token) ? token : undefined;
}

function newToken(): string {
  return randomBytes(32).toString('base64url');
}

function create(path: string): string {
  const token = newToken();
  writePrivately(path, `${token}\n`);
  return token;
}
