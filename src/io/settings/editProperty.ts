// Adds a property to an object in a JSON text with comments, and removes one. Every other byte stays:
// comments, tabs, line ends and the layout of neighbours.
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
  const comma = commaAt(text, end, closing) !== undefined;
  // Comments behind the last property stay there; a comma at the end stays the style of the file.
  const kept = rest.trimEnd();
  const before = `${text.slice(0, end)}${comma ? '' : ','}${kept}`;
  const gap = isOneLine ? ' ' : `${eol}${inner}`;
  const after = `${comma ? ',' : ''}${rest.slice(kept.length)}${text.slice(closing)}`;
  return `${before}${gap}${property}${after}`;
}

/** What `insertProperty` has added is removed without a trace. Comments before and behind it stay. */
export function removeProperty(text: string, property: Node): string {
  const object = property.parent;
  const siblings = object?.children ?? [];
  if (!object) return text;
  const at = siblings.indexOf(property);
  const closing = object.offset + object.length - 1;
  const end = property.offset + property.length;
  const previous = siblings[at - 1];
  const comma = commaAt(text, end, siblings[at + 1]?.offset ?? closing);
  const left = withoutPart(text, property.offset, comma === undefined ? end : comma + 1);
  const spare =
    comma === undefined && previous
      ? commaAt(text, previous.offset + previous.length, property.offset)
      : undefined;
  if (spare !== undefined) return left.slice(0, spare) + left.slice(spare + 1);
  const inside = left.slice(object.offset + 1, closing - text.length + left.length);
  return inside.trim() === ''
    ? left.slice(0, object.offset + 1) + left.slice(object.offset + 1 + inside.length)
    : left;
}

/** Its line goes with it, or the blanks that divide it from its neighbours. */
function withoutPart(text: string, from: number, to: number): string {
  const line = text.lastIndexOf('\n', from - 1) + 1;
  const isFirst = text.slice(line, from).trim() === '';
  const [blanks = '', end] = /^[ \t]*(\r?\n)?/.exec(text.slice(to)) ?? [];
  if (!isFirst) return text.slice(0, from).replace(/[ \t]+$/, '') + text.slice(to);
  return text.slice(0, end === undefined ? from : line) + text.slice(to + blanks.length);
}

/** The blanks before the first character of the line. */
function indentAt(text: string, offset: number): string {
  const begin = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(begin, offset))?.[0] ?? '';
}

/** Where the first comma outside of comments is. */
function commaAt(text: string, from: number, to: number): number | undefined {
  const comments = /\/\*[^]*?\*\/|\/\/[^\n]*/g;
  const at = text
    .slice(from, to)
    .replaceAll(comments, (comment) => ' '.repeat(comment.length))
    .indexOf(',');
  return at < 0 ? undefined : from + at;
}
