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

/** A piece of the text; `exact` for preformatted text, whose blanks stay. */
interface Piece {
  readonly text: string;
  readonly exact: boolean;
}

class Page {
  /** Tags that begin and never end in this page. */
  readonly endless = new Set<string>();
  readonly #base: string;
  readonly #pieces: Piece[] = [];
  #link: { readonly at: number; readonly href: string } | undefined;
  /** How many open `pre` elements there are. */
  #preformatted = 0;

  constructor(base: string) {
    this.#base = base;
  }

  words(text: string): void {
    if (text === '') return;
    if (this.#preformatted > 0) this.#pieces.push({ text: entities(text), exact: true });
    else this.#add(entities(text).replace(/\s+/g, ' '));
  }

  tag(name: string, closes: boolean, rest: string): void {
    if (/^h[1-6]$/.test(name)) this.#add(closes ? '\n\n' : `\n\n${'#'.repeat(Number(name[1]))} `);
    else if (name === 'li') this.#add(closes ? '' : '\n- ');
    else if (name === 'td' || name === 'th') this.#add(closes ? ' | ' : '');
    else if (name === 'pre') {
      this.#preformatted = Math.max(0, this.#preformatted + (closes ? -1 : 1));
      this.#add('\n```\n');
    } else if (name === 'a') this.#anchor(closes, rest);
    else if (name === 'img') this.#add(attribute(rest, 'alt') ?? '');
    else if (name === 'br') this.#add('\n');
    else if (blocks.test(name)) this.#add('\n\n');
  }

  /** A link ends where the next one begins. */
  #anchor(closes: boolean, rest: string): void {
    this.#endLink();
    if (!closes) this.#link = { at: this.#pieces.length, href: attribute(rest, 'href') ?? '' };
  }

  #endLink(): void {
    const link = this.#link;
    this.#link = undefined;
    const label = link ? trimmed(this.#pieces.slice(link.at)) : [];
    const target = link && label.length > 0 ? this.#target(link.href) : undefined;
    if (!link || target === undefined) return;
    this.#pieces.length = link.at;
    this.#add('[');
    for (const piece of label) this.#pieces.push(piece);
    this.#add(`](${target})`);
  }

  #add(text: string): void {
    this.#pieces.push({ text, exact: false });
  }

  #target(href: string): string | undefined {
    if (href === '' || href.startsWith('#') || !URL.canParse(href, this.#base)) return undefined;
    const target = new URL(href, this.#base);
    return /^https?:$/.test(target.protocol) ? target.href : undefined;
  }

  text(): string {
    return joined(this.#pieces)
      .map(({ text, exact }) => (exact ? text : tidied(text)))
      .join('')
      .trim();
  }
}

/** Neighbours of the same kind as one piece. */
function joined(pieces: readonly Piece[]): readonly Piece[] {
  const runs: { texts: string[]; exact: boolean }[] = [];
  for (const { text, exact } of pieces) {
    const last = runs.at(-1);
    if (last?.exact === exact) last.texts.push(text);
    else runs.push({ texts: [text], exact });
  }
  return runs.map(({ texts, exact }) => ({ text: texts.join(''), exact }));
}

/** The pieces without blanks at the start and at the end; none if all are blank. */
function trimmed(pieces: readonly Piece[]): readonly Piece[] {
  const isFilled = ({ text }: Piece) => text.trim() !== '';
  const [first, last] = [pieces.findIndex(isFilled), pieces.findLastIndex(isFilled)];
  return first < 0
    ? []
    : pieces.slice(first, last + 1).map(({ text, exact }, at) => {
        const start = at === 0 ? text.trimStart() : text;
        return { text: at === last - first ? start.trimEnd() : start, exact };
      });
}

/** No blanks around line breaks, and at most one empty line. */
function tidied(text: string): string {
  return text
    .replace(/[^\S\n]+\n/g, '\n')
    .replace(/\n[^\S\n]+(?=\S)/g, '\n')
    .replace(/\n{3,}/g, '\n\n');
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
