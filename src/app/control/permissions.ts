// The requests about answers that hold for more than one call: list them, take one back, let one count again.
import * as z from 'zod';
import type { Host } from '../../host/host.ts';
import { isRejection } from '../../model/command.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import { readParams } from './readParams.ts';
import type { ControlMethod } from './sessions.ts';

const answerId = z.object({ id: z.string().min(1).max(256) });

export function permissionMethods({ answers, own }: Host): { readonly [name: string]: ControlMethod } {
  const change =
    (act: 'revoke' | 'confirm'): ControlMethod =>
    async (params, _, by) => {
      const { id } = readParams(answerId, params);
      const done = await answers[act](id, by);
      if (isRejection(done)) throw new RpcError(rpcCodes.invalidParams, done.message);
      if (typeof done === 'object')
        throw new RpcError(
          rpcCodes.invalidParams,
          `This answer was given on the host ${done.host}. Take it back there, or when that host is stopped.`,
        );
      if (!done)
        throw new RpcError(rpcCodes.invalidParams, 'There is no such answer. It may be revoked already.');
      await own.settled();
      return null;
    };
  return {
    'permissions/list': () => answers.list(),
    'permissions/revoke': change('revoke'),
    'permissions/confirm': change('confirm'),
  };
}
