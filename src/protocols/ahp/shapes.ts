// The forms that wire schemas are built from, and how a value is checked against one. It knows no message.
//
// Unknown fields are kept. For an optional field null counts as absent, because some clients write it so, and it is
// taken out; where that would be dangerous a field is strict and null is refused like any other wrong type.
import { z } from 'zod';

type Shape = Readonly<Record<string, z.ZodType>>;

type None = Record<never, never>;

type Flat<T> = { [K in keyof T]: T[K] };

/** The fields of an object, before it is known which object. */
export interface Fields<Required extends Shape, Optional extends Shape, Strict extends Shape> {
  readonly required: Required;
  readonly optional: Optional;
  readonly strict: Strict;
}

type OutputOf<F> =
  F extends Fields<infer Required, infer Optional, infer Strict>
    ? Flat<
        { [K in keyof Required]: z.output<Required[K]> } & { [K in keyof Optional]?: z.output<Optional[K]> } & {
          [K in keyof Strict]?: z.output<Strict[K]>;
        }
      >
    : never;

type AnyFields = Fields<Shape, Shape, Shape>;

export function fields<Required extends Shape, Optional extends Shape = None, Strict extends Shape = None>(
  required: Required,
  optional: Optional = {} as Optional,
  strict: Strict = {} as Strict,
): Fields<Required, Optional, Strict> {
  return { required, optional, strict };
}

export function object<Required extends Shape, Optional extends Shape = None, Strict extends Shape = None>(
  required: Required,
  optional?: Optional,
  strict?: Strict,
): z.ZodType<OutputOf<Fields<Required, Optional, Strict>>> {
  return objectOf(fields(required, optional, strict));
}

export function objectOf<F extends AnyFields>({ required, optional, strict }: F): z.ZodType<OutputOf<F>> {
  const nullable = Object.entries(optional).map(([key, schema]) => [key, schema.nullish()] as const);
  const exact = Object.entries(strict).map(([key, schema]) => [key, schema.optional()] as const);
  const shape = { ...required, ...Object.fromEntries(nullable), ...Object.fromEntries(exact) };
  const keys = Object.keys(optional);
  const schema = z.looseObject(shape).transform(value => withoutNulls(value, keys));
  return schema as unknown as z.ZodType<OutputOf<F>>;
}

type Variants = Readonly<Record<string, AnyFields>>;

type TaggedOutput<Tag extends string, V extends Variants> = {
  [K in keyof V & string]: { [T in Tag]: K } & OutputOf<V[K]>;
}[keyof V & string];

/** One of several objects, told apart by the word in one field. */
export function tagged<Tag extends string, V extends Variants>(
  tag: Tag,
  variants: V,
): z.ZodType<TaggedOutput<Tag, V>> {
  const options = Object.entries(variants).map(([word, { required, optional, strict }]) =>
    objectOf(fields({ ...required, [tag]: z.literal(word) }, optional, strict)),
  );
  return z.discriminatedUnion(tag, options as never) as unknown as z.ZodType<TaggedOutput<Tag, V>>;
}

/** As above, but a word from the future makes a variant that is carried along unchecked. */
export function openTagged<Tag extends string, V extends Variants>(
  tag: Tag,
  variants: V,
): z.ZodType<TaggedOutput<Tag, V>> {
  const unknownWord = z.string().refine(word => !Object.hasOwn(variants, word), { error: 'malformed variant' });
  const unknownVariant = z.looseObject({ [tag]: unknownWord });
  return z.union([tagged(tag, variants), unknownVariant]) as unknown as z.ZodType<TaggedOutput<Tag, V>>;
}

/** One schema per action type, each with its type among the fields. */
export function actionSchemas<V extends Variants>(
  variants: V,
): { readonly [Type in keyof V & string]: z.ZodType<{ readonly type: Type } & OutputOf<V[Type]>> } {
  const schemas = Object.entries(variants).map(
    ([type, { required, optional, strict }]) =>
      [type, objectOf(fields({ ...required, type: z.literal(type) }, optional, strict))] as const,
  );
  return Object.fromEntries(schemas) as never;
}

export function list<Item extends z.ZodType>(item: Item): z.ZodType<readonly z.output<Item>[]> {
  return z.array(item);
}

export function dictionary<Value extends z.ZodType>(value: Value): z.ZodType<Readonly<Record<string, z.output<Value>>>> {
  return z.record(z.string(), value);
}

export const text = z.string();
export const number = z.number();
export const flag = z.boolean();
/** An object whose content is not ours to check. */
export const anything: z.ZodType<Readonly<Record<string, unknown>>> = z.looseObject({});

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** The problem names places and expected types, never the values that were sent. */
export function parse<T>(schema: z.ZodType<T>, value: unknown): Parsed<T> {
  const result = schema.safeParse(value);
  return result.success ? { ok: true, value: result.data } : { ok: false, problem: describe(result.error.issues) };
}

function describe(issues: readonly z.core.$ZodIssue[], prefix: readonly PropertyKey[] = []): string {
  const [issue] = issues;
  if (issue === undefined) return 'malformed';
  const path = [...prefix, ...issue.path];
  const nested = issue.code === 'invalid_union' ? issue.errors.find(errors => errors.length > 0) : undefined;
  if (nested !== undefined) return describe(nested, path);
  return path.length === 0 ? issue.message : `${path.map(String).join('.')}: ${issue.message}`;
}

function withoutNulls(value: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  const nulls = keys.filter(key => value[key] === null);
  if (nulls.length === 0) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !nulls.includes(key)));
}
