// Methods that are the same in both versions of ACP.
import * as z from 'zod';
import { interruptedRequest } from '../../../host/door.ts';
import { listSessionsParams, promptParams, sessionParams } from '../../../protocols/acp/v1/agentSchema.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import { call } from './readParams.ts';
import type { Feature, MethodHandler } from './readParams.ts';
import { listSessions } from './sessionList.ts';
import { closeSession, deleteSession } from './sessions.ts';
import type { prompt } from './prompts.ts';

export const bothVersions: Feature = [
  [
    'session/list',
    call(listSessionsParams, ({ connection, options }, params) =>
      listSessions(connection.host.summaries(), params, options.pageSize ?? 100),
    ),
  ],
  [
    'session/close',
    call(sessionParams, ({ connection }, { sessionId }) => closeSession(connection, sessionId)),
  ],
  [
    'session/delete',
    call(sessionParams, ({ connection }, { sessionId }) => deleteSession(connection, sessionId)),
  ],
];

interface RepeatOptions {
  readonly prompt: (...args: Parameters<typeof prompt>) => unknown;
  /** The handlers of requests that change nothing more the second time. */
  readonly repeatable: (method: string) => MethodHandler | undefined;
}

/** Handles a request that may have been handled by another host. */
export function repeatRequest({ prompt: ask, repeatable }: RepeatOptions): MethodHandler {
  const promptAgain = call(promptParams, ({ connection }, params, { signal }) =>
    ask(connection, params, { signal, isRepeated: true }),
  );
  return call(
    z.object({ method: z.string(), params: z.unknown() }),
    (caller, { method, params }, context) => {
      const known = method === 'session/prompt' ? promptAgain : repeatable(method);
      if (known) return known(caller, params, context);
      throw new RpcError(rpcCodes.internalError, interruptedRequest.message, interruptedRequest.data);
    },
  );
}
