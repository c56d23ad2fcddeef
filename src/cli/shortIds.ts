// IDs as the command line shows them: as short as they can be told apart.

const shortest = 8;

/** For each ID its shortest prefix of at least 8 characters that begins no other one. */
export function shortIds(ids: Iterable<string>): ReadonlyMap<string, string> {
  const sorted = [...new Set(ids)].toSorted();
  const found = new Map<string, string>();
  // In this order the ones that share the most stand side by side.
  let before = 0;
  sorted.forEach((id, at) => {
    const after = sharedLength(id, sorted[at + 1]);
    found.set(id, id.slice(0, Math.max(shortest, before + 1, after + 1)));
    before = after;
  });
  return found;
}

function sharedLength(id: string, other = ''): number {
  let length = 0;
  while (length < id.length && id.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}
