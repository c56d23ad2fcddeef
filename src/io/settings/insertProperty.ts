// Adds a property to an object in a JSON text with comments. Every byte that was there stays: comments, tabs,
// line ends and the layout of neighbours.
import type { Node } from 'jsonc-parser';

export interface NewProperty {
  readonly key: string;
  readonly value: unknown;
}

export function insertProperty(text: string, object: Node, { key, value }: NewProperty): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const closing = object.offset + object.length - 1;
  const last = object.children?.at(-1);
  const outer = indentAt(text, object.offset);
  const isOneLine = last !== undefined && !text.slice(object.offset, closing).includes('\n');
  const unit = /^\t+/m.test(text) ? '\t' : '  ';
  const inner = last ? indentAt(text, last.offset) : outer + unit;
  const written = JSON.stringify(value, null, isOneLine ? undefined : unit).replaceAll(
    '\n',
    `${eol}${inner}`,
  );
  const property = `${JSON.stringify(key)}: ${written}`;
  if (!last) {
    const inside = text.slice(object.offset + 1, closing).trimEnd();
    return `${text.slice(0, object.offset + 1)}${inside}${eol}${inner}${property}${eol}${outer}${text.slice(closing)}`;
  }
  const end = last.offset + last.length;
  const rest = text.slice(end, closing);
  const comma = commaIn(rest);
  // Comments behind the last property stay there; a comma at the end stays the style of the file.
  const kept = rest.trimEnd();
  const before = `${text.slice(0, end)}${comma ? '' : ','}${kept}`;
  return `${before}${isOneLine ? ' ' : `${eol}${inner}`}${property}${comma ? ',' : ''}${rest.slice(kept.length)}${text.slice(closing)}`;
}

/** The blanks before the first character of the line. */
function indentAt(text: string, offset: number): string {
  const begin = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(begin, offset))?.[0] ?? '';
}

/** Whether there is a comma outside of comments. */
function commaIn(text: string): boolean {
  return text.replaceAll(/\/\*[^]*?\*\/|\/\/[^\n]*/g, '').includes(',');
}
