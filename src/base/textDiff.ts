// Compares two texts line by line. The only place outside the console that runs the diff library.
import { diffArrays, diffWordsWithSpace, structuredPatch } from 'diff';
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

/** Lines of a text, counted from zero; `to` is the line after the last. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** One place where two texts differ: its lines in the old and in the new text. */
export interface TextChange {
  readonly old: LineRange;
  readonly now: LineRange;
}

/**
 * The new text with the chosen changes taken from the old one, exact to the last line end; undefined if no
 * change is chosen.
 */
export function takeOld(
  before: string,
  after: string,
  isChosen: (change: TextChange) => boolean,
): string | undefined {
  const [old, now] = [before.split(afterLine), after.split(afterLine)];
  const chosen = changesBetween(old, now).filter(isChosen);
  if (chosen.length === 0) return undefined;
  const parts = chosen.map(({ old: { from, to }, now: here }, index) => [
    ...now.slice(chosen[index - 1]?.now.to ?? 0, here.from),
    ...old.slice(from, to),
  ]);
  return [...parts.flat(), ...now.slice(chosen.at(-1)?.now.to)].join('');
}

/** Whether a change touches a range. What was only removed has no lines, and counts if it is at its edge. */
export function touches(change: LineRange, { from, to }: LineRange): boolean {
  if (change.from === change.to) return from <= change.from && change.from <= to;
  return change.from < to && from < change.to;
}

const afterLine = /(?<=\n)/;

/** Texts that are too different to compare are one change. */
function changesBetween(old: string[], now: string[]): readonly TextChange[] {
  const parts = diffArrays(old, now, { maxEditLength: mostCompared });
  if (!parts) return [{ old: { from: 0, to: old.length }, now: { from: 0, to: now.length } }];
  const changes: { old: { from: number; to: number }; now: { from: number; to: number } }[] = [];
  let [at, here, isOpen] = [0, 0, false];
  for (const { added, removed, count } of parts) {
    if (!added && !removed) {
      [at, here, isOpen] = [at + count, here + count, false];
      continue;
    }
    if (!isOpen) changes.push({ old: { from: at, to: at }, now: { from: here, to: here } });
    isOpen = true;
    if (removed) at += count;
    else here += count;
    const last = changes.at(-1);
    if (last) [last.old.to, last.now.to] = [at, here];
  }
  return changes;
}

/** A person waits for this; counting lines happens far more often. */
const mostCompared = 5000;

export interface WordRun {
  readonly text: string;
  readonly isChanged: boolean;
}

/** Two versions of a line, each in runs that are in both versions or only in this one. */
export function wordRuns(
  before: string,
  after: string,
): { readonly before: readonly WordRun[]; readonly after: readonly WordRun[] } {
  const changes = diffWordsWithSpace(before, after);
  return {
    before: changes.flatMap(({ value, added, removed }) =>
      added ? [] : [{ text: value, isChanged: removed }],
    ),
    after: changes.flatMap(({ value, added, removed }) =>
      removed ? [] : [{ text: value, isChanged: added }],
    ),
  };
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
