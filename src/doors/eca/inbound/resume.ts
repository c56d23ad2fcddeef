// Continues the connection of a client whose last host is gone: its chats go on where the client left them.
import * as z from 'zod';
import { interruptedRequest, pipeMethods } from '../../../host/door.ts';
import { stateAt } from '../../../host/session/catchUp.ts';
import { isRejection } from '../../../model/command.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import { continueLogins } from '../commands/login.ts';
import { continueModeQuestions } from '../commands/permissions.ts';
import type { EcaConnection } from '../connection.ts';
import { invalidParams, unavailable } from '../errors.ts';
import { openQuestions } from '../outbound/replay.ts';

/** Requests that may be handled again by another host, because the second time changes nothing more. */
const repeatable: ReadonlySet<string> = new Set([
  'initialize',
  'shutdown',
  'chat/list',
  'chat/open',
  'chat/history',
  'chat/delete',
  'chat/clear',
  'chat/update',
  'chat/addFlag',
  'chat/removeFlag',
  'chat/queryContext',
  'chat/queryFiles',
  'chat/queryCommands',
  'providers/list',
  'jobs/list',
  'jobs/readOutput',
  'completion/inline',
]);

const repeated = z.object({ method: z.string(), params: z.unknown() });

/** The request that the last host did not answer. One that may have had its effect is not made again. */
export function repeatedRequest(params: unknown): { readonly method: string; readonly params: unknown } {
  const { method, params: given } = repeated.parse(params);
  if (repeatable.has(method)) return { method, params: given };
  throw new RpcError(rpcCodes.internalError, interruptedRequest.message, interruptedRequest.data);
}

export function handlePipe(connection: EcaConnection, method: string, params: unknown): unknown {
  if (method === pipeMethods.resume) return resume(connection, params);
  if (method === pipeMethods.live) return askAgain(connection);
  throw new RpcError(rpcCodes.methodNotFound, 'Method not found', { method });
}

const selectionChoice = z.object({
  agent: z.string().exactOptional(),
  model: z.string().exactOptional(),
  variant: z.string().exactOptional(),
});

const resumeParams = z.object({
  kept: z.looseObject({ selection: selectionChoice.exactOptional() }),
});

/** A chat that was deleted in the meantime, or that this host cannot read, is left out. */
async function resume(connection: EcaConnection, params: unknown): Promise<object> {
  const read = resumeParams.safeParse(params);
  if (!read.success) throw invalidParams(read.error.message);
  const { selection, ...kept } = read.data.kept;
  if (selection) connection.selection.restore(selection);
  for (const [key, value] of Object.entries(kept)) {
    const [kind, id] = [key.slice(0, key.indexOf(':')), key.slice(key.indexOf(':') + 1)];
    if (kind === 'number' && typeof value === 'string')
      connection.ownChats.numbered.restore(Number(id), value);
    if (kind === 'mode' && typeof value === 'string') connection.ownChats.modeQuestions.begin(id, value);
    if (kind === 'login') connection.ownChats.logins.restore(id, value);
    const session = kind === 'seen' ? await connection.chats.look(id) : undefined;
    if (isRejection(session) && session.rejected === 'unavailable') throw unavailable(session);
    if (session && !isRejection(session) && typeof value === 'number')
      connection.chats.follow(session, id, { from: await stateAt(session, value) });
  }
  return {};
}

/** The last host took its open questions with it. */
function askAgain(connection: EcaConnection): object {
  const { chats, sender } = connection;
  for (const [root, state] of chats.states())
    for (const chat of state.order)
      for (const question of openQuestions(state, chat)) if (question.root === root) sender.deliver(question);
  continueLogins(connection);
  continueModeQuestions(connection);
  return {};
}
