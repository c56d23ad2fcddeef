// The public key of a browser's page: ECDSA on P-256. The private half never leaves the browser, not even
// for its scripts.
import { createPublicKey, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { proofText } from '../../base/pageProof.ts';

/** The key that a device proves, and the address at which it was signed in. It is valid only there. */
export interface PageKey {
  /** SPKI in base64url. */
  readonly key: string;
  /** The origin of the page, as the browser names it. */
  readonly origin: string;
  /** The port on which the host listened; a tunnel can give the page another one. */
  readonly port: number;
}

/** What a page presents to open a connection. */
export interface PageProof {
  readonly challenge: string;
  /** In base64url. */
  readonly signature: string;
  readonly origin: string;
  readonly port: number;
}

export function isPageKey(key: string): boolean {
  return readKey(key) !== undefined;
}

export function provesKey({ key, origin, port }: PageKey, proof: PageProof): boolean {
  const known = readKey(key);
  if (known === undefined || origin !== proof.origin || port !== proof.port) return false;
  const text = Buffer.from(proofText(origin, proof.challenge));
  const signature = Buffer.from(proof.signature, 'base64url');
  return verify('sha256', text, { key: known, dsaEncoding: 'ieee-p1363' }, signature);
}

function readKey(key: string): KeyObject | undefined {
  if (key.length > longestKey) return undefined;
  try {
    const known = createPublicKey({ key: Buffer.from(key, 'base64url'), format: 'der', type: 'spki' });
    return known.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? known : undefined;
  } catch {
    return undefined;
  }
}

/** A key of this kind has 122 characters. */
const longestKey = 200;
