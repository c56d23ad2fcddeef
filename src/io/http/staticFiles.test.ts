// Which paths reach a file of the console and which do not, and what is said about it.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assetFor, isCurrent } from './staticFiles.ts';

let folder: string;
const socket = 'wss://studio:4517';

beforeAll(() => {
  const home = mkdtempSync(join(tmpdir(), 'parley-assets-'));
  folder = join(home, 'web');
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  writeFileSync(join(folder, 'assets', 'index-AbC_1-x.js'), 'run()');
  writeFileSync(join(folder, 'assets', 'main.css'), 'a{}');
  writeFileSync(join(folder, '.stamp'), 'hidden');
  writeFileSync(join(home, 'secret.html'), 'secret');
  symlinkSync(home, join(folder, 'out'));
});

afterAll(() => {
  rmSync(join(folder, '..'), { recursive: true, force: true });
});

describe('paths that reach a file', () => {
  check('/', 'text/html; charset=utf-8', 'no-cache');
  check('/index.html', 'text/html; charset=utf-8', 'no-cache');
  check('/assets/index-AbC_1-x.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable');
  check('/assets/main.css', 'text/css; charset=utf-8', 'public, max-age=31536000, immutable');

  function check(path: string, type: string, caching: string): void {
    test(`GET ${path}`, () => {
      const headers = assetFor(path, { folder, socket })?.headers ?? {};
      expect([headers['content-type'], headers['cache-control']]).toEqual([type, caching]);
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' wss://studio:4517; " +
          "img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
          "require-trusted-types-for 'script'; trusted-types dompurify",
      );
      expect(headers['x-content-type-options']).toBe('nosniff');
    });
  }
});

describe('paths that reach nothing', () => {
  test.each([
    '',
    '/.stamp',
    '/missing.html',
    '/assets',
    '/assets/',
    '/../secret.html',
    '/assets/../../secret.html',
    '/%2e%2e/secret.html',
    '/out/secret.html',
    '/assets/..%2f..%2fsecret.html',
    '/assets\\..\\..\\secret.html',
    '//etc/passwd',
    '/index.html/',
    '/index.html\0.js',
    '/assets/index-AbC_1-x.js.',
    '/secret',
    '/ahp',
  ])('%j', (path) => {
    expect(assetFor(path, { folder, socket })).toBeUndefined();
  });
});

test('a copy that the browser has is recognised by its tag', () => {
  const asset = assetFor('/', { folder, socket });
  const tag = asset?.headers['etag'];
  expect(
    asset && [
      isCurrent(asset, tag),
      isCurrent(asset, `"x", ${tag}`),
      isCurrent(asset, '"x"'),
      isCurrent(asset, undefined),
    ],
  ).toEqual([true, true, false, false]);
});
