// The fields that a Markdown text begins with, between two lines of dashes, and the text after them.
import { isRecord } from '../../base/isRecord.ts';
import { parseDocument } from 'yaml';

export interface FrontMatter {
  readonly fields: { readonly [name: string]: unknown };
  readonly body: string;
}

export function frontMatter(text: string): FrontMatter {
  const whole = text.replace(/^\uFEFF/, '');
  const [, head, body] = /^---[ \t]*\r?\n(.*?)\r?\n?---[ \t]*(?:\r?\n(.*))?$/s.exec(whole) ?? [];
  return head === undefined
    ? { fields: {}, body: whole.trim() }
    : { fields: fieldsOf(head), body: (body ?? '').trim() };
}

/**
 * Many people write lines that are no strict YAML, such as a colon within a description; then every
 * line counts for itself.
 */
function fieldsOf(head: string): FrontMatter['fields'] {
  try {
    const document = parseDocument(head);
    const value: unknown = document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: 10 });
    if (isRecord(value)) return value;
  } catch {
    // Read line by line instead.
  }
  return Object.fromEntries(
    head.split(/\r?\n/).flatMap((line) => {
      const [, key, value = ''] = /^([\w-]+):\s*(.*)$/.exec(line) ?? [];
      return key === undefined ? [] : [[key, /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value.trim()]];
    }),
  );
}

/** A text with something in it. */
export function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** A list of texts, also where it is written as one text with commas. */
export function textsIn(value: unknown): readonly string[] {
  const split = typeof value === 'string' ? value.replace(/^\[(.*)\]$/s, '$1').split(',') : [];
  const parts: readonly unknown[] = Array.isArray(value) ? value : split;
  return parts
    .flatMap((part) => (typeof part === 'string' ? part.trim().replace(/^(["'])(.*)\1$/, '$2') : []))
    .filter((part) => part !== '');
}

export function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
