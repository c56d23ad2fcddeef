import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { htmlText } from './htmlText.ts';
import { isProxied, networkFetch } from './httpClient.ts';
import { webPages } from './webPages.ts';

let server: Server;
let base: string;
const never = new AbortController().signal;

const answers: { readonly [path: string]: (answer: ServerResponse, request: IncomingMessage) => void } = {
  '/page': (answer) =>
    answer
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end('<head><title>t</title></head><h1>Hi</h1><p>one <a href="/x">two</a>'),
  '/json': (answer) => answer.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}'),
  '/latin': (answer) =>
    answer.writeHead(200, { 'content-type': 'text/plain; charset=iso-8859-1' }).end(Buffer.from([0xe4])),
  '/packed': (answer) =>
    answer
      .writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' })
      .end(gzipSync('packed')),
  '/bomb': (answer) =>
    answer
      .writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' })
      .end(gzipSync(Buffer.alloc(1_000_000))),
  '/large': (answer) => answer.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(200_000)),
  '/picture': (answer) => answer.writeHead(200, { 'content-type': 'image/png' }).end('x'),
  '/missing': (answer) => answer.writeHead(404).end(),
  '/near': (answer) => answer.writeHead(302, { location: '/json' }).end(),
  '/far': (answer) => answer.writeHead(302, { location: 'http://example.com/there' }).end(),
  '/file': (answer) => answer.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/circle': (answer) => answer.writeHead(302, { location: '/circle' }).end(),
  '/silent': () => {},
  '/who': (answer, { headers }) =>
    answer
      .writeHead(200, { 'content-type': 'text/plain' })
      .end(`${headers['user-agent']} ${headers.cookie ?? 'no cookie'}`),
};

beforeAll(async () => {
  server = createServer((request, answer) =>
    (answers[request.url ?? ''] ?? answers['/missing'])?.(answer, request),
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const pages = webPages({ limit: 100_000, version: '1.2.3' });

describe('a page', () => {
  check('/page', { url: 'BASE/page', type: 'text/html; charset=utf-8', text: '# Hi\n\none [two](BASE/x)' });
  check('/json', { url: 'BASE/json', type: 'application/json', text: '{"a":1}' });
  check('/latin', { url: 'BASE/latin', type: 'text/plain; charset=iso-8859-1', text: 'ä' });
  check('/packed', { url: 'BASE/packed', type: 'text/plain', text: 'packed' });
  check('/near', { url: 'BASE/json', type: 'application/json', text: '{"a":1}' });
  check('/who', { url: 'BASE/who', type: 'text/plain', text: 'parley/1.2.3 no cookie' });
  check('/bomb', { problem: 'BASE/bomb is larger than 100000 bytes.' });
  check('/large', { problem: 'BASE/large is larger than 100000 bytes.' });
  check('/picture', { problem: 'BASE/picture is not text (image/png).' });
  check('/missing', { problem: 'BASE/missing answered with status 404.' });
  check('/far', {
    problem: 'The page redirects to http://example.com/there; fetch that URL if you want it.',
  });
  check('/file', {
    problem: 'The page redirects to file:///etc/passwd; fetch that URL if you want it.',
  });
  check('/circle', { problem: 'BASE/circle redirects too often.' });

  function check(path: string, expected: object): void {
    test(`at ${path}`, async () => {
      expect(
        JSON.parse(JSON.stringify(await pages.read(`${base}${path}`, never)).replaceAll(base, 'BASE')),
      ).toEqual(expected);
    });
  }
});

test('nobody waits for a server that says nothing, and a stop is obeyed', async () => {
  expect(await webPages({ timeout: 50 }).read(`${base}/silent`, never)).toEqual({
    problem: `${base}/silent did not answer within 0.05 seconds.`,
  });
  const stop = new AbortController();
  const reading = pages.read(`${base}/silent`, stop.signal);
  stop.abort();
  expect(await reading).toEqual({ problem: 'It was stopped.' });
});

test('a name that leads to this machine is not followed, and what is for one link alone is never read', async () => {
  const { hostname } = await import('node:os');
  const found = await pages.read(`http://${hostname()}:1/`, never);
  expect('problem' in found && found.problem).toMatch(
    /leads to .* an address of this machine|cannot be read/,
  );
  expect(await pages.read('http://169.254.169.254/latest/meta-data', never)).toEqual({
    problem: '169.254.169.254 is blocked: link-local addresses are never read.',
  });
});

describe('the text of HTML', () => {
  check('<p>a<p>b', 'a\n\nb');
  check('a &lt;b&gt; &amp; &#65;&#x42; &nbsp;&unknown; &#0;', 'a <b> & AB &unknown; &#0;');
  check('<script>alert("</p>")</script>x<style>p{}</style><!-- no -->y', 'xy');
  check('<ul><li>one</li><li>two</li></ul>', '- one\n- two');
  check('<pre>  a\n    b</pre>', '```\n  a\n    b\n```');
  check(
    '<a href="javascript:alert(1)">x</a> <a href="#y">y</a> <a href="//e.org/z">z</a>',
    'x y [z](http://e.org/z)',
  );
  check('<img alt="a > b"> 1 < 2', 'a > b 1 < 2');
  check('<script>never closed <p>text', 'never closed\n\ntext');
  check('<a href="x"', '');
  check('', '');

  function check(html: string, expected: string): void {
    test(`the text of ${JSON.stringify(html)}`, () =>
      expect(htmlText(html, 'http://a.org/p/')).toBe(expected));
  }

  test('takes time in proportion to the length, whatever the page', () => {
    for (const piece of ['<script>', '<a href="x">', '<', '<!--', '<a "', '</a>', '&#', '<pre>']) {
      const begun = performance.now();
      htmlText(piece.repeat(100_000), 'http://a.org/');
      expect([piece, performance.now() - begun < 5_000]).toEqual([piece, true]);
    }
  });
});

test('what a proxy is named for is asked of the proxy, and nothing on this machine is', async () => {
  const asked: string[] = [];
  const proxy = createServer().on('connect', (request: IncomingMessage, socket: Socket) => {
    asked.push(request.url ?? '');
    const { port } = server.address() as AddressInfo;
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    socket.on('error', () => onward.destroy());
    onward.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  const env = {
    HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    NO_PROXY: 'spared.invalid',
  };
  const proxied = webPages({ proxy: { takes: (url) => isProxied(env, url), fetch: networkFetch(env) } });
  expect(await proxied.read('http://pages.invalid/packed', never)).toMatchObject({ text: 'packed' });
  expect(await proxied.read('http://pages.invalid/near', never)).toMatchObject({ text: '{"a":1}' });
  expect(await proxied.read('http://pages.invalid/missing', never)).toMatchObject({
    problem: expect.stringContaining('status 404') as string,
  });
  expect(await proxied.read(`${base}/json`, never)).toMatchObject({ text: '{"a":1}' });
  expect(await proxied.read('http://spared.invalid/json', never)).toMatchObject({
    problem: expect.any(String) as string,
  });
  expect(new Set(asked)).toEqual(new Set(['pages.invalid:80']));
  proxy.closeAllConnections();
  proxy.close();
});
