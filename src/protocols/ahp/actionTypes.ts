// How the types of actions are made from maps of payloads and from the schemas of what clients may dispatch.
import type { z } from 'zod';

/** The union of the actions in a map from type to payload. */
export type ActionsOf<Payloads> = {
  [Type in keyof Payloads & string]: { readonly type: Type } & Payloads[Type];
}[keyof Payloads & string];

/** The actions that clients may dispatch on one kind of channel, as a map from type to payload. */
export type ClientActions<Schemas extends Readonly<Record<string, z.ZodType>>, Channel extends string> = {
  [Type in Extract<keyof Schemas, `${Channel}/${string}`>]: z.output<Schemas[Type]>;
};

/** Requests by their method: the params are what the schemas let in. */
export type RequestsOf<Schemas extends Readonly<Record<keyof Results, z.ZodType>>, Results> = {
  [Method in keyof Results]: { params: z.output<Schemas[Method]>; result: Results[Method] };
};
