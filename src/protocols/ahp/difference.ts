// Says in words where two JSON values differ. The order of keys does not count, and null is
// not the same as absent.
import { isRecord } from '../../base/isRecord.ts';

/** One line per difference; none when the values are equal. */
export function diff(expected: unknown, actual: unknown, path = ''): readonly string[] {
  if (Object.is(expected, actual)) return [];
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const length = Math.max(expected.length, actual.length);
    return Array.from({ length }, (_, index) => index).flatMap((index) =>
      diff(memberOf(expected, index), memberOf(actual, index), `${path}[${index}]`),
    );
  }
  if (isRecord(expected) && isRecord(actual)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    return [...keys].flatMap((key) => diff(memberOf(expected, key), memberOf(actual, key), `${path}.${key}`));
  }
  return [`${path === '' ? 'value' : path}: expected ${show(expected)}, got ${show(actual)}`];
}

const absent = Symbol('absent');

function memberOf(owner: object, key: PropertyKey): unknown {
  return Object.hasOwn(owner, key) ? Reflect.get(owner, key) : absent;
}

function show(value: unknown): string {
  return value === absent ? 'nothing' : JSON.stringify(value);
}
