// One method of ours: reads the params by their schema, then does the work. What cannot be read is refused in words.
import type * as z from 'zod';
import type { RequestContext } from '../../../rpc/peer.ts';
import type { Connection } from '../connection.ts';
import type { AcpOptions } from '../door.ts';
import { invalidParams } from '../errors.ts';

export interface Caller {
  readonly connection: Connection;
  readonly options: AcpOptions;
}

export type Call = (caller: Caller, params: unknown, context: RequestContext) => unknown;

/** A part of the protocol by its methods. One that is not stable can be dropped with its file and its mark in the greeting. */
export type Feature = readonly (readonly [method: string, call: Call])[];

/** A notification of clients that is not stable either, by its name. */
export type Heard = readonly [method: string, hear: (caller: Caller, params: unknown) => void];

export function call<T extends z.ZodType>(
  schema: T,
  handle: (caller: Caller, params: z.output<T>, context: RequestContext) => unknown,
): Call {
  return (caller, params, context) => {
    const read = schema.safeParse(params ?? {});
    if (!read.success) throw invalidParams(`Invalid params: ${read.error.issues.map(worded).join('; ')}`);
    return handle(caller, read.data, context);
  };
}

function worded({
  path,
  message,
}: {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}
