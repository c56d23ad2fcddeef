// The example of docs/api.md for a page: served by another program, in real Chromium.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useBrowser } from './console/browser.ts';
import { useRealHost } from './console/realHost.ts';

const root = join(import.meta.dirname, '..', '..');
const example = /```html\n([^]*?)```/.exec(readFileSync(join(root, 'docs', 'api.md'), 'utf8'))?.[1] ?? '';

const browser = useBrowser();
const real = useRealHost();

const server = createServer((request, response) => {
  const isLibrary = request.url === '/browser.js';
  response.setHeader('content-type', isLibrary ? 'text/javascript' : 'text/html');
  response.end(
    isLibrary
      ? readFileSync(join(root, 'dist', 'client', 'browser.js'))
      : `<!doctype html><link rel="icon" href="data:,"><body></body>${page}`,
  );
});
let page = '';

beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise<void>((resolve) => void server.close(() => resolve())));

test('a page of another program connects, and counts the sessions', async () => {
  expect(example).toContain("token: 'TOKEN'");
  page = example
    .replace('http://127.0.0.1:4517', `http://127.0.0.1:${real.host.port}`)
    .replace('TOKEN', real.host.token);
  const { port } = server.address() as AddressInfo;
  const opened = await browser.open(`http://127.0.0.1:${port}/`);
  await expect.poll(() => opened.page.locator('body').innerText()).toBe('0 sessions');
});
