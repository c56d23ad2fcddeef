// One block of markdown as safe HTML. Raw HTML in it is shown as the text it is.
import { Marked } from 'marked';
import type { Token } from 'marked';
import { createKeeper } from './keeper.ts';
import { sanitize } from './sanitize.ts';

const kept = createKeeper(2_000_000);

const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => (/^<br\s*\/?>$/i.test(text.trim()) ? '<br>' : escapeHtml(text)),
    // A picture from the network becomes a link that the reader may follow.
    image: ({ href, text, title }) => {
      if (href.startsWith('data:image/')) return `<img src="${escapeHtml(href)}" alt="${escapeHtml(text)}">`;
      return `<a href="${escapeHtml(href)}" title="${escapeHtml(title ?? href)}">${escapeHtml(text || href)}</a>`;
    },
  },
});

/** `raw` is the text of the tokens. What was made once is kept for a while: a reader who scrolls comes back. */
export function blocksHtml(raw: string, tokens: readonly Token[]): string {
  return kept.take(raw) ?? kept.put(raw, sanitize(marked.parser([...tokens])));
}

/** Text that is different a moment later is not worth keeping. */
export function growingHtml(tokens: readonly Token[]): string {
  return sanitize(marked.parser([...tokens]));
}

export function inlineHtml(markdown: string): string {
  return sanitize(marked.parseInline(markdown, { async: false }));
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
