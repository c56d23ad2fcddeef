// The network as this machine's environment wants it: through a proxy where one is named, straight otherwise. The client for proxies is only loaded where there is one.

type Environment = { readonly [name: string]: string | undefined };

/** The global fetch, or one that goes through the proxies of `HTTP_PROXY`, `HTTPS_PROXY` and `ALL_PROXY`, except to the hosts of `NO_PROXY`. */
export function networkFetch(env: Environment): typeof fetch {
  const proxies = proxiesIn(env);
  // The global is only touched when somebody asks, since it loads a whole HTTP client.
  if (!proxies) return (input, init) => fetch(input, init);
  let through: Promise<typeof fetch> | undefined;
  return async (input, init) => (await (through ??= load(proxies)))(input, init);
}

interface Proxies {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/** Names in lower case win, as with other programs. What is on this machine is never asked for elsewhere. */
function proxiesIn(env: Environment): Proxies | undefined {
  const value = (name: string) => env[name.toLowerCase()] || env[name] || env['all_proxy'] || env['ALL_PROXY'] || '';
  const httpProxy = value('HTTP_PROXY');
  const httpsProxy = value('HTTPS_PROXY');
  if (httpProxy === '' && httpsProxy === '') return undefined;
  const noProxy = [env['no_proxy'] || env['NO_PROXY'] || '', 'localhost', '127.0.0.1', '::1'].filter(Boolean).join(',');
  return { noProxy, httpProxy, httpsProxy };
}

async function load({ httpProxy, httpsProxy, noProxy }: Proxies): Promise<typeof fetch> {
  const { ProxyAgent, fetch: ask } = await import('undici');
  const agents = { 'http:': httpProxy && new ProxyAgent(httpProxy), 'https:': httpsProxy && new ProxyAgent(httpsProxy) };
  const through = (address: URL) => (isSpared(address, noProxy) ? undefined : agents[address.protocol === 'https:' ? 'https:' : 'http:']);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same client that is built into Node, under its own name
  return ((input: string | URL, init?: object) => {
    const dispatcher = through(new URL(input));
    return ask(input, { ...init, ...(dispatcher ? { dispatcher } : {}) });
  }) as unknown as typeof fetch;
}

/** A name spares its host and everything below it; a port narrows it, and a star spares all. */
function isSpared({ hostname, port, protocol }: URL, noProxy: string): boolean {
  const host = hostname.replaceAll(/^\[|\]$/g, '').toLowerCase();
  const at = port || (protocol === 'https:' ? '443' : '80');
  return noProxy.split(/[\s,]+/).filter(Boolean).some((rule) => {
    const [, name = '', only] = /^(.*?)(?::(\d+))?$/.exec(rule === '::1' ? '[::1]' : rule.toLowerCase()) ?? [];
    const plain = name.replaceAll(/^\[|\]$/g, '').replace(/^\*?\./, '');
    return plain === '*' || ((host === plain || host.endsWith(`.${plain}`)) && (only === undefined || only === at));
  });
}
