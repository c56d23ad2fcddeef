// How hosts of one store prove to each other that they are: each signs with a key that stays in its process,
// and the store has the public part. A proof names both hosts and counts once, so that nobody can use it for
// another host or again.
import { createPublicKey, generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto';

/** The path of links on the web server of a host. */
export const linkPath = '/link';

/** The header with which the host that was called proves itself. */
export const acceptHeader = 'parley-link';

const scheme = 'Parley-Link';

/** The key of a host. What is secret of it is nowhere else. */
export interface LinkKey {
  /** For the other hosts. */
  readonly publicKey: string;
  sign(text: string): string;
}

export function newLinkKey(): LinkKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64url'),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64url'),
  };
}

export interface LinkProof {
  /** The value of the Authorization header. */
  readonly authorization: string;
  /** Whether an answer is that of the other host. */
  readonly accepts: (answer: string) => boolean;
}

export interface LinkEnds {
  /** The leases of the host that calls and of the one that is called. */
  readonly from: string;
  readonly to: string;
}

export interface ProofOptions extends LinkEnds {
  readonly key: LinkKey;
  /** The public key of the host that is called. */
  readonly theirs: string;
}

export function makeProof(
  { key, theirs, from, to }: ProofOptions,
  nonce = randomBytes(24).toString('base64url'),
): LinkProof {
  const ends = { from, to };
  return {
    authorization: `${scheme} ${from} ${nonce} ${key.sign(signed('call', ends, nonce))}`,
    accepts: (answer) => isSigned(signed('accept', ends, nonce), answer, theirs),
  };
}

/** How many proofs are remembered as spent. */
const remembered = 10_000;

export interface ProofCheckOptions {
  readonly key: LinkKey;
  /** The lease of this host. */
  readonly me: string;
  /** The public key of a host that has a lease. */
  readonly publicKeyOf: (lease: string) => Promise<string | undefined>;
}

/** Checks the proofs of other hosts for one host. */
export class ProofCheck {
  readonly #options: ProofCheckOptions;
  readonly #spent = new Set<string>();

  constructor(options: ProofCheckOptions) {
    this.#options = options;
  }

  /** Our own proof as the answer; undefined if the caller is none of the hosts, or has used its proof. */
  async answerTo(authorization: string | undefined): Promise<string | undefined> {
    const [given, from, nonce, proof, more] = (authorization ?? '').split(' ');
    if (given !== scheme || !from || !nonce || nonce.length < 32 || !proof || more !== undefined)
      return undefined;
    const { key, me, publicKeyOf } = this.#options;
    const ends: LinkEnds = { from, to: me };
    const theirs = from === me ? undefined : await publicKeyOf(from);
    if (theirs === undefined || !isSigned(signed('call', ends, nonce), proof, theirs)) return undefined;
    if (this.#spent.has(nonce)) return undefined;
    this.#spend(nonce);
    return key.sign(signed('accept', ends, nonce));
  }

  /** Few need to be remembered: a signature covers our lease, and the lease ends with this process. */
  #spend(nonce: string): void {
    this.#spent.add(nonce);
    const oldest = this.#spent.size > remembered ? this.#spent.values().next() : undefined;
    if (oldest && !oldest.done) this.#spent.delete(oldest.value);
  }
}

function signed(what: 'call' | 'accept', { from, to }: LinkEnds, nonce: string): string {
  return JSON.stringify(['parley link', what, from, to, nonce]);
}

function isSigned(text: string, signature: string, publicKey: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64url'), type: 'spki', format: 'der' });
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  } catch {
    // What is no key proves nothing.
    return false;
  }
}
