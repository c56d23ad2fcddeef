// The lines at the end of the screen that are redrawn. Everything above them was printed once and belongs to
// the scroll-back of the terminal.
import { print, screenControls } from '../output.ts';
import { textWidth } from './styledText.ts';

export interface RegionContent {
  /** Each fits the width of the terminal. */
  readonly lines: readonly string[];
  readonly caret?: { readonly row: number; readonly column: number } | undefined;
}

export class LiveRegion {
  readonly #columns: () => number;
  #lines: readonly string[] = [];
  #caretRow = 0;
  #caretColumn = 0;
  #drawnColumns = 0;

  constructor(columns: () => number) {
    this.#columns = columns;
  }

  /** Prints lines above the region for good, and draws the region anew. */
  draw({ lines, caret }: RegionContent, above: readonly string[] = []): void {
    const { up, column, eraseLine, eraseBelow, hideCursor, showCursor, beginFrame, endFrame } =
      screenControls;
    const shown = lines.length === 0 ? [''] : lines;
    const row = caret?.row ?? shown.length - 1;
    const body = [...above, ...shown].map((line) => `${eraseLine}${line}`).join('\n');
    print(
      [
        beginFrame,
        hideCursor,
        up(this.#rowsToTop()),
        column(1),
        // Where the terminal has wrapped old lines anew, their rest is erased first.
        this.#columns() === this.#drawnColumns ? '' : eraseBelow,
        body,
        eraseBelow,
        up(shown.length - 1 - row),
        column((caret?.column ?? 0) + 1),
        caret ? showCursor : '',
        endFrame,
      ].join(''),
    );
    this.#lines = shown;
    this.#caretRow = row;
    this.#caretColumn = caret?.column ?? 0;
    this.#drawnColumns = this.#columns();
  }

  /** Removes the region; what follows is printed in its place. */
  clear(): void {
    const { up, column, eraseBelow, showCursor } = screenControls;
    print(`${up(this.#rowsToTop())}${column(1)}${eraseBelow}${showCursor}`);
    this.#lines = [];
    this.#caretRow = 0;
    this.#caretColumn = 0;
  }

  /** A narrower terminal wraps the lines that were drawn, also the one with the caret. */
  #rowsToTop(): number {
    const columns = this.#columns();
    if (columns >= this.#drawnColumns) return this.#caretRow;
    return this.#lines
      .slice(0, this.#caretRow)
      .reduce(
        (rows, line) => rows + Math.max(1, Math.ceil(textWidth(line) / columns)),
        Math.floor(this.#caretColumn / columns),
      );
  }
}
