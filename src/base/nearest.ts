// Finds the name that someone has probably meant.

/** The candidate that is most similar to a mistyped word; undefined if none is similar enough. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = distanceBetween(wanted, comparable(candidate, wanted));
    if (distance <= allowed(wanted) && (!best || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate ?? startingWith(wanted, candidates);
}

/** The model of a provider is often named without the provider. */
function comparable(candidate: string, word: string): string {
  const name = word.includes('/') ? candidate : candidate.slice(candidate.lastIndexOf('/') + 1);
  return name.toLowerCase();
}

/** A question to append to an error message; empty if nothing is similar. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const found = nearest(word, candidates);
  return found === undefined ? '' : ` Did you mean ${found}?`;
}

/** Words longer than this are not names that someone has mistyped. */
const longest = 100;

/** One mistake in a short word, more in a long one; none where any other word of that length would match. */
function allowed(word: string): number {
  if (word.length > longest) return -1;
  return word.length < 3 ? 0 : Math.max(1, Math.floor(word.length / 3));
}

/** Someone who types `comp` means the only name that begins with it. */
function startingWith(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length < 2) return undefined;
  const found = [...candidates].filter((candidate) => comparable(candidate, word).startsWith(word));
  return found.length === 1 ? found[0] : undefined;
}

/** Letters that were added, left out, replaced or swapped with their neighbour. */
function distanceBetween(a: string, b: string): number {
  let before: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          (current[column - 1] ?? 0) + 1,
          (previous[column] ?? 0) + 1,
          (previous[column - 1] ?? 0) + (same ? 0 : 1),
          isSwap ? (before[column - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    [before, previous] = [previous, current];
  }
  return previous[b.length] ?? 0;
}
