// Reads what was sent with a control request, and says what came of it; what does not fit is said in words.
import * as z from 'zod';
import type { NotPossible } from '../../host/tools/toolServers.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';

export function readParams<T>(schema: z.ZodType<T>, params: unknown): T {
  const result = schema.safeParse(params);
  if (!result.success) throw new RpcError(rpcCodes.invalidParams, z.prettifyError(result.error));
  return result.data;
}

export const name = z.string().min(1).max(200);

/** A refusal becomes the error of the request; nothing to say is null. */
export function done<T extends object>(answer: T | NotPossible | undefined): T | null {
  if (answer && 'refused' in answer) throw new RpcError(rpcCodes.invalidParams, answer.refused);
  return answer ?? null;
}
