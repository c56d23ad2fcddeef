// How hosts of one store prove to each other that they are: with a secret that only the store holds. A proof
// names both hosts and counts once, so that nobody can use it for another host or again.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** The path of links on the web server of a host. */
export const linkPath = '/link';

/** The header with which the host that was called proves itself. */
export const acceptHeader = 'parley-link';

const scheme = 'Parley-Link';

export interface LinkProof {
  /** The value of the Authorization header. */
  readonly authorization: string;
  /** What the other host must answer. */
  readonly answer: string;
}

export interface LinkEnds {
  readonly secret: string;
  /** The leases of the host that calls and of the one that is called. */
  readonly from: string;
  readonly to: string;
}

export function makeProof(ends: LinkEnds, nonce = randomBytes(24).toString('base64url')): LinkProof {
  return {
    authorization: `${scheme} ${ends.from} ${nonce} ${sign('call', ends, nonce)}`,
    answer: sign('accept', ends, nonce),
  };
}

/** How many proofs are remembered as spent. */
const remembered = 10_000;

/** Checks the proofs of other hosts for one host. */
export class ProofCheck {
  readonly #secret: string;
  readonly #me: string;
  readonly #spent = new Set<string>();

  constructor({ secret, me }: { readonly secret: string; readonly me: string }) {
    this.#secret = secret;
    this.#me = me;
  }

  /** Our own proof as the answer; undefined if the caller is none of the hosts, or has used its proof. */
  answerTo(authorization: string | undefined): string | undefined {
    const [given, from, nonce, proof, more] = (authorization ?? '').split(' ');
    if (given !== scheme || !from || !nonce || nonce.length < 32 || !proof || more !== undefined)
      return undefined;
    const ends: LinkEnds = { secret: this.#secret, from, to: this.#me };
    if (from === this.#me || !isSame(proof, sign('call', ends, nonce)) || this.#spent.has(nonce))
      return undefined;
    this.#spend(nonce);
    return sign('accept', ends, nonce);
  }

  /** Few need to be remembered: a signature covers our lease, and the lease ends with this process. */
  #spend(nonce: string): void {
    this.#spent.add(nonce);
    const oldest = this.#spent.size > remembered ? this.#spent.values().next() : undefined;
    if (oldest && !oldest.done) this.#spent.delete(oldest.value);
  }
}

export function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function sign(what: 'call' | 'accept', { secret, from, to }: LinkEnds, nonce: string): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify([what, from, to, nonce]))
    .digest('base64url');
}
