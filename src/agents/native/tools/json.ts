// Reads nested arguments. A value of the wrong type counts as missing.
import { isRecord } from '../../../base/isRecord.ts';
import type { Json } from '../../../model/event.ts';

export function field(value: Json | undefined, name: string): Json | undefined {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function textField(value: Json | undefined, name: string): string | undefined {
  const found = field(value, name);
  return typeof found === 'string' && found.trim() !== '' ? found.trim() : undefined;
}

export function listIn(value: Json | undefined, name: string): readonly Json[] | undefined {
  const found = field(value, name);
  return isList(found) ? found : undefined;
}

/** Some models write numbers as text. */
export function numberOf(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
