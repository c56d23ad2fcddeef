// The only way to the network for a confined program that may ask for names: a proxy for HTTP that listens
// on a socket in a folder of its own. It connects to allowed names only, and never to an address that is
// not public.
import { lookup } from 'node:dns/promises';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { BlockList, connect, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { NetworkTarget, ReachNetwork } from '../../host/ports.ts';
import { hostLabel } from '../../host/policy/knownHosts.ts';
import { isLinkLocal, isLocalAddress, isPrivate } from '../../host/policy/privateAddresses.ts';

export interface NetworkProxy {
  /** The folder with the socket. */
  readonly folder: string;
  /** Whether a connection waits for an answer of the user. */
  waits(): boolean;
  close(): void;
}

export interface NetworkProxyOptions {
  readonly reach: ReachNetwork;
  /** Reached without a question, also on this machine and its network; never a metadata service. */
  readonly known?: readonly NetworkTarget[];
  /** Called with each connection that is refused, in words. */
  readonly refused?: (what: string, by: 'sandbox' | 'answer') => void;
  /** All addresses of a name. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  readonly isPublic?: (address: string) => boolean;
}

export const proxySocket = 'proxy.sock';

type Options = Required<NetworkProxyOptions>;

export function openNetworkProxy({
  reach,
  known = [],
  refused = () => {},
  resolve = addressesOf,
  isPublic = (address) => !isPrivate(address) && !isOfThisNetwork(address),
}: NetworkProxyOptions): NetworkProxy {
  const folder = mkdtempSync(join(temporary(), 'pn-'));
  const closing = new AbortController();
  let waiting = 0;
  const counted: ReachNetwork = async (target, signal) => {
    waiting += 1;
    try {
      return await reach(target, AbortSignal.any([signal, closing.signal]));
    } finally {
      waiting -= 1;
    }
  };
  const options: Options = { reach: counted, known, refused, resolve, isPublic };
  // A request is not complete while it waits for an answer of the user, which has no time limit.
  const server = createServer({ requestTimeout: 0 }, (asked, answer) => void forward(asked, answer, options));
  server.on(
    'connect',
    (asked: IncomingMessage, client: Duplex, first: Buffer) => void tunnel({ asked, client, first }, options),
  );
  server.on('error', () => {});
  server.maxConnections = mostConnections;
  server.listen(join(folder, proxySocket));
  server.unref();
  return {
    folder,
    waits: () => waiting > 0,
    close() {
      closing.abort();
      server.close();
      server.closeAllConnections();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * The path of a socket must be short. Not TMPDIR: every confined program has a `/tmp` of its own, so none
 * sees the socket of another one there.
 */
function temporary(): string {
  try {
    accessSync('/tmp', constants.W_OK);
    return '/tmp';
  } catch {
    return tmpdir();
  }
}

/** Of one program. Each takes a descriptor of ours, and we have other work, too. */
const mostConnections = 256;

async function addressesOf(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

/** Whether a public address is one of this machine, or of a network that it is in. */
export function isOfThisNetwork(address: string, interfaces = networkInterfaces()): boolean {
  const networks = new BlockList();
  for (const { address: own, cidr, family } of Object.values(interfaces).flatMap((each) => each ?? [])) {
    const type = family === 'IPv6' ? 'ipv6' : 'ipv4';
    const length = Number(cidr?.split('/')[1] ?? 0);
    networks.addAddress(own, type);
    // A shorter one is no network that anybody lives in.
    if (length >= shortestPrefix) networks.addSubnet(own, length, type);
  }
  return networks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

const shortestPrefix = 12;

/**
 * The address to connect to, or why not. A name is resolved only once it is allowed: asking for one that the
 * program has made up would tell its server something. Public registries are looked up before, because nobody
 * should be asked about one that is refused in any case; what is connected to is looked up once more.
 */
async function addressFor(
  target: NetworkTarget,
  { reach, known, resolve, isPublic }: Options,
  signal: AbortSignal,
): Promise<{ readonly address: string } | { readonly refused: string }> {
  const url = `http://${isIP(target.name) === 6 ? `[${target.name}]` : target.name}/`;
  const isKnown = known.some(({ name, port }) => port === target.port && isSameName(name, target.name));
  if (isKnown && !isLinkLocal(url)) return knownAddress(target, resolve);
  const isOurs = isLinkLocal(url) || isLocalAddress(url) || (isIP(target.name) > 0 && !isPublic(target.name));
  if (isOurs) return { refused: ofThisMachine };
  const isRegistry = hostLabel(target.name, []) !== undefined;
  const lookedUp = isRegistry ? await resolve(target.name).catch(() => []) : [];
  if (!lookedUp.every(isPublic)) return { refused: ofThisMachine };
  const verdict = await reach(target, signal);
  if (!verdict.allowed) return { refused: verdict.reason };
  const addresses = isIP(target.name) > 0 ? [target.name] : await resolve(target.name).catch(() => []);
  const [address] = addresses;
  if (address === undefined) return { refused: 'its name cannot be resolved' };
  return addresses.every(isPublic) ? { address } : { refused: ofThisMachine };
}

function isSameName(one: string, other: string): boolean {
  return one === other || (loopbackNames.has(one) && loopbackNames.has(other));
}

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1']);

async function knownAddress(
  { name }: NetworkTarget,
  resolve: Options['resolve'],
): Promise<{ readonly address: string } | { readonly refused: string }> {
  // Node tries both versions of the protocol.
  if (loopbackNames.has(name)) return { address: 'localhost' };
  const [address] = isIP(name) > 0 ? [name] : await resolve(name).catch(() => []);
  if (address === undefined) return { refused: 'its name cannot be resolved' };
  const isMetadata = isLinkLocal(`http://${isIP(address) === 6 ? `[${address}]` : address}/`);
  return isMetadata ? { refused: ofThisMachine } : { address };
}

const ofThisMachine = 'it is an address of this machine or its network';

interface Tunnel {
  readonly asked: IncomingMessage;
  readonly client: Duplex;
  /** What the client has sent already. */
  readonly first: Buffer;
}

async function tunnel({ asked, client, first }: Tunnel, options: Options): Promise<void> {
  const target = targetOf(`https://${asked.url ?? ''}`, 443);
  const gone = goneWith(client);
  client.on('error', () => {});
  const found = target ? await addressFor(target, options, gone) : { refused: 'the request names no host' };
  if ('refused' in found || !target) {
    const reason = 'refused' in found ? found.refused : '';
    client.end(`HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n${refusalText(asked, reason, options)}`);
    return;
  }
  const server: Socket = connect({ host: found.address, port: target.port });
  server.once('connect', () => {
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    server.write(first);
    server.pipe(client);
    client.pipe(server);
  });
  server.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n'));
  client.on('close', () => server.destroy());
}

async function forward(asked: IncomingMessage, answer: ServerResponse, options: Options): Promise<void> {
  const target = asked.url?.startsWith('http://') ? targetOf(asked.url, 80) : undefined;
  const found = target
    ? await addressFor(target, options, goneWith(asked.socket))
    : { refused: 'the request names no host' };
  if ('refused' in found || !target) {
    const reason = 'refused' in found ? found.refused : '';
    answer.writeHead(403, { 'content-type': 'text/plain' }).end(refusalText(asked, reason, options));
    return;
  }
  const { pathname, search, host } = new URL(asked.url ?? '');
  const sent = request(
    {
      host: found.address,
      port: target.port,
      method: asked.method,
      path: `${pathname}${search}`,
      headers: { ...passedOn(asked.headers), host },
      setHost: false,
      // No connection of one program is used by another one, or by us.
      agent: false,
    },
    (got) => {
      const { statusCode = 0 } = got;
      // Node reads answers that it does not write.
      if (statusCode < 200) {
        sent.destroy(new Error('no answer'));
        return;
      }
      answer.writeHead(statusCode, passedOn(got.headers));
      got.pipe(answer);
      // A server that closes in the middle ends nothing by itself.
      got.on('close', () => got.complete || answer.destroy());
    },
  );
  sent.on('upgrade', (_, socket: Socket) => {
    socket.destroy();
    answer.writeHead(502).end();
  });
  sent.on('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
  answer.on('close', () => sent.destroy());
  asked.pipe(sent);
}

/** Without what is about one connection only. */
function passedOn(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.has(name)));
}

const ofConnection: ReadonlySet<string> = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer upgrade'.split(
    ' ',
  ),
);

function refusalText({ url = '' }: IncomingMessage, reason: string, { refused }: Options): string {
  const by = reason === ofThisMachine ? 'sandbox' : 'answer';
  refused(`a connection to ${url.slice(0, longestUrl)}: ${reason}`, by);
  return `Parley's sandbox did not connect to ${url}: ${reason}.\n`;
}

const longestUrl = 200;

function targetOf(url: string, usual: number): NetworkTarget | undefined {
  try {
    const { hostname, port } = new URL(url);
    const name = hostname
      .replace(/^\[|\]$/g, '')
      .replace(/\.$/, '')
      .toLowerCase();
    return name === '' || name.length > longestName
      ? undefined
      : { name, port: port === '' ? usual : Number(port) };
  } catch {
    return undefined;
  }
}

/** Of all names that there are. */
const longestName = 253;

function goneWith(socket: Duplex): AbortSignal {
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  return gone.signal;
}
