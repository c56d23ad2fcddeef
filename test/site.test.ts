// The documentation site: every page is there, no link leads nowhere, and the search finds sections.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const site = mkdtempSync(join(tmpdir(), 'parley-site-'));

beforeAll(() => {
  execFileSync(process.execPath, [join(root, 'scripts', 'site.mjs'), site]);
});

afterAll(() => rmSync(site, { recursive: true, force: true }));

test('every page of docs/ is a page of the site, in the menu and in the search', () => {
  const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  const start = readFileSync(join(site, 'index.html'), 'utf8');
  const index = readFileSync(join(site, 'index.js'), 'utf8');
  const addresses = pages.map((name) => name.replace(/\.md$/, '.html'));
  expect(addresses.filter((address) => !existsSync(join(site, address)))).toEqual([]);
  expect(addresses.filter((address) => !start.includes(`href="${address}"`))).toEqual([]);
  expect(addresses.filter((address) => !index.includes(`"${address}#`))).toEqual([]);
});

test('links and pictures of the pages lead to files of the site, and to sections that are in them', () => {
  const pages = readdirSync(site).filter((name) => name.endsWith('.html'));
  const texts = new Map(pages.map((name) => [name, readFileSync(join(site, name), 'utf8')]));
  const missing = [...texts].flatMap(([name, text]) => {
    const links = [...text.matchAll(/(?:href|src)="([^"#]*)(?:#([^"]*))?"/g)];
    return links
      .filter(([, link = '']) => !/^[a-z]+:/i.test(link))
      .filter(([, link = '', section]) => {
        const target = link === '' ? name : link;
        if (!existsSync(join(site, target))) return true;
        const page = texts.get(target);
        return page !== undefined && section !== undefined && !page.includes(`id="${section}"`);
      })
      .map(([link]) => `${name}: ${link}`);
  });
  expect(missing).toEqual([]);
});

test('no two pages have the same address', () => {
  const start = readFileSync(join(site, 'index.html'), 'utf8');
  const [menu = ''] = /<nav id="pages".*?<\/nav>/s.exec(start) ?? [];
  const addresses = [...menu.matchAll(/href="([^"]+)"/g)].map(([, address]) => address);
  expect(addresses.length).toBeGreaterThan(30);
  expect(addresses.filter((address, at) => addresses.indexOf(address) !== at)).toEqual([]);
});
