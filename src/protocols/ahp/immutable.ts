// Copy-on-write helpers for the reducers. They know objects and lists, and no protocol type.

/**
 * A copy with `key` set, or without `key` when the value is absent; the owner itself when
 * nothing would change.
 */
export function put<T extends object, K extends keyof T>(owner: T, key: K, value: T[K] | undefined): T;
export function put(owner: object, key: PropertyKey, value: unknown): object {
  const copy: Record<PropertyKey, unknown> = { ...owner };
  if (copy[key] === value) return owner;
  if (value === undefined) delete copy[key];
  else copy[key] = value;
  return copy;
}

/**
 * A copy with `item` in place of the first entry that is the same thing, or at the end when there is none.
 */
export function upsert<T>(list: readonly T[], item: T, isSame: (entry: T) => boolean): readonly T[] {
  const index = list.findIndex(isSame);
  return index < 0 ? [...list, item] : replaceAt(list, index, item);
}

export function replaceAt<T>(list: readonly T[], index: number, item: T): readonly T[] {
  const copy = list.slice();
  copy[index] = item;
  return copy;
}

export function removeAt<T>(list: readonly T[], index: number): readonly T[] {
  return [...list.slice(0, index), ...list.slice(index + 1)];
}

/** A copy without the entries that match; the list itself when none does. */
export function removeWhere<T>(list: readonly T[], matches: (entry: T) => boolean): readonly T[] {
  const kept = list.filter((entry) => !matches(entry));
  return kept.length === list.length ? list : kept;
}

/** The known entries in the wanted order, each once, and behind them the rest in their old order. */
export function reorder<T extends { readonly id: string }>(
  list: readonly T[],
  order: readonly string[],
): readonly T[] {
  const byId = new Map(list.map((entry) => [entry.id, entry]));
  const wanted = new Set(order);
  const first = [...wanted].flatMap((id) => byId.get(id) ?? []);
  return [...first, ...list.filter((entry) => !wanted.has(entry.id))];
}

/** The list, or nothing when it is empty: the protocol has no empty optional queue. */
export function unlessEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined;
}
