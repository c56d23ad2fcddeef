// The wall between text that agents wrote and the page: only harmless tags pass, and links that leave in a new window.
import DOMPurify from 'dompurify';

const tags = [
  'a',
  'b',
  'blockquote',
  'br',
  'code',
  'del',
  'em',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'hr',
  'i',
  'img',
  'input',
  'li',
  'ol',
  'p',
  'pre',
  's',
  'span',
  'strong',
  'sub',
  'sup',
  'table',
  'tbody',
  'td',
  'th',
  'thead',
  'tr',
  'ul',
];

const attributes = ['align', 'alt', 'checked', 'class', 'disabled', 'href', 'src', 'start', 'title', 'type'];

const safeLink = /^(?:https?:|mailto:)/i;

/** Pictures come with the text or not at all: fetching one would tell a stranger that it was read. */
const safePicture = /^data:image\/(?:png|jpeg|gif|webp);base64,[\w+/=]+$/i;

/** Class names of ours stay out of reach; only those of code highlighting pass. */
const safeClass = /^(?:language-[\w+#.-]+|hljs[\w-]*|[\w-]+_)$/;

const purify = DOMPurify();

purify.addHook('afterSanitizeAttributes', (node) => {
  if (node.hasAttribute('class')) {
    node.setAttribute('class', [...node.classList].filter((name) => safeClass.test(name)).join(' '));
  }
  if (node instanceof HTMLAnchorElement) {
    if (!safeLink.test(node.getAttribute('href') ?? '')) return node.removeAttribute('href');
    node.setAttribute('target', '_blank');
    node.setAttribute('rel', 'noopener noreferrer');
  }
  if (node instanceof HTMLImageElement && !safePicture.test(node.getAttribute('src') ?? '')) node.remove();
  if (node instanceof HTMLInputElement) {
    // Only the boxes of task lists are left, and they are for reading.
    if (node.type !== 'checkbox') return node.remove();
    node.setAttribute('disabled', '');
  }
});

/** HTML that passed the wall. The page's policy lets no other kind into it: to the browser this is more than a string. */
export function sanitize(html: string): string {
  const safe = purify.sanitize(html, {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: attributes,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_TRUSTED_TYPE: true,
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- views and the view library know only strings
  return safe as unknown as string;
}
