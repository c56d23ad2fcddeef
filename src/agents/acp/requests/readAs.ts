// Parses params with a schema; a mismatch is an invalid-params error for the sender.
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';

interface Schema<T> {
  safeParse(value: unknown):
    | { readonly success: true; readonly data: T }
    | {
        readonly success: false;
        readonly error: {
          readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
        };
      };
}

export function readAs<T>(schema: Schema<T>, value: unknown): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const wrong = read.error.issues
    .map(({ path, message }) => `${path.map(String).join('.') || 'params'}: ${message}`)
    .join('; ');
  throw new RpcError(rpcCodes.invalidParams, `Invalid params: ${wrong}`);
}
