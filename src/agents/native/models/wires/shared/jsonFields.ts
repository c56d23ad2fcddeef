// Reads fields of untrusted JSON. A missing field or one of another type reads as empty.

export type JsonFields = { readonly [name: string]: unknown };

const nothing: JsonFields = {};
const empty: readonly unknown[] = [];

export function fields(value: unknown): JsonFields {
  return isFields(value) ? value : nothing;
}

export function isFields(value: unknown): value is JsonFields {
  return typeof value === 'object' && value !== null;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : empty;
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
