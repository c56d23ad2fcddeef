// What the pipe of a client keeps for the next host.
import { pipeMethods } from '../../../host/door.ts';
import type { Peer } from '../../../rpc/peer.ts';

export class KeptValues {
  readonly #peer: Peer;
  readonly #isKept: boolean;

  /** A client without a pipe keeps nothing. */
  constructor(peer: Peer, isKept: boolean) {
    this.#peer = peer;
    this.#isKept = isKept;
  }

  /** Undefined removes the value. */
  keep(key: string, value: unknown): void {
    if (this.#isKept) this.#peer.notify(pipeMethods.keep, { key, value: value ?? null });
  }
}
