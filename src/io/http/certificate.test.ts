import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ownCertificate, readCertificate } from './certificate.ts';

let directory: string;
let paths: { cert: string; key: string };

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-cert-'));
  paths = { cert: join(directory, 'tls.crt'), key: join(directory, 'tls.key') };
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const names = ['localhost', 'my-machine.local', '127.0.0.2', '::1', 'fe80::1:2', '2001:db8::a'];
const now = Date.parse('2026-03-04T05:06:07Z');

test('a certificate covers every name, is signed by itself, and only its owner can read the key', () => {
  const { cert, fingerprint, names: covered } = ownCertificate(paths, names, now);
  const certificate = new X509Certificate(cert);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(names.map((name) => certificate.checkHost(name) ?? certificate.checkIP(name))).toEqual(names);
  expect([certificate.checkHost('elsewhere.example'), certificate.checkIP('127.0.0.3')]).toEqual([
    undefined,
    undefined,
  ]);
  expect(covered).toHaveLength(names.length);
  expect(fingerprint).toMatch(/^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  expect(statSync(paths.key).mode & 0o777).toBe(0o600);
});

test('it is kept, renewed with the same key before it runs out, and made for names that come later', () => {
  const first = ownCertificate(paths, ['localhost'], now);
  expect(ownCertificate(paths, ['localhost'], now + 300 * 86_400_000)).toEqual(first);
  const renewed = ownCertificate(paths, ['localhost'], now + 380 * 86_400_000);
  expect([renewed.key === first.key, renewed.fingerprint === first.fingerprint]).toEqual([true, false]);
  expect(ownCertificate(paths, ['localhost', '127.0.0.2'], now).names).toEqual(['localhost', '127.0.0.2']);
});

test('files that are broken or do not belong together are no certificate', () => {
  expect(readCertificate(paths)).toBeUndefined();
  const { key } = ownCertificate(paths, ['localhost'], now);
  writeFileSync(paths.cert, 'nonsense');
  expect(readCertificate(paths)).toBeUndefined();
  expect(ownCertificate(paths, ['localhost'], now).key).not.toBe(key);
});

test('a client that trusts it gets through, and one that expects another name does not', async () => {
  const { cert, key } = ownCertificate(paths, ['127.0.0.2']);
  const server = createServer({ cert, key }, (socket) => socket.end('hello'));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.2', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const heard = (host: string, servername?: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(
        { host, port, ca: cert, ...(servername === undefined ? {} : { servername }) },
        () =>
          socket.once('data', (data) => {
            resolve(data.toString());
            socket.destroy();
          }),
      );
      socket.once('error', (error) => resolve('code' in error ? String(error.code) : error.message));
    });
  expect(await heard('127.0.0.2')).toBe('hello');
  expect(await heard('127.0.0.2', 'elsewhere.example')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  await new Promise((resolve) => {
    server.close(resolve);
  });
});
