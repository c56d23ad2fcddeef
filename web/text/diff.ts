// Compares two texts and returns hunks of numbered lines.
import { diffWordsWithSpace, structuredPatch } from 'diff';
import type { TextRange } from './runs.ts';

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly before?: number;
  readonly after?: number;
  readonly text: string;
}

export interface Hunk {
  readonly header: string;
  /** The function, class or heading that it begins in; empty where there is none. */
  readonly place: string;
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
export function compare(
  before: string,
  after: string,
  { ignoreWhitespace = false }: { readonly ignoreWhitespace?: boolean } = {},
): Difference | undefined {
  const patch = structuredPatch('', '', before, after, undefined, undefined, {
    context: 3,
    timeout: timeoutMs,
    ignoreWhitespace,
  });
  if (patch === undefined) return undefined;
  const whole = after.split('\n');
  const hunks = patch.hunks.map((hunk) => readHunk(hunk, whole));
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

function readHunk(hunk: PatchHunk, whole: readonly string[]): Hunk {
  const { oldStart, oldLines, newStart, newLines, lines } = hunk;
  let before = oldStart;
  let after = newStart;
  return {
    after: { from: newStart, lines: newLines },
    place: placeOf(whole, newStart + lines.findIndex((line) => !line.startsWith(' '))),
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

const keywords =
  'abstract async class const def enum export fn func function impl interface let module namespace private ' +
  'pub public static struct trait type var';

/** A heading, a declaration or a call that begins at the left edge. */
const partStart = new RegExp(`^(?:#{1,6} \\S|(?:${keywords.replaceAll(' ', '|')})\\b|\\S.*[{(]$|[\\w$]+\\()`);

/** The nearest line, this one or one above, that begins a part of the text. */
function placeOf(whole: readonly string[], line: number): string {
  const found = whole.slice(0, line).findLast((each) => partStart.test(each)) ?? '';
  return found.replace(/[\s{(=]+$/, '').slice(0, 120);
}

/** The first and last line of a hunk in the new text, or in the old one where it has none. */
export function hunkLines({ lines }: Hunk): string {
  const numbers = lines.flatMap(({ after }) => after ?? []);
  const shown = numbers.length > 0 ? numbers : lines.flatMap(({ before }) => before ?? []);
  const [first = 0, last = first] = [shown[0], shown.at(-1)];
  return first === last ? String(first) : `${first}–${last}`;
}

/** The parts of a removed and an added line that differ, unless almost all of them do. */
function changedWords(
  before: string,
  after: string,
): { readonly before: readonly TextRange[]; readonly after: readonly TextRange[] } | undefined {
  if (before.length + after.length > maxWordLength) return undefined;
  const [removed, added]: [TextRange[], TextRange[]] = [[], []];
  let [left, right, same] = [0, 0, 0];
  for (const { value, added: isAdded, removed: isRemoved } of diffWordsWithSpace(before, after)) {
    if (isRemoved) removed.push({ from: left, to: left + value.length });
    if (isAdded) added.push({ from: right, to: right + value.length });
    if (!isAdded && !isRemoved) same += value.trim().length;
    if (!isAdded) left += value.length;
    if (!isRemoved) right += value.length;
  }
  const isAlike = same * 3 > Math.min(before.trim().length, after.trim().length);
  return isAlike ? { before: removed, after: added } : undefined;
}

const maxWordLength = 2000;

/** The words that changed in each line: a removed line is compared with the added one that took its place. */
export function wordsOf(lines: readonly DiffLine[]): ReadonlyMap<DiffLine, readonly TextRange[]> {
  const words = new Map<DiffLine, readonly TextRange[]>();
  for (let at = 0; at < lines.length;) {
    const removed = takeKind(lines, at, 'removed');
    const added = takeKind(lines, at + removed.length, 'added');
    for (const [index, old] of removed.entries()) {
      const now = added[index];
      const changed = now && changedWords(old.text, now.text);
      if (!changed) continue;
      words.set(old, changed.before);
      words.set(now, changed.after);
    }
    at += Math.max(1, removed.length + added.length);
  }
  return words;
}

function takeKind(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): readonly DiffLine[] {
  const end = lines.findIndex((line, index) => index >= from && line.kind !== kind);
  return lines.slice(from, end < 0 ? lines.length : end);
}
