// A list from which one is chosen with the arrow keys. Draws at most a few rows around the chosen one.
import type { Paint } from '../output.ts';
import { safe } from '../say.ts';
import { cutText, padText, textWidth, wrapText } from './styledText.ts';

export interface ListedChoice {
  readonly id: string;
  readonly label: string;
  readonly note?: string | undefined;
  /** Whether it is shown in red. */
  readonly isRed?: boolean;
}

export class ChoiceList<Item extends ListedChoice> {
  #items: readonly Item[];
  #chosen = 0;

  /** Begins with the item at a place, or with none until a key moves to one. */
  constructor(items: readonly Item[], first: number | 'none' = 0) {
    this.#items = items;
    this.#chosen = first === 'none' ? -1 : Math.max(0, first);
  }

  get items(): readonly Item[] {
    return this.#items;
  }

  get chosen(): Item | undefined {
    return this.#items[this.#chosen];
  }

  /** Whether the key belongs to the list. */
  press(name: string): boolean {
    const step = { up: -1, 'ctrl-p': -1, down: 1, 'ctrl-n': 1 }[name];
    if (step === undefined || this.#items.length === 0) return false;
    const from = this.#chosen < 0 && step < 0 ? 0 : this.#chosen;
    this.#chosen = (from + step + this.#items.length) % this.#items.length;
    return true;
  }

  lines({ paint, width, most }: ListRoom): readonly string[] {
    const from = Math.max(0, Math.min(this.#chosen - Math.floor(most / 2), this.#items.length - most));
    const shown = this.#items.slice(from, from + most);
    const wide = Math.min(
      Math.floor(width / 2),
      Math.max(0, ...shown.map(({ label }) => textWidth(safe(label)))),
    );
    return shown.map((item, at) => {
      const isChosen = from + at === this.#chosen;
      const label = padText(cutText(safe(item.label), wide), wide);
      const note = item.note === undefined ? '' : `  ${paint.dim(safe(item.note).replaceAll(/\s+/g, ' '))}`;
      return cutText(`${head(label, item, { paint, isChosen })}${note}`, width);
    });
  }
  /** Every item whole, in as many rows as it takes. Where not all fit, those around the chosen one. */
  wholeLines({ paint, width, most }: ListRoom): readonly string[] {
    const wide = Math.max(0, ...this.#items.map(({ label }) => textWidth(oneLine(label))));
    const blocks = this.#items.map((item, at) =>
      block(item, { paint, width, wide, isChosen: at === this.#chosen }),
    );
    const above = blocks.slice(0, Math.max(0, this.#chosen)).flat().length;
    const rows = blocks.flat();
    const from = Math.max(0, Math.min(above - Math.floor(most / 3), rows.length - most));
    return rows.slice(from, from + most);
  }
}

interface ListRoom {
  readonly paint: Paint;
  readonly width: number;
  readonly most: number;
}

/** An item with its note beside it, or below it where labels take more than half of the width. */
function block(
  item: ListedChoice,
  look: { readonly paint: Paint; readonly width: number; readonly wide: number; readonly isChosen: boolean },
): readonly string[] {
  const { label, note } = item;
  const { paint, width, wide } = look;
  const isBeside = wide <= width / 2;
  const text = isBeside ? padText(oneLine(label), wide) : oneLine(label);
  const first = head(text, item, look);
  const indent = ' '.repeat(isBeside ? wide + 4 : 5);
  if (note === undefined) return wrapText(first.trimEnd(), width, indent);
  const said = paint.dim(oneLine(note));
  if (isBeside) return wrapText(`${first}  ${said}`, width, indent);
  return [...wrapText(first, width, indent), ...wrapText(said, width - 5).map((line) => `${indent}${line}`)];
}

/** The label with the mark of the chosen item. */
function head(
  label: string,
  { isRed = false }: ListedChoice,
  { paint, isChosen }: { readonly paint: Paint; readonly isChosen: boolean },
): string {
  const text = isRed ? paint.red(label) : label;
  return isChosen ? `❯ ${paint.bold(text)}` : `  ${text}`;
}

function oneLine(text: string): string {
  return safe(text).replaceAll(/\s*\n\s*/g, ' ');
}
