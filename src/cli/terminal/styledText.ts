// Measures, wraps and cuts text with our own colours by the columns that it takes on a terminal.
import { once } from '../../base/memo.ts';
import { lookControl, lookOf, styledPieces } from '../output.ts';

/** Letters of double width, without the emoji. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]/u;
const emoji = /^\p{Emoji_Presentation}|\ufe0f/u;
const noWidth = /^[\p{M}\p{Cf}]+$/u;
/** Texts of letters that stand alone and take one column each, with the lines and signs that we draw. */
const simple =
  /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u22ff\u2500-\u259f\u25bc\u276f\u2713\u2717]*$/;

/** Made on first use, because it costs more time than everything else here. */
const segmenter = once(() => new Intl.Segmenter(undefined, { granularity: 'grapheme' }));

/** The letters of a text as people see them. */
export function lettersOf(text: string): readonly string[] {
  if (simple.test(text)) return text.split('');
  return Array.from(segmenter().segment(text), ({ segment }) => segment);
}

export function letterWidth(letter: string): number {
  if (letter.length === 1 && letter < '\u0300') return 1;
  if (wide.test(letter) || emoji.test(letter)) return 2;
  return noWidth.test(letter) ? 0 : 1;
}

export function textWidth(text: string): number {
  return styledPieces(text)
    .filter((piece) => !piece.isControl)
    .reduce((sum, piece) => sum + plainWidth(piece.text), 0);
}

function plainWidth(text: string): number {
  if (simple.test(text)) return text.length;
  return lettersOf(text).reduce((sum, letter) => sum + letterWidth(letter), 0);
}

/** Which looks a control ends, by its number. */
const ends: { readonly [off: number]: ((look: number) => boolean) | undefined } = {
  22: (look) => look === 1 || look === 2,
  24: (look) => look === 4,
  27: (look) => look === 7,
  39: (look) => look >= 30 && look < 38,
};

/** The control that ends a look. */
function endOf(look: number): number {
  return Number(Object.keys(ends).find((off) => ends[Number(off)]?.(look)) ?? 0);
}

/** Collects lines; a look that goes on over the end of a line is ended and begun again. */
class LineBuilder {
  readonly lines: string[] = [];
  #line = '';
  #looks: readonly number[] = [];
  column = 0;

  control(text: string): void {
    const look = lookOf(text);
    if (look !== undefined)
      this.#looks = ends[look] ? this.#looks.filter((each) => !ends[look]?.(each)) : [...this.#looks, look];
    this.#line += text;
  }

  add(text: string, width: number): void {
    this.#line += text;
    this.column += width;
  }

  breakLine(indent = ''): void {
    this.lines.push(this.#line + this.#looks.map((look) => lookControl(endOf(look))).join(''));
    this.#line = indent + this.#looks.map(lookControl).join('');
    this.column = indent.length;
  }

  close(): void {
    this.#line += this.#looks.map((look) => lookControl(endOf(look))).join('');
    this.lines.push(this.#line);
  }
}

/** Lines of at most so many columns, broken between words where that is possible. */
export function wrapText(text: string, width: number, indent = ''): readonly string[] {
  const built = new LineBuilder();
  const room = Math.max(indent.length + 2, width);
  const words = styledPieces(text).flatMap((piece) =>
    piece.isControl ? [piece] : splitWords(piece.text).map((word) => ({ text: word, isControl: false })),
  );
  for (const { text: word, isControl } of words) {
    if (isControl) built.control(word);
    else if (word === '\n') built.breakLine(indent);
    else if (word === ' ' && built.column >= room) built.breakLine(indent);
    else addWord(built, word, { room, indent });
  }
  built.close();
  return built.lines;
}

/** Words, single blanks and ends of lines. */
function splitWords(text: string): readonly string[] {
  return text.replaceAll('\t', '    ').match(/\n| |[^ \n]+/g) ?? [];
}

function addWord(
  built: LineBuilder,
  word: string,
  { room, indent }: { readonly room: number; readonly indent: string },
): void {
  const width = plainWidth(word);
  if (built.column + width > room && built.column > indent.length && width <= room - indent.length)
    built.breakLine(indent);
  if (built.column + width <= room) return built.add(word, width);
  for (const letter of lettersOf(word)) {
    if (built.column + letterWidth(letter) > room) built.breakLine(indent);
    built.add(letter, letterWidth(letter));
  }
  return undefined;
}

/** The beginning of a line that fits, with an ellipsis where something is missing. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const built = new LineBuilder();
  for (const piece of styledPieces(text)) {
    if (piece.isControl) {
      built.control(piece.text);
      continue;
    }
    for (const letter of lettersOf(piece.text)) {
      if (built.column + letterWidth(letter) > width - 1) {
        built.add('…', 1);
        built.close();
        return built.lines[0] ?? '';
      }
      built.add(letter, letterWidth(letter));
    }
  }
  return text;
}

/** The text at the left and at the right end of a line. What is at the right goes first. */
export function spread(left: string, right: string, width: number): string {
  const gap = width - textWidth(left) - textWidth(right);
  if (right === '' || gap < 2) return cutText(left, width);
  return left + ' '.repeat(gap) + right;
}

export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}
