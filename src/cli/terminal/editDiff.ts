// The change of a file for a terminal: line numbers, and within changed lines the words that differ.
import { diffTexts, wordRuns } from '../../base/textDiff.ts';
import type { WordRun } from '../../base/textDiff.ts';
import { visibleText } from '../../base/visibleText.ts';
import type { Paint } from '../output.ts';

interface Line {
  readonly sign: string;
  readonly text: string;
  readonly number: number;
  readonly runs?: readonly WordRun[];
}

export interface EditDiff {
  readonly added: number;
  readonly removed: number;
  readonly lines: readonly string[];
}

export function editDiff(before: string | null, after: string | null, paint: Paint): EditDiff {
  const { diff, added, removed } = diffTexts(before, after);
  const lines = withRuns(numbered(diff)).map((line) => drawLine(line, paint));
  return { added, removed, lines };
}

function numbered(diff: string): readonly Line[] {
  let [old, now] = [0, 0];
  return diff.split('\n').flatMap((line): readonly Line[] => {
    const hunk = /^@@ -(\d+),\d+ \+(\d+),\d+ @@$/.exec(line);
    if (hunk) {
      const isFirst = now === 0;
      [old, now] = [Number(hunk[1]), Number(hunk[2])];
      return isFirst ? [] : [{ sign: '@', text: '', number: now }];
    }
    const sign = line.charAt(0);
    if (line === '' || sign === '\\') return [];
    const number = sign === '-' ? old : now;
    if (sign !== '+') old += 1;
    if (sign !== '-') now += 1;
    return [{ sign, text: line.slice(1), number }];
  });
}

/** Removed lines that as many added ones follow are compared word by word. */
function withRuns(lines: readonly Line[]): readonly Line[] {
  const result = [...lines];
  for (let at = 0; at < result.length; at += 1) {
    const removed = runLength(result, at, '-');
    const added = runLength(result, at + removed, '+');
    if (removed > 0 && removed === added)
      for (let each = at; each < at + removed; each += 1) markWords(result, each, each + removed);
    at += Math.max(0, removed + added - 1);
  }
  return result;
}

function runLength(lines: readonly Line[], from: number, sign: string): number {
  let length = 0;
  while (lines[from + length]?.sign === sign) length += 1;
  return length;
}

function markWords(lines: Line[], old: number, now: number): void {
  const [before, after] = [lines[old], lines[now]];
  if (!before || !after) return;
  const runs = wordRuns(before.text, after.text);
  lines[old] = { ...before, runs: runs.before };
  lines[now] = { ...after, runs: runs.after };
}

function drawLine({ sign, text, number, runs }: Line, paint: Paint): string {
  if (sign === '@') return paint.dim('   ⋯');
  const head = `${String(number).padStart(4)} ${sign} `;
  if (sign === ' ') return paint.dim(head) + visibleText(text);
  const colour = sign === '+' ? paint.green : paint.red;
  const words = (runs ?? [{ text, isChanged: false }]).map((run) => {
    const shown = visibleText(run.text);
    return run.isChanged && runs && runs.length > 1 ? paint.inverse(shown) : shown;
  });
  return colour(head + words.join(''));
}
