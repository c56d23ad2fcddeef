// Markdown for a terminal: splits a text that grows into blocks, and draws a block as lines.
import { Marked } from 'marked';
import type { MarkedToken, Token, Tokens } from 'marked';
import type { Paint } from '../output.ts';
import { safe } from '../say.ts';
import { padText, textWidth, wrapText } from './styledText.ts';

export interface MarkdownOptions {
  readonly paint: Paint;
  readonly width: number;
  /** Coloured code, line by line. Without it code is plain. */
  readonly highlight?: (code: string, language: string) => string;
}

const marked = new Marked({ gfm: true });

export interface SplitText {
  /** Blocks that do not change any more. */
  readonly settled: readonly Token[];
  /** How many characters of the text they take. */
  readonly length: number;
  /** Blocks that may still grow. */
  readonly growing: readonly Token[];
}

/** The blocks of a text. As long as it grows, only the last one may change. */
export function splitMarkdown(text: string): SplitText {
  const tokens: readonly Token[] = marked.lexer(text);
  const isWhole = tokens.reduce((sum, { raw }) => sum + raw.length, 0) === text.length;
  const last = isWhole ? tokens.findLastIndex(isVisible) : 0;
  const settled = tokens.slice(0, Math.max(0, last));
  return {
    settled: settled.filter(isVisible),
    length: settled.reduce((sum, { raw }) => sum + raw.length, 0),
    growing: tokens.slice(settled.length).filter(isVisible),
  };
}

/** Where a block is cut that is too long to be drawn again and again. */
export interface BlockCut {
  readonly length: number;
  /** Makes the rest a block of the same kind. */
  readonly opening: string;
}

/** Cuts a text that is one block, or begins with a long one. */
export function cutBlock(text: string): BlockCut {
  const first = marked.lexer(text).find(isVisible);
  const block = first && known(first);
  if (block?.type === 'list' && block.items.length > 1) {
    const length = block.items.slice(0, -1).reduce((sum, { raw }) => sum + raw.length, 0);
    return { length, opening: '' };
  }
  const head = block?.type === 'table' ? /^.*\n.*\n/ : /^ {0,3}(?:`{3,}|~{3,}).*\n/;
  const isFramed = block?.type === 'table' || block?.type === 'code';
  const opening = isFramed ? (head.exec(text)?.[0] ?? '') : '';
  const ends = [text.lastIndexOf('\n') + 1, text.lastIndexOf(' ') + 1];
  // The first half of a letter stays with the second one.
  const all = text.length - (/[\ud800-\udbff]$/.test(text) ? 1 : 0);
  return { length: ends.find((end) => end > opening.length) ?? all, opening };
}

/** Without extensions of the library there are no other tokens. */
function known(token: Token): MarkedToken {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return token as MarkedToken;
}

function isVisible({ type }: Token): boolean {
  return type !== 'space' && type !== 'def';
}

export function blockLines(token: Token, options: MarkdownOptions): readonly string[] {
  const { paint, width } = options;
  const block = known(token);
  if (block.type === 'heading') return wrapText(paint.bold(inline(block.tokens, paint)), width);
  if (block.type === 'code') return codeLines(block, options);
  if (block.type === 'list') return listLines(block, options);
  if (block.type === 'table') return tableLines(block, options);
  if (block.type === 'hr') return [paint.dim('─'.repeat(Math.min(width, 40)))];
  if (block.type === 'blockquote') {
    const lines = blocksLines(block.tokens, { ...options, width: width - 2 });
    return lines.map((line) => `${paint.dim('│')} ${line}`);
  }
  const isProse = block.type === 'paragraph' || block.type === 'text';
  const text = isProse && block.tokens ? inline(block.tokens, paint) : safe(block.raw.trimEnd());
  return wrapText(text, width);
}

function blocksLines(tokens: readonly Token[], options: MarkdownOptions): readonly string[] {
  const blocks = tokens.filter(isVisible).map((token) => blockLines(token, options));
  return blocks.flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]));
}

function codeLines(
  { text, lang = '' }: Tokens.Code,
  { width, paint, highlight }: MarkdownOptions,
): readonly string[] {
  const language = /^[\w#+.-]*/.exec(lang)?.[0] ?? '';
  const code = highlight ? highlight(text, language) : safe(text);
  return code
    .split('\n')
    .flatMap((line) => wrapText(line, width - 2).map((part) => `${paint.dim('▏')} ${part}`));
}

function listLines(list: Tokens.List, options: MarkdownOptions): readonly string[] {
  const { paint, width } = options;
  const first = typeof list.start === 'number' ? list.start : 1;
  return list.items.flatMap((item, at) => {
    const box = item.checked ? '[x]' : '[ ]';
    const mark = list.ordered ? `${first + at}.` : '•';
    const sign = item.task ? box : mark;
    const indent = ' '.repeat(sign.length + 1);
    const tokens = item.tokens.filter(({ type }) => type !== 'checkbox');
    const blocks = tokens
      .filter(isVisible)
      .map((token) => blockLines(token, { ...options, width: Math.max(10, width - indent.length) }));
    const lines = blocks.flatMap((block, number) => (number > 0 && list.loose ? ['', ...block] : [...block]));
    const [head = '', ...rest] = lines;
    const drawn = [`${paint.cyan(sign)} ${head}`, ...rest.map((line) => indent + line)];
    return list.loose && at > 0 ? ['', ...drawn] : drawn;
  });
}

/** Columns get narrower until the table fits; long cells are wrapped. */
function tableLines(table: Tokens.Table, { paint, width }: MarkdownOptions): readonly string[] {
  const rows = [
    table.header.map(({ tokens }) => paint.bold(inline(tokens, paint))),
    ...table.rows.map((row) => row.map(({ tokens }) => inline(tokens, paint))),
  ];
  const count = table.header.length;
  const widths = table.header.map((_, at) => Math.max(3, ...rows.map((row) => textWidth(row[at] ?? ''))));
  const room = Math.max(count * 4, width - 3 * (count - 1));
  while (widths.reduce((sum, each) => sum + each, 0) > room) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widest] = (widths[widest] ?? 1) - 1;
  }
  const separator = paint.dim(' │ ');
  const drawn = rows.map((row) => {
    const cells = row.map((cell, at) => wrapText(cell, widths[at] ?? 3));
    const height = Math.max(...cells.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) =>
      cells
        .map((lines, at) => alignCell(lines[line] ?? '', widths[at] ?? 3, table.align[at]))
        .join(separator),
    );
  });
  const rule = paint.dim(widths.map((each) => '─'.repeat(each)).join('─┼─'));
  return drawn.flatMap((lines, at) => (at === 0 ? [...lines, rule] : lines));
}

function alignCell(
  text: string,
  width: number,
  align: 'center' | 'left' | 'right' | null | undefined,
): string {
  const free = Math.max(0, width - textWidth(text));
  if (align === 'right') return ' '.repeat(free) + text;
  return align === 'center' ? padText(' '.repeat(Math.floor(free / 2)) + text, width) : padText(text, width);
}

function inline(tokens: readonly Token[] | undefined, paint: Paint): string {
  return (tokens ?? []).map((token) => inlineText(known(token), paint)).join('');
}

function inlineText(token: MarkedToken, paint: Paint): string {
  const within = 'tokens' in token && token.tokens ? inline(token.tokens, paint) : plain(token);
  if (token.type === 'strong') return paint.bold(within);
  if (token.type === 'em') return paint.underline(within);
  if (token.type === 'del') return `~~${within}~~`;
  if (token.type === 'codespan') return paint.cyan(plain(token));
  if (token.type === 'br') return '\n';
  if (token.type === 'link') return linkText(within, token.href, paint);
  return token.type === 'image' ? linkText(`[${plain(token) || 'picture'}]`, token.href, paint) : within;
}

/** The address is always seen: a text cannot pass itself off as another place. */
function linkText(text: string, href: string, paint: Paint): string {
  const address = safe(href);
  return text === address || `mailto:${text}` === address ? text : `${text} ${paint.dim(`(${address})`)}`;
}

const entities: { readonly [name: string]: string | undefined } = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
};

function plain(token: Token): string {
  const text = 'text' in token && typeof token.text === 'string' ? token.text : token.raw;
  return safe(text.replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (name) => entities[name] ?? name));
}
