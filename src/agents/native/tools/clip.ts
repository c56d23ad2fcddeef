// Keeps the beginning and the end of a long text; the middle is counted and dropped.

/**
 * How many characters of its output a call keeps; a model gets less of it, and can read the rest in a file.
 */
export const keptLimit = 5_000_000;

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
      // Cutting rarely keeps many small pieces cheap.
      if (tail.length > limit) cut();
    },
    text() {
      cut();
      return dropped === 0 ? head + tail : `${head}\n${note(dropped)}\n${tail}`;
    },
  };

  function cut(): void {
    const surplus = Math.max(0, tail.length - half);
    dropped += surplus;
    tail = tail.slice(surplus);
  }
}

export function clipped(text: string, limit = keptLimit): string {
  const kept = clip(limit);
  kept.add(text);
  return kept.text();
}

export interface ShownLimits {
  readonly lines: number;
  readonly characters: number;
}

/**
 * The beginning and the end of a long text, with a note about the rest between them;
 * undefined if the text fits.
 */
export function clipMiddle(
  text: string,
  { lines: most, characters }: ShownLimits,
  about = '',
): string | undefined {
  const lines = text.split('\n');
  if (lines.length <= most && text.length <= characters) return undefined;
  const half = Math.max(1, Math.floor(most / 2));
  const [head, tail] =
    lines.length <= most ? [text, ''] : [lines.slice(0, half).join('\n'), lines.slice(-half).join('\n')];
  const share = Math.floor(characters / 2);
  const [first, last] =
    tail === '' ? [head.slice(0, share), head.slice(-share)] : [head.slice(0, share), tail.slice(-share)];
  return `${first}\n${note(text.length - first.length - last.length)}${about}\n${last}`;
}

function note(dropped: number): string {
  return `[OUTPUT TRUNCATED] ${dropped} characters were left out here.`;
}
