// A method handler with its params schema. Params that do not match are refused with a message.
import type * as z from 'zod';
import type { RequestContext } from '../../../rpc/peer.ts';
import type { AcpConnection } from '../connection.ts';
import type { AcpOptions } from '../options.ts';
import { invalidParams } from '../errors.ts';

export interface Caller {
  readonly connection: AcpConnection;
  readonly options: AcpOptions;
}

export type MethodHandler = (caller: Caller, params: unknown, context: RequestContext) => unknown;

/**
 * Handlers by method name. An unstable group can be removed with its file and its capability in the greeting.
 */
export type Feature = readonly (readonly [method: string, call: MethodHandler])[];

/** Handlers of unstable notifications by method name. */
export type NotificationHandler = readonly [
  method: string,
  handle: (caller: Caller, params: unknown) => void,
];

export function call<T extends z.ZodType>(
  schema: T,
  handle: (caller: Caller, params: z.output<T>, context: RequestContext) => unknown,
): MethodHandler {
  return (caller, params, context) => {
    const parsed = schema.safeParse(params ?? {});
    if (!parsed.success)
      throw invalidParams(`Invalid params: ${parsed.error.issues.map(issueText).join('; ')}`);
    return handle(caller, parsed.data, context);
  };
}

function issueText({
  path,
  message,
}: {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}
