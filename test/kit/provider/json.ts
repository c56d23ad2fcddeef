// Looks into JSON that somebody else wrote: whatever is not there is nothing, never an error.

export interface JsonCursor {
  readonly value: unknown;
  at(...names: readonly (string | number)[]): JsonCursor;
  list(): readonly JsonCursor[];
  /** The text, or nothing where it is none. */
  text(): string;
  keys(): readonly string[];
  readonly there: boolean;
}

export function look(value: unknown): JsonCursor {
  return {
    value,
    there: value !== undefined && value !== null,
    at: (...names) =>
      look(
        names.reduce<unknown>(
          (from, name) =>
            typeof from === 'object' && from !== null ? (Reflect.get(from, name) as unknown) : undefined,
          value,
        ),
      ),
    list: () => (Array.isArray(value) ? value.map(look) : []),
    text: () => (typeof value === 'string' ? value : ''),
    keys: () => (typeof value === 'object' && value !== null ? Object.keys(value) : []),
  };
}

/** The words of a message whose content is a text or a list of parts. */
export function wordsOf(content: JsonCursor): string {
  if (typeof content.value === 'string') return content.value;
  return content
    .list()
    .map((part) => part.text() || part.at('text').text())
    .filter(Boolean)
    .join('\n');
}
