// Refusals as the errors of requests. Knows codes, no request.
import { awayStore } from '../../host/door.ts';
import { NotStored, NotCarriedOut, isAway, storeIsAway } from '../../host/session/logStore.ts';
import type { Rejection, RejectionCode } from '../../model/command.ts';
import { errorCodes } from '../../protocols/ahp/errors.ts';
import type { ErrorName } from '../../protocols/ahp/errors.ts';
import { RpcError } from '../../rpc/rpcError.ts';

export function ahpError(name: ErrorName, message: string, data?: unknown): RpcError {
  return new RpcError(errorCodes[name], message, data);
}

/** Translates a rejection of the model; `already` is the code for an id that exists. */
export function refusedBy({ rejected, message }: Rejection, already: ErrorName = 'alreadyExists'): RpcError {
  return ahpError(rejected === 'already-exists' ? already : names[rejected], message);
}

/** The store is away; a pipe tries again. */
export function unavailable({ message }: Rejection): RpcError {
  return ahpError(names.unavailable, message, awayStore);
}

/**
 * The error of a request whose effect could not be stored, that the host which owns the session refused, or
 * that needs a store that is away; other errors are returned unchanged.
 */
export function explainLoss(error: unknown): unknown {
  if (error instanceof NotCarriedOut) return refusedBy(error.rejection);
  if (isAway(error)) return unavailable(storeIsAway);
  return error instanceof NotStored ? ahpError('internalError', error.message) : error;
}

const names: Record<RejectionCode, ErrorName> = {
  'already-exists': 'alreadyExists',
  'not-found': 'sessionNotFound',
  'unknown-chat': 'notFound',
  'unknown-turn': 'notFound',
  'unknown-message': 'notFound',
  'unknown-tool': 'notFound',
  'unknown-ask': 'notFound',
  'already-answered': 'conflict',
  'turn-active': 'turnInProgress',
  'no-turn': 'conflict',
  'wrong-state': 'conflict',
  invalid: 'invalidParams',
  'unknown-agent': 'providerNotFound',
  damaged: 'permissionDenied',
  newer: 'permissionDenied',
  elsewhere: 'conflict',
  unavailable: 'internalError',
};
