// Makes hidden characters visible in every text of a JSON value, names included.
import { isRecord } from './isRecord.ts';
import { visibleText } from './visibleText.ts';

/** For arguments that a client shows to a person who decides. The shape stays the same. */
export function visibleValue(value: unknown): unknown {
  if (typeof value === 'string') return visibleText(value);
  if (Array.isArray(value)) return value.map(visibleValue);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [visibleText(name), visibleValue(each)]),
  );
}
