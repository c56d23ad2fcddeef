// How many lines an edit adds and takes away. Knows two texts and nothing else.

/** Above this many comparisons lines are only counted, not aligned. */
const most = 1_000_000;

export function lineCounts(
  before: string,
  after: string,
): { readonly added: number; readonly removed: number } {
  const [old, now] = trimmed(linesOf(before), linesOf(after));
  const common = old.length * now.length > most ? shared(old, now) : longest(old, now);
  return { added: now.length - common, removed: old.length - common };
}

function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

/** Both without the lines in which they begin and end alike. */
function trimmed(
  old: readonly string[],
  now: readonly string[],
): readonly [readonly string[], readonly string[]] {
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1;
  return [old.slice(start, old.length - end), now.slice(start, now.length - end)];
}

/** The length of the longest common sequence of lines. */
function longest(old: readonly string[], now: readonly string[]): number {
  let above = new Uint32Array(now.length + 1);
  for (const line of old) {
    const row = new Uint32Array(now.length + 1);
    for (const [i, other] of now.entries())
      row[i + 1] = line === other ? (above[i] ?? 0) + 1 : Math.max(above[i + 1] ?? 0, row[i] ?? 0);
    above = row;
  }
  return above[now.length] ?? 0;
}

/** How many lines are in both, in any order. */
function shared(old: readonly string[], now: readonly string[]): number {
  const left = new Map<string, number>();
  for (const line of old) left.set(line, (left.get(line) ?? 0) + 1);
  let count = 0;
  for (const line of now) {
    const more = left.get(line) ?? 0;
    if (more > 0) count += 1;
    left.set(line, more - 1);
  }
  return count;
}
