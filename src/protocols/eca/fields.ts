// The building blocks that the schemas of ECA share. Knows no method.
import * as z from 'zod';

export const text = z.string();

/** Null counts as absent. */
export const maybe = <T extends z.ZodType>(type: T) =>
  type.nullish().transform((value) => value ?? undefined);

export const list = <T extends z.ZodType>(type: T) =>
  z
    .array(type)
    .nullish()
    .transform((value) => value ?? []);

export const flag = maybe(z.boolean());

export const size = maybe(z.number().int().min(0));

/** Clients write a capability as `true` or as an object of details. */
export const capability = z
  .unknown()
  .optional()
  .transform((value) => value !== undefined && value !== null && value !== false);

export const nothing = z.unknown().transform(() => undefined);

export const position = z.object({ line: z.number(), character: z.number() });

export const range = z.object({ start: position, end: position });
