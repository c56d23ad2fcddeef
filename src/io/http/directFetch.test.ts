import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { proxyTo } from '../../../test/kit/proxy.ts';
import { workspace } from '../../../test/kit/workspace.ts';
import type { NetworkSettings } from '../../host/settings/settings.ts';
import { ownCertificate } from './certificate.ts';
import { directFetch } from './directFetch.ts';
import type { DirectRequest } from './directFetch.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(ends.splice(0).map((end) => end())));

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  ends.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        for (const socket of sockets) socket.destroy();
      }),
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

async function serve(answer: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(answer))}/`;
}

function requestOf(more: Partial<DirectRequest> = {}): DirectRequest {
  const { signal } = new AbortController();
  return { method: 'POST', headers: {}, body: '{}', signal, redirect: 'manual', ...more };
}

test('a request has its body and headers, and the answer its status, headers and text', async () => {
  const heard: unknown[] = [];
  const url = await serve((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const { 'x-key': key, 'user-agent': agent, 'content-length': length } = request.headers;
      heard.push({ method: request.method, body, key, agent, length });
      response.writeHead(429, { 'Retry-After': '2', 'set-cookie': ['a=1', 'b=2'] }).end('Später.');
    });
  });
  const answer = await directFetch({})(url, requestOf({ headers: { 'x-key': 'k' }, body: 'Grüße' }));
  expect(heard).toEqual([{ method: 'POST', body: 'Grüße', key: 'k', agent: 'node', length: '7' }]);
  expect([answer.ok, answer.status, answer.headers.get('retry-after')]).toEqual([false, 429, '2']);
  expect(Object.fromEntries(answer.headers)).toMatchObject({ 'set-cookie': 'a=1, b=2' });
  expect(await answer.text()).toBe('Später.');
});

test('a redirect is an answer and is not followed', async () => {
  let count = 0;
  const url = await serve((_, response) => {
    count += 1;
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  const answer = await directFetch({})(url, requestOf());
  expect([answer.ok, answer.status, count]).toEqual([false, 307, 1]);
});

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('an answer in %s is read, and one that is cut off fails', async (encoding, compress) => {
  let isCut = false;
  const bytes = compress(Buffer.from('many words '.repeat(10_000)));
  const url = await serve((_, response) => {
    response.writeHead(200, { 'content-encoding': encoding, 'content-length': bytes.length });
    if (isCut) response.write(bytes.subarray(0, 20), () => response.destroy());
    else response.end(bytes);
  });
  const fetch = directFetch({});
  expect(await (await fetch(url, requestOf())).text()).toHaveLength(110_000);
  isCut = true;
  const answer = await fetch(url, requestOf());
  await expect(answer.text()).rejects.toThrow(/aborted|terminated|unexpected end/);
});

test('a connection that breaks in the middle of the answer fails after what came before', async () => {
  const url = await serve((_, response) => {
    response.write('one', () => response.destroy());
  });
  const reader = (await directFetch({})(url, requestOf())).body?.getReader();
  const first = await reader?.read();
  expect(Buffer.from(first?.value ?? []).toString()).toBe('one');
  await expect(reader?.read()).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('a signal ends the request before, during and after the beginning of the answer', async () => {
  const left: Promise<unknown>[] = [];
  let isSilent = true;
  const url = await serve((request, response) => {
    left.push(once(request.socket, 'close'));
    if (!isSilent) response.write('begun');
  });
  const fetch = directFetch({});
  const stopped = new Error('stopped');
  const controllers = [new AbortController(), new AbortController(), new AbortController()] as const;
  controllers[0].abort(stopped);
  await expect(fetch(url, requestOf({ signal: controllers[0].signal }))).rejects.toBe(stopped);
  const waiting = fetch(url, requestOf({ signal: controllers[1].signal }));
  await expect.poll(() => left.length).toBe(1);
  controllers[1].abort(stopped);
  await expect(waiting).rejects.toBe(stopped);
  isSilent = false;
  const answer = await fetch(url, requestOf({ signal: controllers[2].signal }));
  const reader = answer.body?.getReader();
  await reader?.read();
  const rest = reader?.read();
  controllers[2].abort(stopped);
  await expect(rest).rejects.toThrow(/aborted|stopped/);
  expect(await Promise.all(left)).toHaveLength(2);
});

test('a connection is used again after a whole answer, and is closed when the rest is not wanted', async () => {
  const sockets = new Set<Socket>();
  let isEndless = false;
  const url = await serve((request, response) => {
    sockets.add(request.socket);
    if (isEndless) response.write('begun');
    else response.end('whole');
  });
  const fetch = directFetch({});
  for (let n = 0; n < 3; n += 1) {
    const controller = new AbortController();
    const reader = (await fetch(url, requestOf({ signal: controller.signal }))).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    // The reader of a model does this at the end of each answer.
    controller.abort();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  expect(sockets.size).toBe(1);
  isEndless = true;
  const reader = (await fetch(url, requestOf())).body?.getReader();
  await reader?.read();
  const [socket] = [...sockets].slice(-1);
  const closed = socket && once(socket, 'close');
  await reader?.cancel();
  await closed;
});

test('a server that sends faster than is read has to wait, and everything comes', async () => {
  const size = 32 * 1024 * 1024;
  let sent = 0;
  const url = await serve((_, response) => {
    const more = () => {
      while (sent < size) {
        sent += 65_536;
        if (!response.write(Buffer.alloc(65_536))) {
          response.once('drain', more);
          return;
        }
      }
      response.end();
    };
    more();
  });
  const reader = (await directFetch({})(url, requestOf())).body?.getReader();
  let before = -1;
  await expect
    .poll(
      () => {
        const isStill = sent === before;
        before = sent;
        return isStill;
      },
      { interval: 200 },
    )
    .toBe(true);
  expect(sent).toBeLessThan(size);
  let length = 0;
  for (;;) {
    const read = await reader?.read();
    if (!read || read.done) break;
    length += read.value?.length ?? 0;
  }
  expect(length).toBe(size);
});

test('what cannot be reached is said by the code of its error', async () => {
  const ask = (url: string) => directFetch({})(url, requestOf());
  const silent = await listen(createTcpServer());
  const hasty = directFetch({}, () => ({ connect: 200 }));
  await expect(hasty(`https://127.0.0.1:${silent}/`, requestOf())).rejects.toMatchObject({
    code: 'UND_ERR_CONNECT_TIMEOUT',
  });
  const garbage = await listen(createTcpServer((socket) => void socket.end('no HTTP\r\n\r\n')));
  await expect(ask(`http://127.0.0.1:${garbage}/`)).rejects.toMatchObject({ code: /^HPE_/ });
  const plain = await serve((_, response) => void response.end());
  await expect(ask(plain.replace('http:', 'https:'))).rejects.toMatchObject({ code: /EPROTO|ERR_SSL/ });
  await expect(ask('http://127.0.0.1:1/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await expect(ask('ftp://127.0.0.1/')).rejects.toThrow('fetch failed');
  await expect(ask('nonsense')).rejects.toThrow('Invalid URL');
  await expect(ask('http://ann:word@127.0.0.1/')).rejects.toThrow('credentials');
});

test('a proxy of the environment is used, except for this machine', async () => {
  const target = await listen(createServer((_, response) => void response.end('here')));
  const { url, asked, close } = await proxyTo(target);
  ends.push(close);
  const words = async (address: string) =>
    (await directFetch({ HTTP_PROXY: url })(address, requestOf())).text();
  expect(await words('http://models.example/x')).toBe('here');
  expect(await words(`http://127.0.0.1:${target}/`)).toBe('here');
  expect(asked).toHaveLength(1);
});

test('an authority of the user is believed as soon as the settings name it', async () => {
  const place = workspace();
  ends.push(async () => place.close());
  const file = (name: string) => join(place.root, name);
  const { cert, key } = ownCertificate({ cert: file('cert.pem'), key: file('key.pem') }, ['localhost']);
  const port = await listen(createSecureServer({ cert, key }, (_, response) => void response.end('yes')));
  let settings: NetworkSettings = {};
  const ask = directFetch({}, () => settings);
  const url = `https://localhost:${port}/`;
  await expect(ask(url, requestOf())).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  settings = { ca: file('cert.pem') };
  expect(await (await ask(url, requestOf())).text()).toBe('yes');
  settings = { ca: file('nothing.pem') };
  await expect(ask(url, requestOf())).rejects.toThrow('nothing.pem');
});
