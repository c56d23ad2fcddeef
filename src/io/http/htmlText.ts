// Converts an HTML page to text with headings, lists and links, without invisible content. Treats the page as
// untrusted.

/** Takes time in proportion to the length, whatever the page. */
export function htmlText(html: string, base: string): string {
  const page = new Page(base);
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (open < 0) break;
    page.words(html.slice(at, open));
    at = html.startsWith('<!--', open) ? after(html, '-->', open + 4) : readTag(html, open, page);
  }
  page.words(html.slice(at));
  return page.text();
}

/** What is not shown, up to its end. */
const silent = /^(?:script|style|noscript|template|svg|math|iframe|object|canvas|head|nav|select|textarea)$/;
const blocks =
  /^(?:p|div|section|article|main|header|footer|aside|ul|ol|table|thead|tbody|tr|blockquote|figure|form|fieldset|dl|dt|dd|details|summary|address|hr|br)$/;

function readTag(html: string, open: number, page: Page): number {
  const [whole = '', slash = '', given = ''] =
    /^<(\/?)([a-z][\w:-]*)/i.exec(html.slice(open, open + 64)) ?? [];
  if (given === '') {
    // A `<` that starts no tag is text.
    const declaration = html.startsWith('<!', open) || html.startsWith('<?', open);
    if (!declaration) page.words('<');
    return declaration ? after(html, '>', open + 1) : open + 1;
  }
  const end = tagEnd(html, open + whole.length);
  const name = given.toLowerCase();
  if (slash === '' && silent.test(name) && html[end - 2] !== '/')
    return skipped(html, { name, from: end }, page);
  page.tag(name, slash === '/', html.slice(open + whole.length, end - 1));
  return end;
}

/** Quoted values may hold the sign that ends a tag. */
function tagEnd(html: string, from: number): number {
  let quote = '';
  for (let at = from; at < html.length; at += 1) {
    const sign = html[at] ?? '';
    if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === '>') return at + 1;
  }
  return html.length;
}

function skipped(html: string, { name, from }: { name: string; from: number }, { endless }: Page): number {
  // The end tag is missing; show the rest instead of losing it, and do not scan it again.
  if (endless.has(name)) return from;
  const close = new RegExp(`</${name}[\\s>]`, 'gi');
  close.lastIndex = from;
  const found = close.exec(html);
  if (!found) endless.add(name);
  return found ? after(html, '>', found.index) : from;
}

function after(html: string, sign: string, from: number): number {
  const at = html.indexOf(sign, from);
  return at < 0 ? html.length : at + sign.length;
}

/** Stand for blanks that must stay while all others are tidied up. */
const [blank, tab] = ['\uE000', '\uE001'];

class Page {
  /** Tags that begin and never end in this page. */
  readonly endless = new Set<string>();
  readonly #base: string;
  readonly #parts: string[] = [];
  readonly #links: { readonly at: number; readonly href: string }[] = [];
  #kept = 0;

  constructor(base: string) {
    this.#base = base;
  }

  words(text: string): void {
    if (text !== '')
      this.#parts.push(
        this.#kept > 0
          ? entities(text).replaceAll(' ', blank).replaceAll('\t', tab)
          : entities(text).replace(/\s+/g, ' '),
      );
  }

  tag(name: string, closes: boolean, rest: string): void {
    if (/^h[1-6]$/.test(name)) this.#parts.push(closes ? '\n\n' : `\n\n${'#'.repeat(Number(name[1]))} `);
    else if (name === 'li') this.#parts.push(closes ? '' : '\n- ');
    else if (name === 'td' || name === 'th') this.#parts.push(closes ? ' | ' : '');
    else if (name === 'pre') {
      this.#kept = Math.max(0, this.#kept + (closes ? -1 : 1));
      this.#parts.push('\n```\n');
    } else if (name === 'a') this.#link(closes, rest);
    else if (name === 'img') this.#parts.push(attribute(rest, 'alt') ?? '');
    else if (name === 'br') this.#parts.push('\n');
    else if (blocks.test(name)) this.#parts.push('\n\n');
  }

  #link(closes: boolean, rest: string): void {
    if (!closes)
      return void this.#links.push({ at: this.#parts.length, href: attribute(rest, 'href') ?? '' });
    const link = this.#links.pop();
    const words = link && this.#parts.slice(link.at).join('').trim();
    const target = link && words ? this.#target(link.href) : undefined;
    if (!link || target === undefined) return;
    this.#parts.length = link.at;
    this.#parts.push(`[${words}](${target})`);
  }

  #target(href: string): string | undefined {
    if (href === '' || href.startsWith('#') || !URL.canParse(href, this.#base)) return undefined;
    const target = new URL(href, this.#base);
    return /^https?:$/.test(target.protocol) ? target.href : undefined;
  }

  text(): string {
    return this.#parts
      .join('')
      .replace(/[^\S\n]+\n/g, '\n')
      .replace(/\n[^\S\n]+(?=\S)/g, '\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim()
      .replaceAll(blank, ' ')
      .replaceAll(tab, '\t');
  }
}

function attribute(rest: string, name: string): string | undefined {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(
    rest.slice(0, 4_000),
  );
  const value = found?.[1] ?? found?.[2] ?? found?.[3];
  return value === undefined ? undefined : entities(value);
}

const named: { readonly [name: string]: string } = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  reg: '®',
  trade: '™',
  mdash: '—',
  ndash: '–',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  times: '×',
  rarr: '→',
  larr: '←',
  uarr: '↑',
  darr: '↓',
  euro: '€',
  pound: '£',
  deg: '°',
  shy: '',
  zwnj: '',
  zwj: '',
};

function entities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,8}));/gi,
    (...match: readonly (string | undefined)[]) => {
      const [whole = '', hex, decimal, name] = match;
      if (name !== undefined)
        return Object.hasOwn(named, name.toLowerCase()) ? (named[name.toLowerCase()] ?? whole) : whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
