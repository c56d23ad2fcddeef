// Serves the remote API of an ECA client over HTTP. Addresses beyond this machine need a certificate.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { EcaOptions } from '../../../doors/eca/options.ts';
import { networkFetch } from '../../../io/http/httpClient.ts';
import { listenRest } from '../../../io/http/restServer.ts';
import type { App } from '../../app.ts';
import { errorText } from '../../../base/errorText.ts';
import { present } from '../../../base/present.ts';

/** The published eca-web page. */
const webApp = 'https://web.eca.dev';

/** The ports in which eca-web looks for editors; each editor takes one. */
const defaultPorts = Array.from({ length: 20 }, (_, at) => 7777 + at);

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

export function ecaRemote(
  version: string,
  { env, settings }: Pick<App, 'env' | 'settings'>,
): NonNullable<EcaOptions['serveRemote']> {
  return async (
    api,
    {
      host,
      bindHost = '127.0.0.1',
      port,
      password = randomBytes(24).toString('base64url'),
      tls,
      origins = [webApp],
    },
  ) => {
    if (!loopback.has(bindHost) && !tls)
      return {
        refused: `The remote API is off: listening on ${bindHost} needs a certificate (remote.tls).`,
      };
    try {
      const certificate =
        tls &&
        (await certificateOf(
          tls,
          networkFetch(env, () => settings.of([]).network),
        ));
      const server = await listenRest({
        bind: bindHost,
        ports: port === undefined ? defaultPorts : [port],
        ...present({ tls: certificate }),
        names: host === undefined ? [] : [host],
        origins,
        password,
        version,
        api,
        page: (address) => `${webApp}/?host=${encodeURIComponent(address)}`,
      });
      const name = host ?? (bindHost === '::1' ? '[::1]' : bindHost);
      return {
        url: `${tls ? 'https' : 'http'}://${name}:${server.port}`,
        password,
        close: () => server.close(),
      };
    } catch (error) {
      return {
        refused: `The remote API is off: ${errorText(error, 'it could not be started')}.`,
      };
    }
  };
}

type Tls = NonNullable<Parameters<NonNullable<EcaOptions['serveRemote']>>[1]['tls']>;

async function certificateOf(
  tls: Tls,
  ask: typeof fetch,
): Promise<{ readonly cert: Buffer; readonly key: Buffer }> {
  if ('certFile' in tls) return { cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) };
  const [cert, key] = await Promise.all([fetchFile(tls.certUrl, ask), fetchFile(tls.keyUrl, ask)]);
  return { cert, key };
}

async function fetchFile(url: string, ask: typeof fetch): Promise<Buffer> {
  const answer = await ask(url, { signal: AbortSignal.timeout(15_000) });
  if (!answer.ok) throw new Error(`${new URL(url).host} answered ${answer.status} instead of a certificate`);
  return Buffer.from(await answer.arrayBuffer());
}
