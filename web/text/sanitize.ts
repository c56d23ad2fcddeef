// Sanitises HTML made from untrusted text: allows harmless tags only, and links that open a new window.
import DOMPurify from 'dompurify';
import { directionOf } from './direction.ts';

const tags = [
  'a',
  'b',
  'blockquote',
  'br',
  'code',
  'del',
  'details',
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
  'summary',
  'sup',
  'table',
  'tbody',
  'td',
  'th',
  'thead',
  'tr',
  'ul',
];

const attributes = [
  'align',
  'alt',
  'checked',
  'class',
  'disabled',
  'href',
  'open',
  'src',
  'start',
  'title',
  'type',
];

const safeLink = /^(?:https?:|mailto:)/i;

/** Only inline pictures: fetching one from the network would reveal that the text was read. */
const safePicture = /^data:image\/(?:png|jpeg|gif|webp);base64,[\w+/=]+$/i;

/**
 * Only the class names of syntax highlighting, formulas and footnotes: the console's others would let text
 * imitate its controls.
 */
const safeClass = /^(?:language-[\w+#.-]+|hljs[\w-]*|[\w-]+_|maths|maths-block|footnote|footnote-mark)$/;

const purify = DOMPurify();

/** Each follows its own first letter: a message may mix languages that are written in both directions. */
const ownDirection = 'p, h1, h2, h3, h4, h5, h6, summary, td, th';

/** These hold blocks with a direction of their own, which the browser leaves out when it judges a block. */
const outerBlocks = 'blockquote, ol, table, ul';

purify.addHook('afterSanitizeAttributes', (node) => {
  // The browser leaves out what has a direction: a sentence that begins with code has that of its words.
  if (node.matches('code')) node.setAttribute('dir', 'ltr');
  if (node.matches(ownDirection)) node.setAttribute('dir', 'auto');
  if (node.matches(outerBlocks)) node.setAttribute('dir', directionOf(node.textContent));
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
    // Task lists have checkboxes; they are read-only.
    if (node.type !== 'checkbox') return node.remove();
    node.setAttribute('disabled', '');
    node.setAttribute('aria-label', node.hasAttribute('checked') ? 'Done' : 'Not done');
  }
});

/** One object for all calls: DOMPurify reads another one anew, which costs more than most texts. */
const config = {
  ALLOWED_TAGS: tags,
  ALLOWED_ATTR: attributes,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_TRUSTED_TYPE: true,
} as const;

/** Returns a TrustedHTML object, the only kind that the page's content security policy lets into the DOM. */
export function sanitize(html: string): string {
  const safe = purify.sanitize(html, config);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Preact types HTML as string
  return safe as unknown as string;
}
