// A copy of any value that is fit for a log: secrets hidden, errors spelled out, long and deep things cut, loops ended.

const secretName = /token|key|authorization|password|secret/i;
const longest = 4_000;
const deepest = 8;
const widest = 200;

export function redact(details: object): object {
  return Object.fromEntries(entriesOf(details, new Set([details])));
}

function entriesOf(value: object, around: ReadonlySet<object>): [string, unknown][] {
  return Object.entries(value)
    .slice(0, widest)
    .map(([name, inner]) => [name, isSecret(name, inner) ? '[hidden]' : plain(inner, around)]);
}

/** Counts of tokens are no secrets, and neither is the absence of one. */
function isSecret(name: string, value: unknown): boolean {
  return (
    secretName.test(name) &&
    value !== undefined &&
    value !== null &&
    typeof value !== 'number' &&
    typeof value !== 'boolean'
  );
}

function plain(value: unknown, around: ReadonlySet<object>): unknown {
  if (typeof value === 'object' && value !== null) return plainObject(value, around);
  if (typeof value === 'string')
    return value.length > longest ? `${value.slice(0, longest)}… (${value.length} characters)` : value;
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
  return typeof value === 'function' ? '[function]' : value;
}

function plainObject(value: object, around: ReadonlySet<object>): unknown {
  if (around.has(value)) return '[loop]';
  if (around.size >= deepest) return '[deep]';
  const inside = new Set([...around, value]);
  if (Array.isArray(value)) return value.slice(0, widest).map((inner) => plain(inner, inside));
  if (value instanceof Error)
    return Object.fromEntries([
      ['name', value.name],
      ['message', plain(value.message, inside)],
      ['stack', plain(value.stack, inside)],
      ...entriesOf(value, inside),
      ...causeOf(value, inside),
    ]);
  if (value instanceof Date || value instanceof URL) return value.toJSON();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Map || value instanceof Set) return plain([...value], around);
  return Object.fromEntries(entriesOf(value, inside));
}

function causeOf(error: Error, around: ReadonlySet<object>): [string, unknown][] {
  return error.cause === undefined ? [] : [['cause', plain(error.cause, around)]];
}
