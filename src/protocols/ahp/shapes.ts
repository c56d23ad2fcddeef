// The forms that wire schemas are built from, and how a value is checked against one. It knows no message.
//
// Unknown fields are kept. For an optional field null counts as absent, because some clients write it
// so, and it is taken out; where that would be dangerous a field is strict and null is refused like
// any other wrong type.
import * as z from 'zod';

type Shape = Readonly<Record<string, z.ZodType>>;

/**
 * The fields of an object, before it is known which object. Without optional or strict
 * ones that part is never.
 */
export interface ObjectFields<
  Required extends Shape,
  Optional extends Shape = never,
  Strict extends Shape = never,
> {
  readonly required: Required;
  readonly optional: Optional;
  readonly strict: Strict;
}

type AnyFields = ObjectFields<Shape, Shape, Shape>;

type Flat<T> = { [K in keyof T]: T[K] };

/** Where no fields were named, S is never or any shape. */
type OptionalOutput<S extends Shape> = string extends keyof S ? unknown : { [K in keyof S]?: z.output<S[K]> };

type OutputOf<F> =
  F extends ObjectFields<infer Required, infer Optional, infer Strict>
    ? Flat<
        { [K in keyof Required]: z.output<Required[K]> } & OptionalOutput<Optional> & OptionalOutput<Strict>
      >
    : never;

export function fields<Required extends Shape, Optional extends Shape = never, Strict extends Shape = never>(
  required: Required,
  optional?: Optional,
  strict?: Strict,
): ObjectFields<Required, Optional, Strict>;
export function fields(required: Shape, optional: Shape = {}, strict: Shape = {}): AnyFields {
  return { required, optional, strict };
}

export function object<Required extends Shape, Optional extends Shape = never, Strict extends Shape = never>(
  required: Required,
  optional?: Optional,
  strict?: Strict,
): z.ZodType<OutputOf<ObjectFields<Required, Optional, Strict>>>;
export function object(required: Shape, optional: Shape = {}, strict: Shape = {}): z.ZodType {
  return looseObject({ required, optional, strict });
}

function looseObject({ required, optional, strict }: AnyFields) {
  const nullable = Object.entries(optional).map(([key, schema]) => [key, schema.nullish()] as const);
  const exact = Object.entries(strict).map(([key, schema]) => [key, schema.optional()] as const);
  const keys = Object.keys(optional);
  return z
    .looseObject({ ...required, ...Object.fromEntries(nullable), ...Object.fromEntries(exact) })
    .transform((value) => withoutNulls(value, keys));
}

type Variants = Readonly<Record<string, AnyFields>>;

type TaggedOutput<Tag extends string, V extends Variants> = {
  [K in keyof V & string]: { [T in Tag]: K } & OutputOf<V[K]>;
}[keyof V & string];

/** One of several objects, told apart by the word in one field. */
export function tagged<Tag extends string, V extends Variants>(
  tag: Tag,
  variants: V,
): z.ZodType<TaggedOutput<Tag, V>>;
export function tagged(tag: string, variants: Variants): z.ZodType {
  const [first, ...others] = Object.entries(variants).map(([word, variant]) => withTag(variant, tag, word));
  return first === undefined ? z.never() : z.discriminatedUnion(tag, [first, ...others]);
}

/** As above, but a word from the future makes a variant that is carried along unchecked. */
export function openTagged<Tag extends string, V extends Variants>(
  tag: Tag,
  variants: V,
): z.ZodType<TaggedOutput<Tag, V>>;
export function openTagged(tag: string, variants: Variants): z.ZodType {
  const unknownWord = z
    .string()
    .refine((word) => !Object.hasOwn(variants, word), { error: 'malformed variant' });
  return z.union([tagged(tag, variants), z.looseObject({ [tag]: unknownWord })]);
}

/** One schema per action type, each with its type among the fields. */
export function actionSchemas<V extends Variants>(
  variants: V,
): { readonly [Type in keyof V & string]: z.ZodType<{ readonly type: Type } & OutputOf<V[Type]>> };
export function actionSchemas(variants: Variants): Readonly<Record<string, z.ZodType>> {
  const schemas = Object.entries(variants).map(
    ([type, variant]) => [type, withTag(variant, 'type', type)] as const,
  );
  return Object.fromEntries(schemas);
}

function withTag({ required, optional, strict }: AnyFields, tag: string, word: string) {
  return looseObject({ required: { ...required, [tag]: z.literal(word) }, optional, strict });
}

export function list<Item extends z.ZodType>(item: Item): z.ZodType<readonly z.output<Item>[]> {
  return z.array(item);
}

export function dictionary<Value extends z.ZodType>(
  value: Value,
): z.ZodType<Readonly<Record<string, z.output<Value>>>> {
  return z.record(z.string(), value);
}

/** A set of words that later versions may extend: an unknown word is carried along. */
export type OpenSet<Word extends string> = Word | (string & {});

/** A word of an open set; the known ones are for readers. */
export function openWord<Word extends string>(): z.ZodType<OpenSet<Word>> {
  return z.string();
}

export const text = z.string();
export const number = z.number();
export const flag = z.boolean();
/** An object whose content is not ours to check. */
export const anything: z.ZodType<Readonly<Record<string, unknown>>> = z.looseObject({});

export type ParseResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

/** The problem names places and expected types, never the values that were sent. */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): ParseResult<z.output<Schema>> {
  const result = schema.safeParse(value);
  return result.success
    ? { ok: true, value: result.data }
    : { ok: false, problem: describe(result.error.issues) };
}

function describe(issues: readonly z.core.$ZodIssue[], prefix: readonly PropertyKey[] = []): string {
  const [issue] = issues;
  if (issue === undefined) return 'malformed';
  const path = [...prefix, ...issue.path];
  const nested =
    issue.code === 'invalid_union' ? issue.errors.find((errors) => errors.length > 0) : undefined;
  if (nested !== undefined) return describe(nested, path);
  return path.length === 0 ? issue.message : `${path.map(String).join('.')}: ${issue.message}`;
}

function withoutNulls(value: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  const nulls = keys.filter((key) => value[key] === null);
  if (nulls.length === 0) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !nulls.includes(key)));
}
