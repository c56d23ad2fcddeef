// Which paths reach a file of the console and which do not, and what is said about it.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assetFor, isCurrent } from './staticFiles.ts';

let folder: string;
const socket = 'wss://studio:4517';

beforeAll(() => {
  const home = mkdtempSync(join(tmpdir(), 'parley-assets-'));
  folder = join(home, 'web');
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  writeFileSync(join(folder, 'diagram.html'), '<!doctype html>');
  writeFileSync(join(folder, 'assets', 'index-AbC_1-x.js'), 'run()');
  writeFileSync(join(folder, 'assets', 'index-AbC_1-x.js.gz'), gzipSync('run()'));
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
          "img-src 'self' data:; font-src 'self'; manifest-src 'self'; worker-src 'self'; frame-src 'self'; " +
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
          'trusted-types dompurify parley-worker',
      );
      expect(headers['x-content-type-options']).toBe('nosniff');
    });
  }
});

test('the page that draws diagrams has a policy of its own', () => {
  expect(assetFor('/diagram.html', { folder, socket })?.headers['content-security-policy']).toBe(
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; " +
      "form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts",
  );
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
    '/assets/index-AbC_1-x.js.gz',
    '/ahp',
  ])('%j', (path) => {
    expect(assetFor(path, { folder, socket })).toBeUndefined();
  });
});

describe('the compressed copy', () => {
  test.each([
    ['gzip, deflate, br', 'gzip'],
    ['br;q=1.0, GZIP;q=0.5', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip;q=0.00, br', undefined],
    ['br', undefined],
    [undefined, undefined],
  ])('is for browsers that take it: %j', (encodings, encoding) => {
    const asset = assetFor('/assets/index-AbC_1-x.js', { folder, socket, encodings });
    if (!asset) throw new Error('missing');
    expect(asset.headers['content-encoding']).toBe(encoding);
    expect(asset.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect([asset.headers['vary'], asset.headers['content-length']]).toEqual([
      'accept-encoding',
      String(asset.body.length),
    ]);
    expect((encoding ? gunzipSync(asset.body) : asset.body).toString()).toBe('run()');
  });

  test('has a tag of its own, and a file without one is served as it is', () => {
    const tags = ['gzip', ''].map(
      (encodings) => assetFor('/assets/index-AbC_1-x.js', { folder, socket, encodings })?.headers['etag'],
    );
    expect(new Set(tags).size).toBe(2);
    const plain = assetFor('/assets/main.css', { folder, socket, encodings: 'gzip' });
    expect([plain?.headers['content-encoding'], plain?.body.toString()]).toEqual([undefined, 'a{}']);
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
