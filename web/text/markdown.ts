// Renders markdown blocks as safe HTML. Raw HTML in the markdown is shown as text.
import { Marked } from 'marked';
import type { Token } from 'marked';
import { createTextCache } from './textCache.ts';
import { sanitize } from './sanitize.ts';

const cache = createTextCache(2_000_000);

const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => (/^<br\s*\/?>$/i.test(text.trim()) ? '<br>' : escapeHtml(text)),
    // A picture on the network becomes a link: fetching it would reveal that it was read.
    image: ({ href, text, title }) => {
      if (href.startsWith('data:image/')) return `<img src="${escapeHtml(href)}" alt="${escapeHtml(text)}">`;
      return `<a href="${escapeHtml(href)}" title="${escapeHtml(title ?? href)}">${escapeHtml(text || href)}</a>`;
    },
  },
});

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
  return sanitize(marked.parseInline(markdown, { async: false }));
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
