// Reads what was sent with a control request; what does not fit is said in words.
import * as z from 'zod';
import { RpcError, rpcCodes } from '../rpc/rpcError.ts';

export function readParams<T>(schema: z.ZodType<T>, params: unknown): T {
  const result = schema.safeParse(params);
  if (!result.success) throw new RpcError(rpcCodes.invalidParams, z.prettifyError(result.error));
  return result.data;
}
