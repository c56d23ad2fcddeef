// The HTTP client for the environment and the settings: with a proxy or certificates if configured, direct
// otherwise. The larger client is loaded only when needed.
import { readFileSync } from 'node:fs';
import { createSecureContext, rootCertificates } from 'node:tls';
import type { SecureContext } from 'node:tls';
import type { NetworkSettings } from '../../host/settings/settings.ts';
import { expand } from '../settings/expand.ts';

export type ProxyEnvironment = { readonly [name: string]: string | undefined };

/**
 * The global fetch, or one that uses the proxies of `HTTP_PROXY`, `HTTPS_PROXY` and `ALL_PROXY` except for
 * the hosts in `NO_PROXY`, and the certificates of the settings, else those of `SSL_CERT_FILE`,
 * `ECA_CLIENT_CERT` and `ECA_CLIENT_KEY`.
 */
export function networkFetch(
  env: ProxyEnvironment,
  wanted: () => NetworkSettings | undefined = () => undefined,
): typeof fetch {
  const proxies = proxiesIn(env);
  let made: { readonly from: string; readonly ask: Promise<typeof fetch> } | undefined;
  return async (input, init) => {
    const set = wanted();
    const files = addressOf(input).protocol === 'https:' ? filesIn(env, set) : undefined;
    const timeout = connectTimeout(set);
    const own = proxies || files ? undefined : builtIn(timeout);
    if (own) return fetch(input, { ...init, ...own });
    const from = JSON.stringify({ ...files, timeout });
    if (made?.from !== from)
      made = {
        from,
        ask: load(proxies, { ...(files ? { secureContext: certificates(files) } : {}), timeout }),
      };
    return (await made.ask)(input, init);
  };
}

/** After so many milliseconds a connection that does not come about is given up. */
export function connectTimeout(set: NetworkSettings | undefined): number {
  return set?.connect ?? 15_000;
}

/** One for each patience there is, so that connections are kept. */
const builtIns = new Map<number, Dispatcher>();

type Dispatcher = NonNullable<RequestInit['dispatcher']>;

/**
 * What makes Node's own client as patient as that. Its class is only to be had from the one that is in use;
 * undefined where that is hidden.
 */
function builtIn(timeout: number): { readonly dispatcher: Dispatcher } | undefined {
  const known = builtIns.get(timeout);
  if (known) return { dispatcher: known };
  // Accessing the global loads a whole HTTP client, so this waits for the first request.
  const used: unknown =
    typeof Response === 'function'
      ? Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'))
      : undefined;
  const Agent: unknown = typeof used === 'object' && used !== null ? used.constructor : undefined;
  if (typeof Agent !== 'function' || Agent === Object) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is made by the class of one
  const dispatcher = Reflect.construct(Agent, [{ connect: { timeout } }]) as Dispatcher;
  builtIns.set(timeout, dispatcher);
  return { dispatcher };
}

/** Whether a proxy is asked for an address. */
export function isProxied(env: ProxyEnvironment, address: URL): boolean {
  const proxies = proxiesIn(env);
  return (
    proxies !== undefined &&
    !isSpared(address, proxies.noProxy) &&
    proxies[address.protocol === 'https:' ? 'httpsProxy' : 'httpProxy'] !== ''
  );
}

export function filesIn(
  env: ProxyEnvironment,
  { ca, cert, key, passphrase }: NetworkSettings = {},
): NetworkSettings | undefined {
  const found = {
    ca: ca ?? env['SSL_CERT_FILE'],
    cert: cert ?? env['ECA_CLIENT_CERT'],
    key: key ?? env['ECA_CLIENT_KEY'],
    passphrase: passphrase === undefined ? env['ECA_CLIENT_KEY_PASSPHRASE'] : expand(passphrase, env),
  };
  const there = Object.entries(found).filter(([, value]) => value !== undefined && value !== '');
  return there.length === 0 ? undefined : Object.fromEntries(there);
}

/**
 * The user's certificate authority is added to the default ones. Created once, since parsing a hundred
 * certificates is slow.
 */
export function certificates({ ca, cert, key, passphrase }: NetworkSettings): SecureContext {
  return createSecureContext({
    ...(ca === undefined ? {} : { ca: [...rootCertificates, readFileSync(ca, 'utf8')] }),
    ...(cert === undefined ? {} : { cert: readFileSync(cert) }),
    ...(key === undefined ? {} : { key: readFileSync(key) }),
    ...(passphrase === undefined ? {} : { passphrase }),
  });
}

function addressOf(input: Parameters<typeof fetch>[0]): URL {
  return new URL(input instanceof Request ? input.url : input);
}

interface Proxies {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/** Names in lower case win, as with other programs. What is on this machine is never asked for elsewhere. */
function proxiesIn(env: ProxyEnvironment): Proxies | undefined {
  const value = (name: string) =>
    env[name.toLowerCase()] || env[name] || env['all_proxy'] || env['ALL_PROXY'] || '';
  const httpProxy = value('HTTP_PROXY');
  const httpsProxy = value('HTTPS_PROXY');
  if (httpProxy === '' && httpsProxy === '') return undefined;
  const noProxy = [env['no_proxy'] || env['NO_PROXY'] || '', 'localhost', '127.0.0.1', '::1']
    .filter(Boolean)
    .join(',');
  return { noProxy, httpProxy, httpsProxy };
}

/** How a connection comes about: with which certificates, and within which time. */
interface Connect {
  readonly secureContext?: SecureContext;
  readonly timeout: number;
}

async function load(
  { httpProxy, httpsProxy, noProxy }: Proxies = { httpProxy: '', httpsProxy: '', noProxy: '*' },
  connect: Connect,
): Promise<typeof fetch> {
  const loaded = await import('undici');
  // In our bundle all its names are those of the default.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its types do not tell that
  const { Agent, ProxyAgent, fetch: ask } = loaded.default as unknown as typeof loaded;
  const straight = new Agent({ connect });
  const proxy = (uri: string) =>
    uri === ''
      ? straight
      : new ProxyAgent({ uri, requestTls: connect, proxyTls: { timeout: connect.timeout } });
  const agents = { 'http:': proxy(httpProxy), 'https:': proxy(httpsProxy) };
  const through = (address: URL) =>
    isSpared(address, noProxy) ? straight : agents[address.protocol === 'https:' ? 'https:' : 'http:'];
  // The same client that is built into Node, under its own name.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return ((input: string | URL, init?: object) => {
    return ask(input, { ...init, dispatcher: through(new URL(input)) });
  }) as unknown as typeof fetch;
}

/** A name spares its host and everything below it; a port narrows it, and a star spares all. */
function isSpared({ hostname, port, protocol }: URL, noProxy: string): boolean {
  const host = hostname.replaceAll(/^\[|\]$/g, '').toLowerCase();
  const at = port || (protocol === 'https:' ? '443' : '80');
  return noProxy
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((rule) => {
      const [, name = '', only] =
        /^(.*?)(?::(\d+))?$/.exec(rule === '::1' ? '[::1]' : rule.toLowerCase()) ?? [];
      const plain = name.replaceAll(/^\[|\]$/g, '').replace(/^\*?\./, '');
      return (
        plain === '*' ||
        ((host === plain || host.endsWith(`.${plain}`)) && (only === undefined || only === at))
      );
    });
}
