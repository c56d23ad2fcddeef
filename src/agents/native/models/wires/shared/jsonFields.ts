// Looks into JSON that strangers sent: what is not there or is something else than expected is simply not there.

export type Fields = { readonly [name: string]: unknown };

const nothing: Fields = {};
const empty: readonly unknown[] = [];

export function fields(value: unknown): Fields {
  return isFields(value) ? value : nothing;
}

export function isFields(value: unknown): value is Fields {
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
