// Renders markdown blocks as safe HTML. Raw HTML in the markdown is shown as text, except line breaks and
// folded parts.
import { Marked } from 'marked';
import type { MarkedExtension, Token } from 'marked';
import { escapeHtml } from './escapeHtml.ts';
import { foldExtensions } from './foldsAndNotes.ts';
import { mathsExtensions } from './maths/maths.ts';
import { createTextCache } from './textCache.ts';
import { sanitize } from './sanitize.ts';

const cache = createTextCache(2_000_000);

const options: MarkedExtension = {
  gfm: true,
  renderer: {
    html: ({ text }) => (/^<br\s*\/?>$/i.test(text.trim()) ? '<br>' : escapeHtml(text)),
    // A picture on the network becomes a link: fetching it would reveal that it was read.
    image: ({ href, text, title }) => {
      if (href.startsWith('data:image/')) return `<img src="${escapeHtml(href)}" alt="${escapeHtml(text)}">`;
      return `<a href="${escapeHtml(href)}" title="${escapeHtml(title ?? href)}">${escapeHtml(text || href)}</a>`;
    },
  },
};

const marked = new Marked(options, { extensions: [...mathsExtensions, ...foldExtensions] });

/** Without formulas: titles are often commands, and these have their own use for `$`. */
const titles = new Marked(options);

/**
 * `raw` is the text of the tokens. The result is cached, because scrolling back renders
 * the same blocks again.
 */
export function blocksHtml(raw: string, tokens: readonly Token[]): string {
  return cache.get(raw) ?? cache.set(raw, sanitize(marked.parser([...tokens])));
}

/** For a block that still grows: not cached. */
export function growingHtml(tokens: readonly Token[]): string {
  return sanitize(marked.parser([...tokens]));
}

export function inlineHtml(markdown: string): string {
  return sanitize(titles.parseInline(markdown, { async: false }));
}
