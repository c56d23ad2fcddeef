// Counts the lines and files that a session has changed. Cached until a turn ends or is reverted, because
// summaries are written often.
import { editedInSession } from '../../model/edits.ts';
import type { EditSpan } from '../../model/edits.ts';
import { memoPerObject } from '../../base/memo.ts';
import { lineCounts } from '../../base/textDiff.ts';
import type { EndedTurn, State } from '../../model/state.ts';

export interface ChangedLines {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

export function changedLines(state: State): ChangedLines {
  const parts = state.order.map((id) => state.chats[id]?.turns ?? noTurns);
  const [key] = parts;
  if (!key || parts.every(({ length }) => length === 0)) return none;
  const causes = [...parts, state.revertedEdits];
  return cached(key, () => sum(editedInSession(state)), causes);
}

const noTurns: readonly EndedTurn[] = [];
const none: ChangedLines = { files: 0, added: 0, removed: 0 };

/** By the turns of the first chat; the result depends only on the turns and the reverted edits. */
const cached = memoPerObject<readonly EndedTurn[], ChangedLines>();

function sum(files: readonly EditSpan[]): ChangedLines {
  const counts = files.map(({ first, last }) => lineCounts(first.before, last.after));
  return {
    files: new Set(files.map(({ first }) => first.path)).size,
    added: counts.reduce((all, { added }) => all + added, 0),
    removed: counts.reduce((all, { removed }) => all + removed, 0),
  };
}
