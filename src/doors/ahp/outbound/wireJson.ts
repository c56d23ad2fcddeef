// Values parsed from JSON, with the type of the wire. The wire types are wider than those of the log.
import { isRecord } from '../../../base/isRecord.ts';
import type { Json } from '../../../model/event.ts';

export type JsonRecord = { readonly [key: string]: Json };

/** Not checked: every value was parsed from JSON or is built of such values. */
export function json(value: unknown): Json {
  // The wire types say unknown where JSON is all it can be.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return value as Json;
}

export function jsonRecord(value: Json | undefined): JsonRecord {
  return isRecord(value) ? value : {};
}

export function parseJson(text: string): Json | undefined {
  try {
    return json(JSON.parse(text));
  } catch {
    return undefined;
  }
}
