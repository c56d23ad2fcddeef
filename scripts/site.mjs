// Builds the documentation site from README.md, docs/ and the other pages of the repository: one HTML file
// per page, a list of pages, and a search that needs no server.
//   npm run site [-- FOLDER]      writes it to artifacts/site or the folder
//   npm run check:site            only reports links that lead nowhere, and pages with one address
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import hljs from 'highlight.js/lib/common';
import { Marked } from 'marked';

const root = join(import.meta.dirname, '..');
const parts = join(import.meta.dirname, 'site');

/** Pages whose address is not their name: the start, and a name that a page of docs/ has, too. */
const addresses = { 'README.md': 'index.html', 'SECURITY.md': 'security-policy.html' };

/** The pages by group. Pages of docs/ that are not listed come last. */
const groups = {
  Start: ['README.md'],
  Editors: ['emacs', 'neovim', 'vscode', 'zed', 'jetbrains', 'clients'].map(inDocs),
  Use: ['terminal', 'commands', 'keys', 'recipes', 'run', 'api', 'settings', 'faq', 'troubleshooting'].map(
    inDocs,
  ),
  Trust: [
    ...['security', 'reliability', 'operations', 'performance'],
    ...['protocols', 'comparison', 'agents-matrix'],
  ].map(inDocs),
  Develop: ['ARCHITECTURE.md', ...['internals', 'extending', 'debugging'].map(inDocs)],
  Project: ['CONTRIBUTING.md', 'AGENTS.md', 'CHANGELOG.md', 'SECURITY.md', 'CODE_OF_CONDUCT.md'],
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { pages, problems } = readPages();
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
  else if (!process.argv.includes('--check')) {
    const target = resolve(process.argv[2] ?? join(root, 'artifacts', 'site'));
    writeSite(pages, target);
    process.stdout.write(`${pages.length} pages in ${target}\n`);
  }
}

/** Every page with its HTML and its sections, and a sentence for every link that leads nowhere. */
export function readPages() {
  const listed = Object.values(groups).flat();
  const others = readdirSync(join(root, 'docs'))
    .map((name) => `docs/${name}`)
    .filter((file) => file.endsWith('.md') && !listed.includes(file));
  const pages = [
    ...Object.entries(groups).flatMap(([group, files]) => files.map((file) => readPage(file, group))),
    ...others.toSorted().map((file) => readPage(file, 'More')),
  ];
  return { pages, problems: [...sharedAddresses(pages), ...pages.flatMap((page) => deadLinks(page, pages))] };
}

/** Of two pages with one address only the last would be written. */
function sharedAddresses(pages) {
  return pages.flatMap(({ file, address }, at) => {
    const other = pages.slice(0, at).find((page) => page.address === address);
    return other ? [`${file} and ${other.file} have the same address, ${address}.`] : [];
  });
}

function inDocs(name) {
  return `docs/${name}.md`;
}

function readPage(file, group) {
  const page = { file, group, address: addressOf(file), sections: [], links: [] };
  const used = new Map();
  const marked = new Marked({ renderer: rendererOf(page, used) });
  page.html = marked.parse(readFileSync(join(root, file), 'utf8'));
  page.title = page.sections[0]?.heading ?? file;
  return page;
}

function addressOf(file) {
  return addresses[file] ?? `${posix.basename(file, '.md').toLowerCase()}.html`;
}

function rendererOf(page, used) {
  return {
    heading({ tokens, depth }) {
      const html = this.parser.parseInline(tokens);
      const id = anchorOf(textOf(html), used);
      page.sections.push({ heading: textOf(html), id, depth, text: '' });
      const link = `<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
      return `<h${depth} id="${id}">${html}${link}</h${depth}>\n`;
    },
    paragraph({ tokens }) {
      const html = this.parser.parseInline(tokens);
      collect(page, html);
      return `<p>${html}</p>\n`;
    },
    codespan({ text }) {
      return `<code>${escaped(text).replaceAll('/', '/<wbr>')}</code>`;
    },
    tablecell({ tokens, header, align }) {
      const html = this.parser.parseInline(tokens);
      collect(page, html);
      const name = header ? 'th' : 'td';
      const kind = /^\d{4}-\d{2}-\d{2}$/.test(html) ? ' class="date"' : '';
      return `<${name}${kind}${align ? ` align="${align}"` : ''}>${html}</${name}>`;
    },
    listitem(item) {
      const html = this.parser.parse(item.tokens);
      collect(page, html);
      return `<li>${html}</li>\n`;
    },
    code({ text, lang }) {
      collect(page, escaped(text));
      const html =
        lang && hljs.getLanguage(lang) ? hljs.highlight(text, { language: lang }).value : escaped(text);
      return `<pre tabindex="0"><code>${html}</code></pre>\n`;
    },
    link({ href, tokens }) {
      page.links.push(href);
      return `<a href="${escaped(siteLink(page.file, href))}">${this.parser.parseInline(tokens)}</a>`;
    },
    image({ href, text }) {
      page.links.push(href);
      return `<img src="${escaped(posix.basename(href))}" alt="${escaped(text)}" loading="lazy">`;
    },
  };
}

/** The text of the page goes to the section that it stands in, for the search. */
function collect(page, html) {
  const section = page.sections.at(-1);
  if (section) section.text += `${textOf(html)} `;
}

function textOf(html) {
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The same anchors as on the usual forges: lower case, hyphens for blanks, a number for a repetition. */
function anchorOf(heading, used) {
  const plain = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
  const base = plain.trim().replaceAll(/\s/g, '-');
  const count = used.get(base) ?? 0;
  used.set(base, count + 1);
  return count === 0 ? base : `${base}-${count}`;
}

function isOutside(href) {
  return /^[a-z]+:/i.test(href);
}

/** The path of a file in the repository that a link of a page names, and the section behind it. */
function targetOf(file, href) {
  const [path = '', anchor] = href.split('#');
  return { path: path === '' ? file : posix.normalize(posix.join(posix.dirname(file), path)), anchor };
}

function siteLink(file, href) {
  if (isOutside(href)) return href;
  const { path, anchor } = targetOf(file, href);
  if (!path.endsWith('.md')) return posix.basename(path);
  return addressOf(path) + (anchor === undefined ? '' : `#${anchor}`);
}

function deadLinks(page, pages) {
  return page.links.filter((href) => !isOutside(href)).flatMap((href) => deadLink(page, href, pages) ?? []);
}

function deadLink({ file }, href, pages) {
  const { path, anchor } = targetOf(file, href);
  if (!existsSync(join(root, path))) return `${file}: ${href} does not exist.`;
  const page = pages.find((each) => each.file === path);
  if (path.endsWith('.md') && !page) return `${file}: ${href} is not a page of the site.`;
  if (!page || anchor === undefined || page.sections.some(({ id }) => id === anchor)) return undefined;
  return `${file}: ${path} has no section "#${anchor}".`;
}

function writeSite(pages, target) {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const page of pages) writeFileSync(join(target, page.address), documentOf(page, pages));
  const index = pages.flatMap(({ address, title, sections }) =>
    sections.map(({ heading, id, text }) => ({ address: `${address}#${id}`, page: title, heading, text })),
  );
  writeFileSync(join(target, 'index.js'), `globalThis.searchIndex = ${JSON.stringify(index)};\n`);
  cpSync(join(parts, 'site.css'), join(target, 'site.css'));
  // One plain script: browsers load no modules from files.
  buildSync({ entryPoints: [join(parts, 'search.js')], outfile: join(target, 'search.js'), bundle: true });
  for (const file of picturesOf(pages)) cpSync(join(root, file), join(target, posix.basename(file)));
}

/** Files other than pages that a page shows or links to. */
function picturesOf(pages) {
  const files = pages.flatMap(({ file, links }) =>
    links.filter((href) => !isOutside(href)).map((href) => targetOf(file, href).path),
  );
  return new Set(files.filter((path) => /\.(?:png|svg|json)$/.test(path)));
}

function documentOf(page, pages) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.address === 'index.html' ? 'Parley' : `${page.title} - Parley`)}</title>
<link rel="stylesheet" href="site.css">
<script src="index.js" defer></script>
<script src="search.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="name" href="index.html">Parley</a>
<a class="to-pages" href="#pages">All pages</a>
<search><label>Search <input type="search" id="search" autocomplete="off" aria-controls="hits"></label>
<ul id="hits" hidden></ul></search>
</header>
<div class="columns">
<nav id="pages" aria-label="Pages">${menuOf(page, pages)}</nav>
<main id="content">
${page.html}</main>
<aside>${contentsOf(page)}</aside>
</div>
</body>
</html>
`;
}

function menuOf(current, pages) {
  return [...new Set(pages.map(({ group }) => group))]
    .map((group) => {
      const links = pages
        .filter((page) => page.group === group)
        .map((page) => menuLink(page, page === current));
      return `<h2>${group}</h2><ul>${links.join('')}</ul>`;
    })
    .join('\n');
}

function menuLink({ address, title }, isCurrent) {
  return `<li><a href="${address}"${isCurrent ? ' aria-current="page"' : ''}>${escaped(title)}</a></li>`;
}

function contentsOf({ sections }) {
  const second = sections.filter(({ depth }) => depth === 2);
  if (second.length < 2) return '';
  const links = second.map(({ id, heading }) => `<li><a href="#${id}">${escaped(heading)}</a></li>`);
  return `<nav aria-label="On this page"><h2>On this page</h2><ul>${links.join('')}</ul></nav>`;
}

function escaped(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
