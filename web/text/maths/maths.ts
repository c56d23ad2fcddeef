// Finds maths in markdown: `$x$` and `\(x\)` in a line, `$$x$$` and `\[x\]` on their own. A formula is
// rendered as its source; showMaths.ts replaces it by the typeset form once the text is complete.
import type { TokenizerAndRendererExtension, Tokens } from 'marked';
import { escapeHtml } from '../escapeHtml.ts';

/** None goes beyond another beginning, so each character is looked at a few times only. */
const inLine = [
  { pattern: /^\$\$(?!\$)((?:\\[^]|[^$\\])+)\$\$(?!\$)/, isDisplay: true, isMaths: () => true },
  { pattern: /^\$(?![\s$])((?:\\[^]|[^$\\])+)\$(?![\w$])/, isDisplay: false, isMaths: isNoPrice },
  { pattern: /^\\\(((?:(?!\\[()])[^])+)\\\)/, isDisplay: false, isMaths: () => true },
  // In markdown this may also be a bracket that begins no link.
  {
    pattern: /^\\\[((?:(?!\\[[\]])[^])+)\\\]/,
    isDisplay: true,
    isMaths: (tex: string) => /[\\^_=+<>]/.test(tex),
  },
] as const;

/** A formula that is alone: in one line, or between lines of its own. LaTeX allows no empty line in it. */
const oneLine = /^ {0,3}(?:\$\$(?!\$)(?:\\.|[^$\\\n])+?\$\$|\\\[(?:(?!\\\]).)+\\\])[ \t]*(?:\n|$)/;
const opening = /^ {0,3}(\$\$|\\\[)[ \t]*\n/;

export const mathsExtensions: readonly TokenizerAndRendererExtension[] = [
  {
    name: 'mathsBlock',
    level: 'block',
    // Only what cannot become a part of the paragraph above while its line still grows.
    start: (source) => indexOf(/(?<=\n) {0,3}(?:\$\$|\\\[)[ \t]*\n/, source),
    tokenizer: (source) => blockToken(source),
    renderer: ({ raw }) => `<p>${placeholder(raw.trim(), true)}</p>`,
  },
  { name: 'openFormula', renderer: ({ raw }) => `<p>${escapeHtml(raw)}</p>` },
  {
    name: 'maths',
    level: 'inline',
    start: (source) => indexOf(/\$|\\[([]/, source),
    tokenizer: (source, tokens) => inlineToken(source, tokens.at(-1)?.raw.at(-1) ?? ''),
    renderer: ({ raw, isDisplay }) => placeholder(raw, isDisplay === true),
  },
];

/** The formula without its signs, which are one or two characters at each end. */
export function formulaIn(source: string): string {
  const length = source.startsWith('$') && !source.startsWith('$$') ? 1 : 2;
  return source.slice(length, -length).trim();
}

function blockToken(source: string): Tokens.Generic | undefined {
  const [whole] = oneLine.exec(source) ?? [];
  if (whole !== undefined) return { type: 'mathsBlock', raw: whole };
  const [first, sign] = opening.exec(source) ?? [];
  if (first === undefined) return undefined;
  const rest = source.slice(first.length);
  const empty = /(?:^|\n)[ \t]*\n/.exec(rest);
  const lines = empty ? rest.slice(0, empty.index + 1) : rest;
  const closing = (sign === '$$' ? /\$\$[ \t]*(?:\n|$)/ : /\\\][ \t]*(?:\n|$)/).exec(lines);
  if (closing) return { type: 'mathsBlock', raw: first + lines.slice(0, closing.index + closing[0].length) };
  // It may still be arriving, so it is a block of its own in any case.
  return { type: 'openFormula', raw: first + lines };
}

function inlineToken(source: string, before: string): Tokens.Generic | undefined {
  if (source.startsWith('$') && /[\w$\\]/.test(before)) return undefined;
  for (const { pattern, isMaths, isDisplay } of inLine) {
    const [raw, tex = ''] = pattern.exec(source) ?? [];
    if (raw !== undefined && tex.trim() !== '' && isMaths(tex)) return { type: 'maths', raw, isDisplay };
  }
  return undefined;
}

/**
 * "$5 and $6" has a space before its second sign. "$5 and not 6$" begins with a number and goes on with
 * words; words in a formula are commands.
 */
function isNoPrice(tex: string): boolean {
  if (/\s$/.test(tex)) return false;
  return !/^\d/.test(tex) || !/\s[a-z]{2,}/i.test(tex.replace(/\\[a-z]+(?:\{[^{}]*\})?/gi, ''));
}

function placeholder(source: string, isDisplay: boolean): string {
  return `<code class="maths${isDisplay ? ' maths-block' : ''}">${escapeHtml(source)}</code>`;
}

function indexOf(pattern: RegExp, source: string): number | undefined {
  return pattern.exec(source)?.index;
}
