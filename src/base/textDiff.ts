// Compares two texts line by line. The only place outside the console that runs the diff library.
import { diffArrays, structuredPatch } from 'diff';
import type { StructuredPatchHunk } from 'diff';

export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

export interface TextDiff extends LineCounts {
  /** Unified hunks without file headers. */
  readonly diff: string;
}

/** With more changed lines it takes too long to find the shortest difference. */
const maxEditLength = 500;

/**
 * `null` stands for a file that does not exist. A missing newline at the end is not a difference. Texts that
 * are too different to compare become one hunk that replaces everything.
 */
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

/**
 * How many lines an edit adds and removes. Texts that are too different to compare are counted
 * without regard to order.
 */
export function lineCounts(before: string | null, after: string | null): LineCounts {
  const [old, now] = [linesOf(before), linesOf(after)];
  const changes = diffArrays(old, now, { maxEditLength });
  if (!changes) {
    const common = commonLines(old, now);
    return { added: now.length - common, removed: old.length - common };
  }
  const total = (key: 'added' | 'removed') =>
    changes.reduce((sum, change) => sum + (change[key] ? change.count : 0), 0);
  return { added: total('added'), removed: total('removed') };
}

/** How many lines are in both, in any order. */
function commonLines(old: readonly string[], now: readonly string[]): number {
  const left = new Map<string, number>();
  for (const line of old) left.set(line, (left.get(line) ?? 0) + 1);
  let count = 0;
  for (const line of now) {
    const more = left.get(line) ?? 0;
    if (more > 0) count += 1;
    left.set(line, more - 1);
  }
  return count;
}

function linesOf(text: string | null): string[] {
  return complete(text).split('\n').slice(0, -1);
}

function complete(text: string | null): string {
  return text === null || text === '' || text.endsWith('\n') ? (text ?? '') : `${text}\n`;
}

function replacement(old: string, now: string): StructuredPatchHunk {
  const [removed, added] = [linesOf(old), linesOf(now)];
  return {
    oldStart: 1,
    oldLines: removed.length,
    newStart: 1,
    newLines: added.length,
    lines: [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)],
  };
}

/** By convention an empty side names the line before it. */
function hunkText({ oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk): string {
  const oldRange = `${oldLines === 0 ? oldStart - 1 : oldStart},${oldLines}`;
  const newRange = `${newLines === 0 ? newStart - 1 : newStart},${newLines}`;
  return [`@@ -${oldRange} +${newRange} @@`, ...lines].join('\n');
}
