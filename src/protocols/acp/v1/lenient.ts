// The three ways ACP forgives what it reads: bad values become defaults, bad items are left out,
// null is an empty list.
import * as z from 'zod';

/** A value that is absent, null or wrong counts as absent. */
export function orNothing<T extends z.ZodType>(schema: T) {
  return schema
    .nullish()
    .transform((value) => value ?? undefined)
    .catch(undefined)
    .optional();
}

export function orElse<T extends z.ZodType>(schema: T, fallback: z.output<T>) {
  return schema.catch(() => fallback);
}

/** A list whose wrong items are left out. */
export function goodItems<T extends z.ZodType>(item: T) {
  return z.array(z.unknown()).transform((list) =>
    list.flatMap((value) => {
      const read = item.safeParse(value);
      return read.success ? [read.data] : [];
    }),
  );
}

/** A list whose items must be right, though the whole may be null or missing. */
export function listOrEmpty<T extends z.ZodType>(item: T) {
  return z
    .array(item)
    .nullish()
    .transform((list) => list ?? []);
}

export const meta = orNothing(z.record(z.string(), z.json()));
