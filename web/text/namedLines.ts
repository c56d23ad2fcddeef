// Names and values as lines of text, such as `NAME=value` or `Name: value`. Pure.

type Named = Readonly<Record<string, string>>;

/** The first line that is not a name and a value, or all of them. */
export function parseLines(
  text: string,
  separator: '=' | ':',
): { readonly values: Named } | { readonly wrong: string } {
  const lines = text.split('\n').map((line) => line.trim());
  const pairs = lines.filter(Boolean).map((line): readonly [string, string, string] => {
    const at = line.indexOf(separator);
    return [line, line.slice(0, Math.max(0, at)).trim(), line.slice(at + 1).trim()];
  });
  const wrong = pairs.find(([, name]) => name === '');
  if (wrong) return { wrong: wrong[0] };
  return { values: Object.fromEntries(pairs.map(([, name, value]) => [name, value])) };
}

export function formatLines(values: Named, separator: '=' | ':'): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}${separator === ':' ? ': ' : '='}${value}`)
    .join('\n');
}
