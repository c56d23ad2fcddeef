// Reads the arguments of a tool call. Pure.
import { isRecord } from '../../src/base/isRecord.ts';
import type { JsonObject } from '../../client/connection/incoming.ts';

/** Undefined for text that is not a JSON object. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
