// Keeps texts that were made from other texts, up to a number of characters of the others; what was not asked for longest goes first.

export interface Keeper {
  take(source: string): string | undefined;
  /** Returns what was put. */
  put(source: string, made: string): string;
}

export function createKeeper(most: number): Keeper {
  const byAge = new Map<string, string>();
  let size = 0;
  return {
    take: (source) => {
      const made = byAge.get(source);
      if (made === undefined) return undefined;
      byAge.delete(source);
      byAge.set(source, made);
      return made;
    },
    put: (source, made) => {
      byAge.set(source, made);
      size += source.length;
      for (const oldest of byAge.keys()) {
        if (size <= most) break;
        byAge.delete(oldest);
        size -= oldest.length;
      }
      return made;
    },
  };
}
