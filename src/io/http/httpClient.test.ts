import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { proxyTo } from '../../../test/kit/proxy.ts';
import { workspace } from '../../../test/kit/workspace.ts';
import type { NetworkSettings } from '../../host/settings/settings.ts';
import { ownCertificate } from './certificate.ts';
import { networkFetch } from './httpClient.ts';

const ends: (() => Promise<void>)[] = [];
const servers: { readonly server: Server; readonly sockets: Set<Socket> }[] = [];
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
  await Promise.all(
    servers.splice(0).map(
      ({ server, sockets }) =>
        new Promise<void>((resolve) => {
          server.close(() => resolve());
          for (const socket of sockets) socket.destroy();
        }),
    ),
  );
});

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  servers.push({ server, sockets });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

test('requests go through the proxy of the environment, with its password, except where they must not', async () => {
  const target = await listen(createServer((_, response) => void response.end('here')));
  const { url, asked, close } = await proxyTo(target);
  ends.push(close);
  const words = async (env: { readonly [name: string]: string }, address: string) =>
    (await networkFetch(env)(address)).text();
  expect(await words({ HTTP_PROXY: url }, 'http://models.example/x')).toBe('here');
  expect(await words({ http_proxy: url, HTTP_PROXY: 'http://127.0.0.1:9' }, 'http://models.example/x')).toBe(
    'here',
  );
  expect(asked).toEqual(
    Array(2).fill(`models.example:80 Basic ${Buffer.from('ann:word').toString('base64')}`),
  );
  expect(await words({ HTTP_PROXY: url }, `http://127.0.0.1:${target}/`)).toBe('here');
  expect(await words({}, `http://127.0.0.1:${target}/`)).toBe('here');
  await expect(
    words({ HTTP_PROXY: url, NO_PROXY: 'models.invalid' }, 'http://models.invalid/'),
  ).rejects.toThrow('fetch failed');
  for (const spared of ['invalid', '.invalid', 'models.invalid:80', '*'])
    await expect(
      words({ HTTP_PROXY: url, NO_PROXY: `other, ${spared}` }, 'http://models.invalid/'),
    ).rejects.toThrow('fetch failed');
  expect(asked).toHaveLength(2);
  expect(
    await words({ ALL_PROXY: url, NO_PROXY: 'example.org,models.example:8080' }, 'http://models.example/'),
  ).toBe('here');
});

test('a connection that does not come about is given up when it is time', async () => {
  // It is taken, and nothing encrypted ever comes about.
  const silent = await listen(createTcpServer());
  const ask = networkFetch({}, () => ({ connect: 200 }));
  await expect(ask(`https://127.0.0.1:${silent}/`)).rejects.toMatchObject({
    cause: { code: 'UND_ERR_CONNECT_TIMEOUT' },
  });
});

test('an authority of the user is believed, and a server that wants to know who asks is shown', async () => {
  const place = workspace();
  try {
    const file = (name: string) => join(place.root, name);
    const { cert, key, fingerprint } = ownCertificate({ cert: file('cert.pem'), key: file('key.pem') }, [
      'localhost',
      '127.0.0.1',
    ]);
    const server = createSecureServer(
      { cert, key, ca: cert, requestCert: true, rejectUnauthorized: false },
      (request, response) => {
        response.end(
          request.socket instanceof TLSSocket &&
            request.socket.getPeerCertificate().fingerprint256 === fingerprint
            ? 'known'
            : 'unknown',
        );
      },
    );
    const url = `https://localhost:${await listen(server)}/`;
    let settings: NetworkSettings = {};
    const ask = networkFetch({}, () => settings);
    const words = async () => (await ask(url)).text();
    await expect(words()).rejects.toThrow('fetch failed');
    settings = { ca: file('cert.pem') };
    expect(await words()).toBe('unknown');
    settings = { ca: file('cert.pem'), cert: file('cert.pem'), key: file('key.pem') };
    expect(await words()).toBe('known');
    expect(
      await (
        await networkFetch({
          SSL_CERT_FILE: file('cert.pem'),
          ECA_CLIENT_CERT: file('cert.pem'),
          ECA_CLIENT_KEY: file('key.pem'),
        })(url)
      ).text(),
    ).toBe('known');
    settings = { ca: file('nothing.pem') };
    await expect(words()).rejects.toThrow('nothing.pem');
  } finally {
    place.close();
  }
});
