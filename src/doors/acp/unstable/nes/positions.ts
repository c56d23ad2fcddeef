// Converts line and character positions to text indexes. A character is a UTF-8 byte, a UTF-16 unit
// or a code point. Pure.
import type { Position, PositionEncoding } from '../../../../protocols/acp/v1/nesSchema.ts';

/** The index in the text. Positions after the end of a line or of the text become that end. */
export function indexOf(text: string, { line, character }: Position, encoding: PositionEncoding): number {
  let start = 0;
  for (let count = 0; count < line; count += 1) {
    const end = text.indexOf('\n', start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  return start + within(lineAt(text, start), character, encoding);
}

export function positionAt(text: string, index: number, encoding: PositionEncoding): Position {
  const before = text.slice(0, index);
  const start = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length - 1, character: widthOf(before.slice(start), encoding) };
}

function lineAt(text: string, start: number): string {
  const end = text.indexOf('\n', start);
  const line = text.slice(start, end < 0 ? text.length : end);
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** A position inside a code point becomes its start. */
function within(line: string, character: number, encoding: PositionEncoding): number {
  let index = 0;
  let counted = 0;
  for (const letter of line) {
    counted += widthOf(letter, encoding);
    if (counted > character) return index;
    index += letter.length;
  }
  return index;
}

function widthOf(text: string, encoding: PositionEncoding): number {
  if (encoding === 'utf-16') return text.length;
  return encoding === 'utf-8' ? Buffer.byteLength(text) : Array.from(text).length;
}
