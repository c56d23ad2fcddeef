// Takes back some lines of what was changed in a file, or puts them back. The edits stay recorded; the file
// gets a text between the one before them and the one that they left.
import { takeOld, touches } from '../../base/textDiff.ts';
import type { LineRange } from '../../base/textDiff.ts';
import type { EditRun, EditSpan } from '../../model/edits.ts';
import type { EditRef, EventOf } from '../../model/event.ts';
import type { FileChange } from './revertEdits.ts';

/** What to do with the file, and what to record once it is done. */
export interface PartialChange {
  /** Reverting this change is what writes the file. */
  readonly change: FileChange;
  readonly fact: EventOf<'edits.reverted'>;
  /** Set if lines are in the file again. */
  readonly redone?: true;
}

/**
 * Undefined if nothing was changed in these lines of the present text. Only what the edits since the last
 * change of somebody else did is taken back; lines that are older than these are `unattributed`.
 */
export function undoLines(span: EditSpan, range: LineRange): PartialChange | 'unattributed' | undefined {
  const { run, last } = span;
  if (!run) return 'unattributed';
  const { before } = run.first;
  // A file that was created or deleted has one change: all of it.
  if (before === null || last.after === null) return undoRun(span, run);
  const text = takeOld(before, last.after, ({ now }) => touches(now, range));
  if (text === undefined) return hasChanged(span, range) ? 'unattributed' : undefined;
  return text === before ? undoRun(span, run) : amendment(span, text);
}

function hasChanged({ first, last }: EditSpan, range: LineRange): boolean {
  if (first.before === null || last.after === null) return true;
  return takeOld(first.before, last.after, ({ now }) => touches(now, range)) !== undefined;
}

/** `range` is in the text that the edits left; undefined if nothing of it was taken back. */
export function redoLines(span: EditSpan, range: LineRange): PartialChange | undefined {
  const { after, original } = span.last;
  if (typeof original !== 'string' || after === null) return undefined;
  const text = takeOld(original, after, ({ old }) => touches(old, range));
  return text === undefined ? undefined : { ...amendment(span, text), redone: true };
}

function undoRun(span: EditSpan, { first: { path, before }, places }: EditRun): PartialChange {
  return {
    change: { path, before, after: span.last.after, ...unverified(span) },
    fact: { kind: 'edits.reverted', edits: places.map(refOf) },
  };
}

function amendment(span: EditSpan, text: string): PartialChange {
  const { path, after, place } = span.last;
  return {
    change: { path, before: text, after, ...unverified(span) },
    fact: { kind: 'edits.reverted', edits: [], amended: [{ edit: refOf(place), text }] },
  };
}

function refOf({ turn, tool, index }: EditRef): EditRef {
  return { turn, tool, index };
}

/** The texts of an edit that only its agent reports are not written, and its file must be a harmless one. */
function unverified({ claimed, external }: EditSpan): Pick<FileChange, 'unverified'> & { claimed?: true } {
  return { ...(external ? { unverified: true } : {}), ...(claimed ? { claimed: true } : {}) };
}
