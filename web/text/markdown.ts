// One block of markdown as safe HTML. Raw HTML in it is shown as the text it is.
import { Marked } from 'marked';
import type { Token } from 'marked';
import { sanitize } from './sanitize.ts';

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

export function blockHtml(token: Token): string {
  return sanitize(marked.parser([token]));
}

export function inlineHtml(markdown: string): string {
  return sanitize(marked.parseInline(markdown, { async: false }));
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
