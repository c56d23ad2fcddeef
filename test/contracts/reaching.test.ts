// What is said where a provider's address leads to somebody whose certificate nobody knows, or who does not
// speak as the address says.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createPlain } from 'node:http';
import type { Server } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { modelError } from '../../src/agents/native/models/errors/modelError.ts';
import { ownCertificate } from '../../src/io/http/certificate.ts';
import { directFetch } from '../../src/io/http/directFetch.ts';
import { networkFetch } from '../../src/io/http/httpClient.ts';

const clock = { now: () => 0 };
const blamed = { name: 'Acme', provider: 'acme', model: 'big', url: 'https://a.example/v1' };

type Fetching = (url: string, network: Parameters<typeof networkFetch>[1]) => Promise<string>;

const byFetch: Fetching = async (url, network) => (await networkFetch({}, network)(url)).text();

const directly: Fetching = async (url, network) => {
  const { signal } = new AbortController();
  const request = { method: 'POST', headers: {}, body: '', signal, redirect: 'manual' } as const;
  return (await directFetch({}, network)(url, request)).text();
};

describe.each([
  { how: 'by fetch', fetched: byFetch },
  { how: 'directly', fetched: directly },
])('whoever answers in an unexpected way, $how', ({ fetched }) => {
  let directory: string;
  let server: Server | undefined;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'parley-tls-'))));
  afterEach(() => {
    server?.close();
    server?.closeAllConnections();
    rmSync(directory, { recursive: true, force: true });
  });
  const listen = async (made: Server) => {
    server = made;
    await new Promise<void>((resolve) => {
      made.listen(0, '127.0.0.1', resolve);
    });
    return `127.0.0.1:${(made.address() as AddressInfo).port}`;
  };
  const asked = async (url: string, network: Parameters<typeof networkFetch>[1] = () => undefined) => {
    try {
      return await fetched(url, network);
    } catch (error) {
      return modelError(error, { ...blamed, url }, clock);
    }
  };

  test('with a certificate of its own is not trusted, unless the settings name it', async () => {
    const paths = { cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') };
    const { cert, key } = ownCertificate(paths, ['127.0.0.1', 'localhost']);
    const at = await listen(createServer({ cert, key }, (_, response) => void response.end('Hello.')));
    expect(await asked(`https://${at}/`)).toMatchObject({
      code: 'network',
      retryable: false,
      message: expect.stringMatching(
        /^Acme cannot be trusted: its certificate .*\. If you trust it, set network\.ca in the settings to the file of its certificate authority\.$/,
      ),
    });
    expect(await asked(`https://${at}/`, () => ({ ca: paths.cert }))).toBe('Hello.');
  });

  test('without encryption is told from one with it', async () => {
    const at = await listen(createPlain((_, response) => void response.end('Hello.')));
    expect(await asked(`https://${at}/`)).toMatchObject({
      code: 'network',
      retryable: false,
      message: `Acme does not speak HTTPS at https://${at}/; check whether the address begins with http or https.`,
    });
  });
});
