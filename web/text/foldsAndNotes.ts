// Markdown that GitHub knows and the parser does not: folded parts (`<details>`) and footnotes.
import type { TokenizerAndRendererExtension, TokenizerThis, Tokens } from 'marked';
import { escapeHtml } from './escapeHtml.ts';

const label = String.raw`(\d{1,3}|[A-Za-z]\w{2,30})`;
const mark = new RegExp(String.raw`^\[\^${label}\](?!:)`);
const note = new RegExp(
  String.raw`^ {0,3}\[\^${label}\]:[ \t]*((?:(?!\n[ \t]*(?:\n|$)|\n {0,3}\[\^)[^])*)(?:\n|$)`,
);
const foldStart = /^ {0,3}<details(\s+open(?:="[^"]*")?)?\s*>/i;
/** Deeper ones are shown as text: each level is parsed within the one above. */
const maxDepth = 10;
const summaryStart = /^\s*<summary>([^]*?)<\/summary>/i;

export const foldExtensions: readonly TokenizerAndRendererExtension[] = [
  {
    name: 'details',
    level: 'block',
    start: (source) => /(?<=\n) {0,3}<details/i.exec(source)?.index,
    tokenizer(source) {
      return foldToken(this, source);
    },
    renderer({ isOpen, tokens = [] }) {
      return `<details${isOpen === true ? ' open' : ''}>${this.parser.parse(tokens)}</details>`;
    },
  },
  {
    name: 'foldTitle',
    renderer({ tokens = [] }) {
      return `<summary>${this.parser.parseInline(tokens)}</summary>`;
    },
  },
  {
    name: 'footnote',
    level: 'block',
    start: (source) => /(?<=\n) {0,3}\[\^/.exec(source)?.index,
    tokenizer(source) {
      const [raw, name, text] = note.exec(source) ?? [];
      if (raw === undefined || text === undefined) return undefined;
      return { type: 'footnote', raw, name, tokens: this.lexer.inline(text) };
    },
    renderer({ name, tokens = [] }) {
      return `<p class="footnote"><sup>${escapeHtml(String(name))}</sup> ${this.parser.parseInline(tokens)}</p>`;
    },
  },
  {
    name: 'footnoteMark',
    level: 'inline',
    start: (source) => source.indexOf('[^'),
    tokenizer: (source) => {
      const [raw, name] = mark.exec(source) ?? [];
      return raw === undefined ? undefined : { type: 'footnoteMark', raw, name };
    },
    renderer: ({ name }) => `<sup class="footnote-mark">${escapeHtml(String(name))}</sup>`,
  },
];

/** A part without its end goes on to the end of the text, which may still be arriving. */
function foldToken({ lexer }: TokenizerThis, source: string): Tokens.Generic | undefined {
  const [start, open] = foldStart.exec(source) ?? [];
  if (start === undefined) return undefined;
  const { inside, length, deepest } = upToEnd(source, start.length);
  if (deepest > maxDepth) return undefined;
  const [title = '', words = 'Details'] = summaryStart.exec(inside) ?? [];
  return {
    type: 'details',
    raw: source.slice(0, length),
    isOpen: open !== undefined,
    tokens: [
      { type: 'foldTitle', raw: title, tokens: lexer.inline(words.trim()) },
      ...lexer.blockTokens(inside.slice(title.length).replace(/^\s*\n/, ''), []),
    ],
  };
}

interface Fold {
  readonly inside: string;
  /** With the tag at its end. */
  readonly length: number;
  readonly deepest: number;
}

/** Parts may be nested, so their beginnings and ends are counted. */
function upToEnd(source: string, from: number): Fold {
  let depth = 1;
  let deepest = 1;
  for (const { 0: tag, index } of source.slice(from).matchAll(/<details\b|<\/details>[ \t]*\n?/gi)) {
    depth += tag.startsWith('</') ? -1 : 1;
    deepest = Math.max(deepest, depth);
    if (depth === 0)
      return { inside: source.slice(from, from + index), length: from + index + tag.length, deepest };
  }
  return { inside: source.slice(from), length: source.length, deepest };
}
