// The background jobs of a session, for the console to list, read and end.
import * as z from 'zod';
import type { Host } from '../../host/host.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import { name, readParams } from './readParams.ts';
import type { ControlMethod } from './sessions.ts';

export function jobMethods({ jobs }: Pick<Host, 'jobs'>): { readonly [name: string]: ControlMethod } {
  return {
    'jobs/list': (params) =>
      jobs
        .list(readParams(z.object({ session: name }), params))
        .map(({ id, chat, label, command, status, exitCode, startedAt, endedAt }) => ({
          ...{ id, chat, label, command, status, startedAt },
          ...(exitCode === null ? {} : { exitCode }),
          ...(endedAt === undefined ? {} : { endedAt }),
        })),
    /** The stored output; a reader in the console takes nothing from what the agent will read. */
    'jobs/read': (params) => {
      const found = jobs.read(readParams(z.object({ id: name }), params).id);
      if (!found) throw new RpcError(rpcCodes.invalidParams, 'This job no longer exists.');
      return { text: found.lines.map(({ text }) => text).join('\n') };
    },
    'jobs/kill': (params) => jobs.kill(readParams(z.object({ id: name }), params).id),
  };
}
