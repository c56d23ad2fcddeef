// The error codes of every version and the data some of them carry. It does not know when a host uses which.

export const errorCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  sessionNotFound: -32001,
  providerNotFound: -32002,
  sessionAlreadyExists: -32003,
  turnInProgress: -32004,
  unsupportedProtocolVersion: -32005,
  /** Version 1 only: since 0.9 it is reserved, and `notFound` stands for it. */
  contentNotFound: -32006,
  authRequired: -32007,
  notFound: -32008,
  permissionDenied: -32009,
  alreadyExists: -32010,
  /** Not known to version 1. */
  conflict: -32011,
} as const;

export type ErrorName = keyof typeof errorCodes;
