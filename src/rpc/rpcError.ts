// The error of one request, as sent or received, and the error codes of JSON-RPC and of this peer.

export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  cancelled: -32800,
  /** Too many requests in flight. */
  overloaded: -32099,
  /** Never sent: the connection ended before the answer arrived. */
  connectionClosed: -32098,
} as const;

export class RpcError extends Error {
  override readonly name = 'RpcError';
  /** As received: usually a number, but some protocols use strings or omit it. */
  readonly code: number | string | undefined;
  readonly data: unknown;
  /** The `error` member exactly as sent or received. */
  readonly body: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
    this.body = data === undefined ? { code, message } : { code, message, data };
  }

  /** An error with a body of any shape, which is sent unchanged. */
  static raw(body: unknown): RpcError {
    return new RawRpcError(body);
  }
}

class RawRpcError extends RpcError {
  override readonly code: number | string | undefined;
  override readonly data: unknown;
  override readonly body: unknown;

  constructor(body: unknown) {
    const members: { code?: unknown; message?: unknown; data?: unknown } =
      typeof body === 'object' && body !== null ? body : {};
    super(rpcCodes.internalError, typeof members.message === 'string' ? members.message : 'Request failed');
    this.code =
      typeof members.code === 'number' || typeof members.code === 'string' ? members.code : undefined;
    this.data = members.data;
    // Many clients would read a null error as "no error".
    this.body = body ?? {};
  }
}
