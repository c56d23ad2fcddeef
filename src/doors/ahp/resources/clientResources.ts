// The files of a client as the host asks for them: the same requests that clients send to the
// host, the other way round.
import * as z from 'zod';
import type { Clock } from '../../../host/ports.ts';
import type { ResourceRequests } from '../../../protocols/ahp/v1_0/commands.ts';
import { errorCodes } from '../../../protocols/ahp/errors.ts';
import type { Peer } from '../../../rpc/peer.ts';
import { RpcError } from '../../../rpc/rpcError.ts';

export interface ClientResources {
  /**
   * Rejects with the client's refusal, or when it does not answer in time. What comes back is the client's
   * word and has to be checked.
   */
  ask<Method extends keyof ResourceRequests>(
    method: Method,
    params: ResourceRequests[Method]['params'],
  ): Promise<unknown>;
}

/** A client that takes longer than this is not waited for, in milliseconds. */
const patience = 10_000;

/** `around` is what every request of the version has besides. */
export function clientResources(
  peer: Peer,
  clock: Clock,
  around: Readonly<Record<string, unknown>>,
): ClientResources {
  return {
    async ask(method, params) {
      const late = new AbortController();
      const recall = clock.after(patience, () => late.abort());
      const request = (asked: string, about: object) =>
        peer.request(asked, { ...around, ...about }, { signal: late.signal });
      try {
        return await request(method, params).catch(async (error: unknown) => {
          const wish = permissionIn(error);
          if (!wish || wish.write || method === 'resourceRequest') throw error;
          await request('resourceRequest', { ...wish });
          return request(method, params);
        });
      } finally {
        recall();
      }
    },
  };
}

const permission = z.object({
  request: z.object({ uri: z.string(), read: z.boolean().optional(), write: z.boolean().optional() }),
});

/** A client that requires permission for access is asked for read access only. */
function permissionIn(error: unknown): z.infer<typeof permission>['request'] | undefined {
  if (!(error instanceof RpcError) || error.code !== errorCodes.permissionDenied) return undefined;
  return permission.safeParse(error.data).data?.request;
}
