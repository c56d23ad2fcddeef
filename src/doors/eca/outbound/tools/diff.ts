// The difference of two texts as unified hunks without file headers, the form that ECA clients show. Pure.
import { structuredPatch } from 'diff';
import type { StructuredPatchHunk } from 'diff';

export interface TextDiff {
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
}

/** With more changed lines the shortest difference takes too long, and the whole text is shown as replaced. */
const maxEditLength = 500;

/** `null` stands for a file that does not exist before or after. A missing newline at the end is not a difference. */
export function diffTexts(before: string | null, after: string | null): TextDiff {
  const [old, now] = [complete(before), complete(after)];
  const options = { context: 3, maxEditLength };
  const hunks = structuredPatch('', '', old, now, '', '', options)?.hunks ?? [replacement(old, now)];
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    diff: hunks.map(hunkText).join('\n'),
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}

function complete(text: string | null): string {
  return text === null || text === '' || text.endsWith('\n') ? (text ?? '') : `${text}\n`;
}

function replacement(old: string, now: string): StructuredPatchHunk {
  const [removed, added] = [old, now].map((text) => text.split('\n').slice(0, -1));
  return {
    oldStart: 1,
    oldLines: removed?.length ?? 0,
    newStart: 1,
    newLines: added?.length ?? 0,
    lines: [...(removed ?? []).map((line) => `-${line}`), ...(added ?? []).map((line) => `+${line}`)],
  };
}

/** By convention an empty side names the line before it. */
function hunkText({ oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk): string {
  const oldRange = `${oldLines === 0 ? oldStart - 1 : oldStart},${oldLines}`;
  const newRange = `${newLines === 0 ? newStart - 1 : newStart},${newLines}`;
  return [`@@ -${oldRange} +${newRange} @@`, ...lines].join('\n');
}
