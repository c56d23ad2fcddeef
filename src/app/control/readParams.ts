// Validates the parameters of a control request, and turns refusals into errors.
import * as z from 'zod';
import type { NotPossible } from '../../host/ports.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';

export function readParams<T>(schema: z.ZodType<T>, params: unknown): T {
  const result = schema.safeParse(params);
  if (!result.success) throw new RpcError(rpcCodes.invalidParams, z.prettifyError(result.error));
  return result.data;
}

export const name = z.string().min(1).max(200);

/** The result of a request: a refusal becomes an error, undefined becomes null. */
export function controlDone<T extends object>(answer: T | NotPossible | undefined): T | null {
  if (answer && 'refused' in answer) throw new RpcError(rpcCodes.invalidParams, answer.refused);
  return answer ?? null;
}
