// A box around lines. On a narrow terminal it loses its sides.
import type { Paint } from '../output.ts';
import { cutText, padText, textWidth } from './styledText.ts';

export interface BoxOptions {
  readonly paint: Paint;
  /** The whole width with the sides. */
  readonly width: number;
  readonly title?: string;
  readonly footer?: string;
}

/** A terminal with fewer columns is narrow. */
export const narrowColumns = 70;

/** How many columns a line inside of a box has. */
export function boxRoom(width: number): number {
  return width < narrowColumns ? width - 3 : width - 4;
}

export function boxLines(
  lines: readonly string[],
  { paint, width, title, footer }: BoxOptions,
): readonly string[] {
  const isNarrow = width < narrowColumns;
  const [left, right] = isNarrow ? ['', ''] : [paint.dim('│ '), paint.dim(' │')];
  const corners = isNarrow ? ['─', '─', '─', '─'] : ['╭', '╮', '╰', '╯'];
  const room = boxRoom(width);
  const rule = (from: string, to: string, text = '') => {
    const shown = text === '' ? '' : ` ${cutText(text, width - 6)} `;
    const rest = Math.max(0, width - 2 - textWidth(shown));
    return `${paint.dim(from)}${shown}${paint.dim('─'.repeat(rest) + to)}`;
  };
  return [
    rule(corners[0] ?? '', corners[1] ?? '', title),
    ...lines.map((line) => (isNarrow ? ` ${line}` : `${left}${padText(line, room)}${right}`)),
    rule(corners[2] ?? '', corners[3] ?? '', footer),
  ];
}
