// Challenges that a page of the console signs to prove that it holds its device's key. Each is valid once,
// for a minute.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export interface Challenges {
  create(): string;
  /** True once for a challenge of ours that has not expired. Call it only after the signature was checked. */
  spend(challenge: string): boolean;
}

/** In milliseconds. */
const challengeLife = 60_000;

/**
 * Unspent challenges take no memory, so strangers can request as many as they like: a challenge carries its
 * time and our own signature.
 */
export function createChallenges(now: () => number = Date.now): Challenges {
  const key = randomBytes(32);
  const spent = new Map<string, number>();
  const sign = (text: string) => createHmac('sha256', key).update(text).digest('base64url');
  return {
    create() {
      const text = `${now().toString(36)}.${randomBytes(16).toString('base64url')}`;
      return `${text}.${sign(text)}`;
    },
    spend(challenge) {
      for (const [old, until] of spent) if (until < now()) spent.delete(old);
      const [time = '', random = '', signature = ''] = challenge.split('.');
      const until = Number.parseInt(time, 36) + challengeLife;
      const isOurs = sameBytes(signature, sign(`${time}.${random}`));
      if (!isOurs || !(until >= now()) || spent.has(challenge)) return false;
      spent.set(challenge, until);
      return true;
    },
  };
}

function sameBytes(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
