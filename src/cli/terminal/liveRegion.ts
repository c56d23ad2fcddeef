// The lines at the end of the screen that are redrawn. Everything above them was printed once and belongs to
// the scroll-back of the terminal.
import { print, screenControls } from '../output.ts';
import { textWidth } from './styledText.ts';

export interface RegionContent {
  /** Each fits the width of the terminal. */
  readonly lines: readonly string[];
  readonly caret?: { readonly row: number; readonly column: number } | undefined;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** More lines than a screen has rows. */
const rememberedLines = 500;

export class LiveRegion {
  readonly #size: () => TerminalSize;
  #lines: readonly string[] = [];
  /** The last lines that were printed above the region, with nothing of another program between them. */
  #above: readonly string[] = [];
  #caretRow = 0;
  #caretColumn = 0;
  #drawn: TerminalSize = { columns: 0, rows: 0 };

  constructor(size: () => TerminalSize) {
    this.#size = size;
  }

  /** Prints lines above the region, where they stay, and draws the region again. */
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
        this.#toTop(),
        body,
        eraseBelow,
        up(shown.length - 1 - row),
        column((caret?.column ?? 0) + 1),
        caret ? showCursor : '',
        endFrame,
      ].join(''),
    );
    this.#lines = shown;
    this.#above = [...this.#above, ...above].slice(-rememberedLines);
    this.#caretRow = row;
    this.#caretColumn = caret?.column ?? 0;
    const { columns, rows } = this.#size();
    this.#drawn = { columns, rows };
  }

  /** Removes the region; what follows is printed in its place. */
  clear(): void {
    const { up, column, showCursor } = screenControls;
    print(`${up(this.#rowsToTop())}${column(1)}${this.#erase()}${showCursor}`);
    this.#lines = [];
    this.#caretRow = 0;
    this.#caretColumn = 0;
  }

  /** Removes the region before other programs print to the screen. */
  leave(): void {
    this.clear();
    this.#above = [];
  }

  /** Moves to where the region begins. */
  #toTop(): string {
    const { up, column } = screenControls;
    const { columns } = this.#size();
    if (columns < this.#drawn.columns && !keepsCursor()) return this.#repaintAbove();
    return `${up(this.#rowsToTop())}${column(1)}${columns === this.#drawn.columns ? '' : this.#erase()}`;
  }

  /** Erases from here on. What is erased from the first row at once, tmux copies to its scroll-back. */
  #erase(): string {
    const { up, eraseLine, eraseBelow } = screenControls;
    return this.#lines.length > 1 ? `${eraseLine}\n${eraseBelow}${up(1)}` : eraseLine;
  }

  /**
   * A narrower terminal has wrapped the lines. Where it leaves the cursor, and which lines below the cursor
   * it drops, differs between terminals, so the old region is not found by counting from the cursor. Instead,
   * what is ours on the screen is erased and printed again. Lines in the scroll-back stay as they are.
   */
  #repaintAbove(): string {
    const { up, column, home } = screenControls;
    const { columns, rows } = this.#size();
    const region = this.#rowsOnScreen();
    const above = rowsOf(this.#above, columns);
    const isAllOurs = above + region >= rows;
    const [erase, lines] = isAllOurs
      ? [`${home}${this.#erase()}`, lastLines(this.#above, rows - region, columns)]
      : [`${up(this.#rowsToTop() + above)}${column(1)}${this.#erase()}`, this.#above];
    return `${erase}${lines.map((line) => `${line}\n`).join('')}`;
  }

  /** How many rows of the old region are on the screen. A lower terminal drops lines below the cursor. */
  #rowsOnScreen(): number {
    const { columns, rows } = this.#size();
    if (isVsCode()) return this.#rowsToTop() + 1;
    return rowsOf(rows < this.#drawn.rows ? this.#lines.slice(0, this.#caretRow + 1) : this.#lines, columns);
  }

  /** How many rows above the cursor the region begins, if nothing has scrolled away. */
  #rowsToTop(): number {
    const { columns } = this.#size();
    if (columns >= this.#drawn.columns) return this.#caretRow;
    if (isVsCode()) return this.#rowsToTopInVsCode(columns);
    return rowsOf(this.#lines.slice(0, this.#caretRow), columns) + Math.floor(this.#caretColumn / columns);
  }

  /** It wraps from the last line to the first, and never the one with the cursor. */
  #rowsToTopInVsCode(columns: number): number {
    return this.#lines.reduceRight(
      (caret, line, at) => (caret === at ? caret : caret + rowsOf([line], columns) - 1),
      this.#caretRow,
    );
  }
}

/**
 * tmux wraps the whole screen, empty rows included, and leaves the cursor on its character. So it is safe to
 * count from there, and how much has scrolled away is not to be known: what is printed again may be there.
 */
function keepsCursor(): boolean {
  const { TMUX = '', TERM = '' } = process.env;
  return TMUX !== '' || TERM.startsWith('tmux');
}

/** Its terminal moves the cursor down by what it wraps below it, and drops lines there. Others do neither. */
function isVsCode(): boolean {
  return process.env['TERM_PROGRAM'] === 'vscode' && !keepsCursor();
}

/** How many rows a terminal wraps the lines to. */
function rowsOf(lines: readonly string[], columns: number): number {
  return lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(textWidth(line) / columns)), 0);
}

/** The lines at the end that fill so many rows. */
function lastLines(lines: readonly string[], rows: number, columns: number): readonly string[] {
  let filled = 0;
  const from = lines.findLastIndex((line) => (filled += rowsOf([line], columns)) >= rows);
  return rows <= 0 ? [] : lines.slice(Math.max(0, from));
}
