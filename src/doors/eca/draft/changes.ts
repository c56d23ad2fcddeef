// The changes of a unified diff in the form of the first draft. Pure.
import { parsePatch } from 'diff';
import type { DraftChange } from '../../../protocols/eca/draft.ts';

/**
 * One change for each hunk: the replaced lines, counted from one with the last included, and the new text.
 */
export function changesIn(diff: string): readonly DraftChange[] {
  return parsePatch(diff)
    .flatMap(({ hunks }) => hunks)
    .map(({ oldStart, oldLines, newLines, lines }) => {
      const content = lines
        .filter((line) => !line.startsWith('-'))
        .map((line) => line.slice(1))
        .join('\n');
      if (oldLines === 0) return { kind: 'create', content };
      const range = { startLine: oldStart, endLine: oldStart + oldLines - 1 };
      return newLines === 0 ? { kind: 'delete', range } : { kind: 'change', content, range };
    });
}
