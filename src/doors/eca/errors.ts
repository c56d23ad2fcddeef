// The errors that ECA clients get. Clients know some of them by a name instead of a number.
import { awayStore } from '../../host/door.ts';
import type { Rejection } from '../../model/command.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';

export function invalidParams(message: string): RpcError {
  return new RpcError(rpcCodes.invalidParams, message);
}

export function unknownMessage(message: string, chat: string): RpcError {
  return invalidParams(`There is no message ${message} in chat ${chat}.`);
}

export function unknownChat(chat: string): RpcError {
  return RpcError.raw({ code: 'chat_not_found', message: `Chat ${chat} not found` });
}

/** Converts a refusal of the host. */
export function refused(message: string, data?: object): RpcError {
  return RpcError.raw({ code: 'invalid_request', message, ...(data && { data }) });
}

/** The store is away; a pipe tries again. */
export function unavailable({ message }: Rejection): RpcError {
  return refused(message, awayStore);
}

export function cursorExpired(): never {
  throw RpcError.raw({
    code: 'cursor_expired',
    message: 'Cursor no longer points to an existing message; refetch the latest page',
  });
}

export function cancelled(): RpcError {
  return new RpcError(rpcCodes.cancelled, 'Request cancelled');
}

/** An answer without a result, which editors show as a message of this type. */
export function noResult(type: 'warning' | 'info', message: string): RpcError {
  return RpcError.raw({ type, message });
}
