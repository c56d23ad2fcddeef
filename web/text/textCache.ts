// A least-recently-used cache from source texts to rendered texts, limited by the length of the sources.

export interface TextCache {
  get(source: string): string | undefined;
  /** Returns `rendered`. */
  set(source: string, rendered: string): string;
}

export function createTextCache(maxLength: number): TextCache {
  const byAge = new Map<string, string>();
  let size = 0;
  return {
    get: (source) => {
      const rendered = byAge.get(source);
      if (rendered === undefined) return undefined;
      byAge.delete(source);
      byAge.set(source, rendered);
      return rendered;
    },
    set: (source, rendered) => {
      byAge.set(source, rendered);
      size += source.length;
      for (const oldest of byAge.keys()) {
        if (size <= maxLength) break;
        byAge.delete(oldest);
        size -= oldest.length;
      }
      return rendered;
    },
  };
}
