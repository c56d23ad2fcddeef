// The files of a client as the host asks for them: the same requests that clients send to the host, the other way round.
import type { Clock } from '../../host/ports.ts';
import type { ResourceRequests } from '../../protocols/ahp/newest/commands.ts';
import type { Peer } from '../../rpc/peer.ts';

export interface ClientResources {
  /** Rejects with the client's refusal, or when it does not answer in time. What comes back is the client's word and has to be checked. */
  ask<Method extends keyof ResourceRequests>(method: Method, params: ResourceRequests[Method]['params']): Promise<unknown>;
}

/** A client that takes longer than this is not waited for, in milliseconds. */
const patience = 10_000;

/** `around` is what every request of the dialect has besides. */
export function clientResources(peer: Peer, clock: Clock, around: Readonly<Record<string, unknown>>): ClientResources {
  return {
    async ask(method, params) {
      const late = new AbortController();
      const recall = clock.after(patience, () => late.abort());
      try {
        return await peer.request(method, { ...around, ...params }, { signal: late.signal });
      } finally {
        recall();
      }
    },
  };
}
