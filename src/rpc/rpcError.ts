// The error of one request, as sent or as received. Knows the codes of JSON-RPC itself and of this peer, no others.

export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  cancelled: -32800,
  /** Too many requests in flight. */
  overloaded: -32099,
  /** Never on the wire: the connection ended before the answer came. */
  connectionClosed: -32098,
} as const;

export class RpcError extends Error {
  override readonly name = 'RpcError';
  /** As the other side gave it: usually a number, but some protocols use words or leave it out. */
  readonly code: number | string | undefined;
  readonly data: unknown;
  /** The `error` member exactly as it is, or was, on the wire. */
  readonly body: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
    this.body = data === undefined ? { code, message } : { code, message, data };
  }

  /** An error whose body has any shape; it goes out as it is. */
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
    // A null error would read as "no error" to half of the clients.
    this.body = body ?? {};
  }
}
