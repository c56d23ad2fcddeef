// The owner's token, with which any network client has full control: one per data directory, readable by its
// owner only.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writePrivately } from '../files/privateFiles.ts';

export interface OwnerToken {
  current(): string;
  /** Replaces the token; the old one is worth nothing from then on. Returns the new one. */
  rotate(): string;
  /** Calls back after the token was replaced. */
  follow(changed: () => void): void;
}

/** Creates the token if there is none. */
export function openOwnerToken(path: string): OwnerToken {
  let token = read(path) ?? create(path);
  const followers: (() => void)[] = [];
  return {
    current: () => token,
    rotate() {
      token = create(path);
      for (const follower of followers) follower();
      return token;
    },
    follow: (changed) => void followers.push(changed),
  };
}

function read(path: string): string | undefined {
  try {
    const token = readFileSync(path, 'utf8').trim();
    return /^[\w-]{32,}$/.test(token) ? token : undefined;
  } catch {
    return undefined;
  }
}

function create(path: string): string {
  const token = randomBytes(32).toString('base64url');
  writePrivately(path, `${token}\n`);
  return token;
}
