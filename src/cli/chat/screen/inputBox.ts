// The box at the bottom in which the user types.
import type { Paint } from '../../output.ts';
import { boxLines, boxRoom } from '../../terminal/box.ts';
import type { LineEditor } from '../../terminal/lineEditor.ts';

/** What the text in the box is for. */
export type Purpose = 'message' | 'reason' | 'edit' | 'filter';

const titles: Readonly<Record<Purpose, string>> = {
  message: '',
  reason: 'Say what to do instead · enter sends · esc goes back',
  edit: 'Edit what runs · enter runs it · esc goes back',
  filter: 'Type to search · enter chooses · esc goes back',
};

export interface InputBoxLook {
  readonly paint: Paint;
  readonly width: number;
  /** How many lines there is room for. */
  readonly most: number;
  readonly purpose: Purpose;
  readonly isRunning: boolean;
}

/** The lines of the box, and the place of the caret in them. */
export function inputBox(
  editor: LineEditor,
  { paint, width, most, purpose, isRunning }: InputBoxLook,
): { readonly lines: readonly string[]; readonly row: number; readonly column: number } {
  const room = boxRoom(width);
  const { lines, row, column } = editor.layout(room);
  const from = Math.max(0, Math.min(row - most + 3, lines.length - (most - 2)));
  const shown = lines.slice(from, from + Math.max(1, most - 2));
  const hasHint = isRunning && purpose === 'message' && editor.text !== '';
  const footer = hasHint ? paint.dim('enter queues · ctrl-enter steers') : '';
  const box = boxLines(shown, { paint, width, title: titles[purpose], footer });
  return { lines: box, row: row - from + 1, column: column + (width - room === 4 ? 2 : 1) };
}
