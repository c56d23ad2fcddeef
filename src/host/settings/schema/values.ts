// What all sections of the settings schema have in common: how a setting is described, and frequent values.
import * as z from 'zod';
import type { Json } from '../../../model/event.ts';

/** The values that a schema accepts, as the program reads them. */
export type SettingOf<T extends z.ZodType> = DeepReadonly<z.output<T>>;

/** `Json` is read-only already. */
type DeepReadonly<T> = Json extends T
  ? T
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/** A setting with its meaning and an example; both are shown in editors and in docs/settings.md. */
export function setting<T extends z.ZodType>(schema: T, meaning: string, example: z.output<T>): T {
  return schema.meta({ description: meaning, examples: [example] });
}

/** The same for a setting that may be absent. */
export function optional<T extends z.ZodType>(
  schema: T,
  meaning: string,
  example: z.output<T>,
): z.ZodExactOptional<T> {
  return z.exactOptional(schema).meta({ description: meaning, examples: [example] });
}

export const flag = z.boolean();
export const text = z.string();
/** A text that is not empty. */
export const word = z.string().min(1);
export const name = z.string().min(1).max(200);
export const count = z.int().min(1);
export const countOrZero = z.int().min(0);
export const percent = z.int().min(10).max(100);
export const money = z.number().positive();
export const strings = z.array(z.string());
export const json: z.ZodType<Json> = z.json();

/** Settings with such a name must refer to the environment or to a stored secret. */
const secretName = /authorization|cookie|token|secret|password|api[-_]?key/i;
/**
 * `${env:NAME}` and `${env:NAME:default}` refer to the environment, `${secret:NAME}` to a stored secret. The
 * text is expanded only where it is used.
 */
const reference = /\$\{(?:env:[A-Za-z_]\w*(?::[^}]*)?|secret:[^}]+)\}/;
const onlyReference = /^\$\{(?:env:[A-Za-z_]\w*|secret:[^}]+)\}$/;

export function isSecretName(key: string): boolean {
  return secretName.test(key);
}

export function isReference(value: string): boolean {
  return reference.test(value);
}

/** A secret: a reference and nothing else. */
export function secret(error: string) {
  return z.string().regex(onlyReference, { error });
}

/** Strings by name; the value of a secret name must be a reference. */
export const namedStrings = z
  .record(name, z.string())
  .refine(
    (values) => Object.entries(values).every(([key, value]) => !isSecretName(key) || isReference(value)),
    { error: 'contains a secret; store it in an environment variable and write ${env:NAME} here' },
  );

export const expression = z.string().refine(isExpression, { error: 'is not a regular expression' });

export function isExpression(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'su') instanceof RegExp;
  } catch {
    return false;
  }
}
