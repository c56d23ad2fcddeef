// Results that are computed once, for functions of what never changes.

/** A value that is the same for the whole program, such as a loaded module; made on first use. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/**
 * Remembers the newest result for each object, as long as the object lives and the other causes are the same.
 * The result must depend on the object and the causes alone.
 */
export function memoPerObject<K extends object, V>(): (
  key: K,
  make: (key: K) => V,
  causes?: readonly unknown[],
) => V {
  const results = new WeakMap<K, { readonly causes: readonly unknown[]; readonly value: V }>();
  return (key, make, causes = []) => {
    const known = results.get(key);
    if (known?.causes.length === causes.length && known.causes.every((cause, at) => cause === causes[at]))
      return known.value;
    const value = make(key);
    results.set(key, { causes, value });
    return value;
  };
}
