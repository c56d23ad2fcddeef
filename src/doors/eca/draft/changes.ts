// The changes that a unified diff makes, line by line, as the first draft names them. Pure.
import type { DraftChange } from '../../../protocols/eca/draft.ts';

/** One change for every hunk: the lines it replaces, counted from one, and what stands there afterwards. */
export function changesIn(diff: string): readonly DraftChange[] {
  return hunksOf(diff).map(({ start, count, isNew, isGone, lines }) => {
    const content = lines
      .filter((line) => !line.startsWith('-'))
      .map((line) => line.slice(1))
      .join('\n');
    if (isNew) return { kind: 'create', content };
    const range = { start: { line: start, character: 1 }, end: { line: start + count, character: 1 } };
    return isGone ? { kind: 'delete', range } : { kind: 'change', content, range };
  });
}

interface Hunk {
  readonly start: number;
  readonly count: number;
  readonly isNew: boolean;
  readonly isGone: boolean;
  readonly lines: readonly string[];
}

const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

function hunksOf(diff: string): readonly Hunk[] {
  return diff.split(/\n(?=@@ )/).flatMap((text) => {
    const [first = '', ...lines] = text.split('\n');
    const found = head.exec(first);
    if (!found) return [];
    const [start, count, after] = [Number(found[1]), Number(found[2] ?? 1), Number(found[4] ?? 1)];
    return [
      {
        start,
        count,
        isNew: start === 0 && count === 0,
        isGone: after === 0 && Number(found[3]) === 0,
        lines: lines.filter((line) => /^[ +-]/.test(line)),
      },
    ];
  });
}
