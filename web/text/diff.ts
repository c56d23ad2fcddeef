// Compares two texts and returns hunks of numbered lines.
import { structuredPatch } from 'diff';

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly before?: number;
  readonly after?: number;
  readonly text: string;
}

export interface Hunk {
  readonly header: string;
  /** The range in the new text: first line, counted from one, and number of lines. */
  readonly after: { readonly from: number; readonly lines: number };
  readonly lines: readonly DiffLine[];
}

export interface Difference {
  readonly hunks: readonly Hunk[];
  readonly added: number;
  readonly removed: number;
}

const timeoutMs = 400;

/** Undefined if the comparison takes too long. */
export function compare(before: string, after: string): Difference | undefined {
  const patch = structuredPatch('', '', before, after, undefined, undefined, {
    context: 3,
    timeout: timeoutMs,
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
      // "\ No newline at end of file" describes the file and is not a line of it.
      if (line.startsWith('\\')) return [];
      return [{ kind: 'same', before: before++, after: after++, text }];
    }),
  };
}
