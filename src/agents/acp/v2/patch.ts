// The changes of a call in version 2, as the diffs of version 1: one for each part of the patch. Pure.
import type { DiffChange } from '../../../protocols/acp/v2/answerSchema.ts';

interface TextDiff {
  readonly type: 'diff';
  readonly path: string;
  readonly oldText?: string;
  readonly newText: string;
}

/** Every file that the changes touch. */
export function changedPaths(changes: readonly DiffChange[]): readonly string[] {
  return changes.flatMap(({ path, oldPath }) => (oldPath === undefined ? [path] : [oldPath, path]));
}

/**
 * The diffs that the patch contains. Parts that say only where something is added are left out: version 1
 * would take them for the whole file.
 */
export function textDiffs(changes: readonly DiffChange[], patch: string): readonly TextDiff[] {
  return sectionsOf(patch).flatMap(({ names, hunks }, at) => {
    const change = changes.find(({ path }) => names.some((name) => isNameOf(name, path))) ?? changes[at];
    if (!change) return [];
    const { path, operation } = change;
    return hunks.flatMap(({ oldText, newText }): readonly TextDiff[] => {
      if (operation === 'add') return [{ type: 'diff', path, newText }];
      return oldText === '' ? [] : [{ type: 'diff', path, oldText, newText }];
    });
  });
}

/** Names in a patch are relative; nobody says to what. */
function isNameOf(name: string, path: string): boolean {
  return path === name || path === `/${name}` || path.endsWith(`/${name}`);
}

interface Section {
  readonly names: string[];
  readonly hunks: Hunk[];
}

interface Hunk {
  oldText: string;
  newText: string;
}

/** The part of each file. Unknown lines are ignored. */
function sectionsOf(patch: string): readonly Section[] {
  const sections: Section[] = [];
  const left = { old: 0, fresh: 0 };
  for (const line of patch.split('\n')) {
    const hunk = sections.at(-1)?.hunks.at(-1);
    if (line.startsWith('\\')) endWithoutLine(hunk, left);
    else if (hunk && (left.old > 0 || left.fresh > 0)) addLine(hunk, line, left);
    else if (line.startsWith('diff --git ')) sections.push({ names: [], hunks: [] });
    else startOf(line, sections, left);
  }
  return sections;
}

interface LinesLeft {
  old: number;
  fresh: number;
  last?: string;
}

function startOf(line: string, sections: Section[], left: LinesLeft): void {
  const name = /^(?:---|\+\+\+) (?:[ab]\/)?(.*?)\t?$/.exec(line)?.[1];
  if (name !== undefined) {
    // A patch of one file may come without its first line.
    if (sections.length === 0) sections.push({ names: [], hunks: [] });
    if (name !== '/dev/null') sections.at(-1)?.names.push(name);
    return;
  }
  const sizes = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
  if (!sizes) return;
  left.old = Number(sizes[1] ?? 1);
  left.fresh = Number(sizes[2] ?? 1);
  sections.at(-1)?.hunks.push({ oldText: '', newText: '' });
}

function addLine(hunk: Hunk, line: string, left: LinesLeft): void {
  const sign = line[0] ?? ' ';
  const text = `${line.slice(1)}\n`;
  left.last = sign;
  if (sign !== '+') {
    hunk.oldText += text;
    left.old -= 1;
  }
  if (sign !== '-') {
    hunk.newText += text;
    left.fresh -= 1;
  }
}

/** The line before had no end. */
function endWithoutLine(hunk: Hunk | undefined, { last }: LinesLeft): void {
  if (!hunk) return;
  if (last !== '+') hunk.oldText = hunk.oldText.replace(/\n$/, '');
  if (last !== '-') hunk.newText = hunk.newText.replace(/\n$/, '');
}
