// IDs as the command line shows them: as short as they can be told apart.

const shortest = 8;

/** For each ID its shortest prefix of at least 8 characters that begins no other one. */
export function shortIds(ids: Iterable<string>): ReadonlyMap<string, string> {
  const sorted = [...new Set(ids)].toSorted((a, b) => (a < b ? -1 : 1));
  // In this order the ones that share the most stand side by side.
  return new Map(
    sorted.map((id, at) => {
      const shared = Math.max(sharedLength(id, sorted[at - 1]), sharedLength(id, sorted[at + 1]));
      return [id, id.slice(0, Math.max(shortest, shared + 1))];
    }),
  );
}

function sharedLength(id: string, other = ''): number {
  let length = 0;
  while (length < id.length && id[length] === other[length]) length += 1;
  return length;
}
