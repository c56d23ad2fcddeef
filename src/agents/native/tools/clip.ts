// Keeps the beginning and the end of a text that may be far too long; what lies between is counted and dropped.

/** How many characters of output a model gets from one call. */
export const outputLimit = 60_000;

export interface Clip {
  add(text: string): void;
  text(): string;
}

export function clip(limit: number): Clip {
  const half = Math.floor(limit / 2);
  let head = '';
  let tail = '';
  let dropped = 0;
  return {
    add(text) {
      const room = half - head.length;
      if (room > 0) head += text.slice(0, room);
      tail += room > 0 ? text.slice(room) : text;
      // Cutting only now and then keeps a flood of small pieces cheap.
      if (tail.length > limit) cut();
    },
    text() {
      cut();
      return dropped === 0 ? head + tail : `${head}\n[OUTPUT TRUNCATED] ${dropped} characters were left out here.\n${tail}`;
    },
  };

  function cut(): void {
    const surplus = Math.max(0, tail.length - half);
    dropped += surplus;
    tail = tail.slice(surplus);
  }
}

export function clipped(text: string, limit = outputLimit): string {
  const kept = clip(limit);
  kept.add(text);
  return kept.text();
}
