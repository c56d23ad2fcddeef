// Converts the host's refusals to JSON-RPC errors.
import { awayStore } from '../../host/door.ts';
import { NotStored, NotCarriedOut, isAway, storeIsAway } from '../../host/session/logStore.ts';
import type { Rejection, RejectionCode } from '../../model/command.ts';
import { resourceNotFound } from '../../protocols/acp/v1/methods.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';

export function unknownSession(sessionId: string, message = `There is no session ${sessionId}.`): RpcError {
  return new RpcError(resourceNotFound, message, { sessionId });
}

export function invalidParams(message: string, data?: unknown): RpcError {
  return new RpcError(rpcCodes.invalidParams, message, data);
}

export function rejectionError({ rejected, message }: Rejection, sessionId: string): RpcError {
  const code = codes[rejected];
  return new RpcError(code, message, code === resourceNotFound ? { sessionId } : { code: rejected });
}

/**
 * The error of a request whose effect could not be stored, that the host which owns the session refused, or
 * that needs a store that is away; any other error stays what it is.
 */
export function explainLoss(error: unknown): unknown {
  if (error instanceof NotCarriedOut) {
    const { rejected, message } = error.rejection;
    return new RpcError(codes[rejected], message, { code: rejected });
  }
  if (isAway(error)) return new RpcError(codes.unavailable, storeIsAway.message, awayStore);
  return error instanceof NotStored
    ? new RpcError(rpcCodes.internalError, error.message, { code: 'storage' })
    : error;
}

/** Why a request to the client failed. */
export function failureOf(error: unknown): { readonly code: number; readonly message: string } {
  if (error instanceof RpcError && typeof error.code === 'number')
    return { code: error.code, message: error.message };
  return { code: rpcCodes.internalError, message: 'The client failed.' };
}

const codes: Record<RejectionCode, number> = {
  'not-found': resourceNotFound,
  'unknown-chat': resourceNotFound,
  'already-exists': rpcCodes.invalidParams,
  'unknown-turn': rpcCodes.invalidParams,
  'unknown-message': rpcCodes.invalidParams,
  'unknown-tool': rpcCodes.invalidParams,
  'unknown-ask': rpcCodes.invalidParams,
  'already-answered': rpcCodes.invalidParams,
  invalid: rpcCodes.invalidParams,
  'turn-active': rpcCodes.invalidRequest,
  'no-turn': rpcCodes.invalidRequest,
  'wrong-state': rpcCodes.invalidRequest,
  'unknown-agent': rpcCodes.internalError,
  damaged: rpcCodes.internalError,
  newer: rpcCodes.internalError,
  elsewhere: rpcCodes.invalidRequest,
  unavailable: rpcCodes.internalError,
};
