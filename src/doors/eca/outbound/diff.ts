// The difference of two texts as unified hunks without file headers, the way ECA clients show an edit. Pure.

export interface TextDiff {
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
}

const contextLines = 3;

/** Beyond this many changed lines the exact shortest difference is not worth its time. */
const maxEdits = 500;

/** A missing text is a file that does not exist before or after. */
export function diffTexts(before: string | null, after: string | null): TextDiff {
  const { lines, skipped } = compare(linesOf(before), linesOf(after));
  const added = lines.filter(({ mark }) => mark === '+').length;
  const removed = lines.filter(({ mark }) => mark === '-').length;
  return { diff: hunks(lines, skipped).join('\n'), added, removed };
}

interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

function linesOf(text: string | null): readonly string[] {
  if (text === null || text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

/** The changed part with its surroundings; what is the same before it is only counted. */
function compare(
  old: readonly string[],
  now: readonly string[],
): { readonly lines: readonly Line[]; readonly skipped: number } {
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  const middle = changes(old.slice(head, old.length - tail), now.slice(head, now.length - tail));
  const skipped = Math.max(0, head - contextLines);
  const end = old.length - tail;
  return {
    skipped,
    lines: [
      ...marked(' ', old.slice(skipped, head)),
      ...middle,
      ...marked(' ', old.slice(end, end + contextLines)),
    ],
  };
}

function marked(mark: Line['mark'], texts: readonly string[]): Line[] {
  return texts.map((text) => ({ mark, text }));
}

/** The shortest way from one text to the other: walks the edit graph diagonal by diagonal and keeps the trail. */
function changes(old: readonly string[], now: readonly string[]): readonly Line[] {
  const trail: Map<number, number>[] = [];
  let reach = new Map<number, number>([[1, 0]]);
  const limit = Math.min(maxEdits, old.length + now.length);
  for (let edits = 0; edits <= limit; edits += 1) {
    trail.push(reach);
    const next = new Map<number, number>();
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = stepsDown(reach, diagonal, edits)
        ? (reach.get(diagonal + 1) ?? 0)
        : (reach.get(diagonal - 1) ?? 0) + 1;
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x += 1;
      next.set(diagonal, x);
      if (x >= old.length && x - diagonal >= now.length) return walkBack(trail, old, now);
    }
    reach = next;
  }
  return [...marked('-', old), ...marked('+', now)];
}

function stepsDown(reach: ReadonlyMap<number, number>, diagonal: number, edits: number): boolean {
  return (
    diagonal === -edits ||
    (diagonal !== edits && (reach.get(diagonal - 1) ?? -1) < (reach.get(diagonal + 1) ?? -1))
  );
}

function walkBack(
  trail: readonly ReadonlyMap<number, number>[],
  old: readonly string[],
  now: readonly string[],
): readonly Line[] {
  const lines: Line[] = [];
  let [x, y] = [old.length, now.length];
  for (let edits = trail.length - 1; edits >= 0; edits -= 1) {
    const reach = trail[edits] ?? new Map<number, number>();
    const diagonal = x - y;
    const before = stepsDown(reach, diagonal, edits) ? diagonal + 1 : diagonal - 1;
    const fromX = edits === 0 ? 0 : (reach.get(before) ?? 0);
    const fromY = edits === 0 ? 0 : fromX - before;
    for (; x > fromX && y > fromY; x -= 1, y -= 1) lines.push({ mark: ' ', text: old[x - 1] ?? '' });
    if (y > fromY) lines.push({ mark: '+', text: now[y - 1] ?? '' });
    else if (x > fromX) lines.push({ mark: '-', text: old[x - 1] ?? '' });
    [x, y] = [fromX, fromY];
  }
  return lines.toReversed();
}

function hunks(lines: readonly Line[], skipped: number): string[] {
  const kept = lines.map((_, at) =>
    lines.slice(Math.max(0, at - contextLines), at + contextLines + 1).some(({ mark }) => mark !== ' '),
  );
  const parts: string[] = [];
  let [oldLine, nowLine] = [skipped + 1, skipped + 1];
  for (let at = 0; at < lines.length;) {
    const end = kept[at] ? kept.indexOf(false, at) : at + 1;
    const part = lines.slice(at, end < 0 ? lines.length : end);
    if (kept[at]) parts.push(hunk(part, oldLine, nowLine));
    oldLine += part.filter(({ mark }) => mark !== '+').length;
    nowLine += part.filter(({ mark }) => mark !== '-').length;
    at += part.length;
  }
  return parts;
}

function hunk(part: readonly Line[], oldLine: number, nowLine: number): string {
  const olds = part.filter(({ mark }) => mark !== '+').length;
  const nows = part.filter(({ mark }) => mark !== '-').length;
  const header = `@@ -${olds === 0 ? oldLine - 1 : oldLine},${olds} +${nows === 0 ? nowLine - 1 : nowLine},${nows} @@`;
  return [header, ...part.map(({ mark, text }) => `${mark}${text}`)].join('\n');
}
