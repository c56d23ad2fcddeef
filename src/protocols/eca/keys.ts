// Makes one key of the many spellings that ECA clients use. Knows which members hold data, not
// what any method means.

/**
 * `docText`, `doc-text`, `doc_text` and `DocText` are one key, `docText`, at every depth. What lies inside a
 * member that holds data (settings, environments, tool arguments) is left as it came, because there a key is
 * somebody's own word. A key that no protocol would use, such as one with blanks, is data too. Where two
 * spellings of one key are given, the one already spelled right wins.
 */
export function foldKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(foldKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => ({
    key,
    name: foldKey(key),
    inner: inner as unknown,
  }));
  const inOrder = [
    ...entries.filter(({ key, name }) => key !== name),
    ...entries.filter(({ key, name }) => key === name),
  ];
  return Object.fromEntries(
    inOrder.map(({ name, inner }) => [name, dataMembers.has(name) ? inner : foldKeys(inner)]),
  );
}

/** Members whose value is data: its keys are names that the user or a tool chose. */
const dataMembers: ReadonlySet<string> = new Set([
  'initializationOptions',
  'arguments',
  'input',
  'data',
  'env',
  'headers',
]);

const rightAlready = /^[a-z][a-z0-9]*(?:[A-Z][a-z0-9]+)*$/;
const protocolKey = /^[A-Za-z0-9_-]+$/;
const wordEnds = /[-_]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;

function foldKey(key: string): string {
  if (rightAlready.test(key) || !protocolKey.test(key)) return key;
  const [first, ...rest] = key
    .split(wordEnds)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
  return first === undefined
    ? key
    : first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
