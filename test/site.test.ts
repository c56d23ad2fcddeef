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

test('links and pictures of the pages lead to files of the site', () => {
  const missing = readdirSync(site)
    .filter((name) => name.endsWith('.html'))
    .flatMap((name) => {
      const text = readFileSync(join(site, name), 'utf8');
      const links = [...text.matchAll(/(?:href|src)="([^"#]+)(?:#[^"]*)?"/g)].map(([, link = '']) => link);
      return links.filter((link) => !/^[a-z]+:/i.test(link) && !existsSync(join(site, link)));
    });
  expect(missing).toEqual([]);
});
