// The difference of two texts as hunks of numbered lines. A comparison that takes too long is given up.
import { structuredPatch } from 'diff';

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly before?: number;
  readonly after?: number;
  readonly text: string;
}

export interface Hunk {
  readonly header: string;
  /** Where it lies in the new text: its first line, counted from one, and how many there are. */
  readonly after: { readonly from: number; readonly lines: number };
  readonly lines: readonly DiffLine[];
}

export interface Difference {
  readonly hunks: readonly Hunk[];
  readonly added: number;
  readonly removed: number;
}

const patienceMs = 400;

/** Nothing when the texts are too different to compare in time. */
export function compare(before: string, after: string): Difference | undefined {
  const patch = structuredPatch('', '', before, after, undefined, undefined, {
    context: 3,
    timeout: patienceMs,
  });
  if (patch === undefined) return undefined;
  const hunks = patch.hunks.map(readHunk);
  const count = (kind: DiffLine['kind']) =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.kind === kind).length, 0);
  return { hunks, added: count('added'), removed: count('removed') };
}

interface PatchHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

function readHunk({ oldStart, oldLines, newStart, newLines, lines }: PatchHunk): Hunk {
  let before = oldStart;
  let after = newStart;
  return {
    after: { from: newStart, lines: newLines },
    header: `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    lines: lines.flatMap((line): DiffLine[] => {
      const text = line.slice(1);
      if (line.startsWith('+')) return [{ kind: 'added', after: after++, text }];
      if (line.startsWith('-')) return [{ kind: 'removed', before: before++, text }];
      // A line such as "\ No newline at end of file" is about the file and not in it.
      if (line.startsWith('\\')) return [];
      return [{ kind: 'same', before: before++, after: after++, text }];
    }),
  };
}
