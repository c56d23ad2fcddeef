// The HTTP edge: checks host, origin and token before anything else, then hands WebSockets on. Default
// deny; knows no protocol.
import { timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { present } from '../../base/present.ts';
import type { Autonomy } from '../../model/event.ts';
import type { Role } from '../../host/policy/roles.ts';
import { defaultLimits } from '../../rpc/transports/transport.ts';
import type { Transport } from '../../rpc/transports/transport.ts';
import { createWebSocketTransport } from '../../rpc/transports/websocket.ts';
import { createChallenges } from '../auth/challenges.ts';
import type { Challenges } from '../auth/challenges.ts';
import { deviceName } from '../../base/deviceName.ts';
import { digestOf } from '../auth/devices.ts';
import type { Device, Devices } from '../auth/devices.ts';
import type { OwnerToken } from '../auth/ownerToken.ts';
import { acceptHeader, linkPath } from '../links/linkProof.ts';
import { roomFor } from './connectionLimits.ts';
import { portOf, answerSignIn } from './signIn.ts';
import { assetFor, isCurrent } from './staticFiles.ts';
import { healthPage } from './statusPages.ts';
import type { HostStatus } from './statusPages.ts';

export interface WebOptions {
  readonly host: string;
  readonly port: number;
  readonly token: OwnerToken;
  readonly version: string;
  /** What is told at /healthz and /metrics. */
  readonly status: HostStatus;
  readonly doors: WebDoors;
  /** What was signed in with a code. */
  readonly devices: Devices;
  /** The names we may be called by. */
  readonly names: readonly string[];
  /** Without it nothing is encrypted. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** What WebSockets are for. */
export interface WebDoors {
  readonly paths: readonly string[];
  /** Accepts a connection on one of `paths` with the token or from a known device. */
  readonly accept: (transport: Transport, path: string, visitor: AuthenticatedCaller) => void;
  /** Headers beyond the usual ones with which a connection on a path is accepted. */
  readonly welcome?: (path: string) => { readonly [name: string]: string };
  /** Takes links of other hosts; without it there are none. */
  readonly links?: LinkDoor | undefined;
}

export interface LinkDoor {
  /** The proof of this host for another one that has proved itself; undefined for everybody else. */
  answerTo(authorization: string | undefined): Promise<string | undefined>;
  serve(transport: Transport): void;
}

/** The authenticated caller and its role. */
export interface AuthenticatedCaller {
  /** The owner of the token, or a device. */
  readonly principal: string;
  readonly role: Role;
  readonly device?: string;
  /** The permission mode with most freedom that the device may choose. */
  readonly most?: Autonomy;
  /** What the browser of our own page calls itself. */
  readonly browser?: string;
}

export interface WebServer {
  readonly port: number;
  /** How many connections a device has now. */
  connectionsOf(device: string): number;
  close(): Promise<void>;
}

/** The maximum number of connections. */
const maxConnections = 512;

/** The maximum number of connections of one device, so that it leaves room for others. */
const maxDeviceConnections = 64;

/** What a request is judged by. */
interface Edge extends WebOptions {
  readonly challenges: Challenges;
}

export async function listenWeb(wanted: WebOptions): Promise<WebServer> {
  const options: Edge = { ...wanted, challenges: createChallenges() };
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: defaultLimits.maxMessageBytes,
    perMessageDeflate: false,
    clientTracking: true,
  });
  const links = linkUpgrades(sockets, options);
  const limits = { requestTimeout: 30_000, headersTimeout: 10_000 };
  const respond = (request: IncomingMessage, response: ServerResponse) => answer(request, response, options);
  const server = options.tls
    ? (await import('node:https')).createServer(
        { ...limits, ...options.tls, handshakeTimeout: 10_000 },
        respond,
      )
    : createServer(limits, respond);
  const live = liveConnections();
  const unfollow = endWithRights(live, options);
  const strangers = roomFor(server, maxConnections);
  const meet = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const path = pathOf(request);
    if (path === linkPath) return links(request, socket, { head, accepted: () => strangers.knows(socket) });
    const visitor = isForUs(request, options) ? await visitorNow(request, options) : undefined;
    if (visitor === undefined) return turnAway(socket, refuse(request, options) ?? 401);
    if (!options.doors.paths.includes(path)) return turnAway(socket, 404);
    if (visitor.device !== undefined && live.count(visitor.principal) >= maxDeviceConnections)
      return turnAway(socket, 429);
    strangers.knows(socket);
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const transport = createWebSocketTransport(webSocket, { keepAliveMs: 30_000, carrier: socket });
      live.add(visitor.principal, transport, (gone) => webSocket.once('close', gone));
      options.doors.accept(transport, path, visitor);
    });
  };
  server.on('upgrade', (...upgrade) => void meet(...upgrade));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  }).catch((error: unknown) => {
    unfollow();
    throw error;
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : options.port,
    connectionsOf: (device) => live.count(principalOf(device)),
    close: () =>
      new Promise((resolve) => {
        unfollow();
        for (const client of sockets.clients) client.close(1001, 'The host is stopping.');
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => {
          for (const client of sockets.clients) client.terminate();
          server.closeAllConnections();
        }, 500).unref();
      }),
  };
}

interface Upgrade {
  readonly head: Buffer;
  readonly accepted: () => void;
}

/** Greets everybody who is accepted. The result takes links, and only of hosts of our store. */
function linkUpgrades(sockets: WebSocketServer, options: Edge) {
  const { links, welcome } = options.doors;
  const answers = new WeakMap<IncomingMessage, string>();
  sockets.on('headers', (headers, request) => {
    for (const [name, value] of Object.entries(welcome?.(pathOf(request)) ?? {}))
      headers.push(`${name}: ${value}`);
    const proof = answers.get(request);
    if (proof !== undefined) headers.push(`${acceptHeader}: ${proof}`);
  });
  return async (request: IncomingMessage, socket: Duplex, { head, accepted }: Upgrade): Promise<void> => {
    const { authorization, origin } = request.headers;
    if (!isForUs(request, options) || origin !== undefined) return turnAway(socket, 403);
    const proof = await links?.answerTo(authorization);
    if (!links || proof === undefined) return turnAway(socket, 401);
    answers.set(request, proof);
    accepted();
    sockets.handleUpgrade(request, socket, head, (webSocket) =>
      links.serve(createWebSocketTransport(webSocket, { keepAliveMs: 30_000, carrier: socket })),
    );
  };
}

/** The connections of each principal, so that they end with what it may do. */
function liveConnections() {
  const open = new Map<string, Set<Transport>>();
  return {
    add(principal: string, transport: Transport, onGone: (gone: () => void) => void) {
      const mine = open.get(principal) ?? new Set();
      open.set(principal, mine.add(transport));
      onGone(() => {
        mine.delete(transport);
        if (mine.size === 0 && open.get(principal) === mine) open.delete(principal);
      });
    },
    count: (principal: string) => open.get(principal)?.size ?? 0,
    // Data on a closing connection is not read.
    close: (principal: string, detail: string) =>
      open.get(principal)?.forEach((transport) => transport.close({ kind: 'local', detail })),
  };
}

/** Ends connections when their principal loses its rights, until the result is called. */
function endWithRights(live: ReturnType<typeof liveConnections>, { devices, token }: WebOptions): () => void {
  const replaced = 'The token was replaced.';
  const ends = [
    devices.follow((device) => live.close(principalOf(device), 'The role of this device has changed.')),
    token.follow(() => live.close(ownerPrincipal, replaced)),
    token.shared?.followOwners((digest) => live.close(guestOwner(digest), replaced)),
  ];
  return () => ends.forEach((end) => end?.());
}

function answer(request: IncomingMessage, response: ServerResponse, options: Edge): void {
  const refused = refuse(request, options);
  const path = pathOf(request);
  for (const [name, value] of Object.entries(transportSecurity(request, options)))
    response.setHeader(name, value);
  if (refused) return reply(response, refused, { error: statusText[refused] });
  if (request.method === 'POST' && path === '/sign-in')
    return void answerSignIn(request, options.devices).then(({ status, body }) =>
      reply(response, status, body),
    );
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return reply(response, 405, { error: statusText[405] });
  if (path === '/healthz' || path === '/metrics') return void sendStatus(request, response, options);
  if (path === '/challenge') return reply(response, 200, { challenge: options.challenges.create() });
  sendAsset(request, response, options);
}

function sendAsset(request: IncomingMessage, response: ServerResponse, options: Edge): void {
  const path = pathOf(request);
  // The page itself redeems the code of a sign-in link, with a key that only it can use.
  const asset = assetFor(path === '/sign-in' ? '/' : path, {
    socket: ownOrigin(request, options, 'ws'),
    encodings: request.headers['accept-encoding']?.toString(),
  });
  if (!asset) return reply(response, 404, { error: statusText[404] });
  const current = isCurrent(asset, request.headers['if-none-match']);
  response.writeHead(current ? 304 : 200, asset.headers);
  response.end(current || request.method === 'HEAD' ? undefined : asset.body);
}

/** Everybody may ask whether the host works; only those who are signed in learn more. */
async function sendStatus(request: IncomingMessage, response: ServerResponse, options: Edge): Promise<void> {
  const isKnown = (await visitorNow(request, options)) !== undefined;
  const { status, version } = options;
  if (pathOf(request) === '/healthz') {
    const page = await healthPage(status, { version, isKnown });
    return reply(response, page.status, page.body);
  }
  if (!isKnown) return reply(response, 401, { error: statusText[401] });
  const text = await status.metrics();
  response.writeHead(200, {
    'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}

/** Not for `localhost`: the browser would refuse every other server of this machine that does not encrypt. */
function transportSecurity(
  request: IncomingMessage,
  { tls }: WebOptions,
): { readonly [name: string]: string } {
  const isNamed = !/^(?:.*\.)?localhost$/.test(hostName(request.headers.host) ?? 'localhost');
  return tls && isNamed ? { 'strict-transport-security': 'max-age=31536000' } : {};
}

/**
 * A foreign Host is a rebinding attempt and a foreign Origin another site's page; without a token neither
 * gets a word out of us.
 */
function refuse(request: IncomingMessage, options: WebOptions): 403 | undefined {
  return isForUs(request, options) && !isForeignPage(request, options) ? undefined : 403;
}

function isForUs({ headers }: IncomingMessage, { names }: WebOptions): boolean {
  const host = hostName(headers.host);
  return host !== undefined && names.includes(host);
}

function isForeignPage(request: IncomingMessage, options: WebOptions): boolean {
  const { origin } = request.headers;
  return origin !== undefined && origin.toLowerCase() !== ownOrigin(request, options, 'http');
}

/** The origin of our own page, as whoever sends the request names us. */
function ownOrigin({ headers }: IncomingMessage, { tls }: WebOptions, scheme: 'http' | 'ws'): string {
  const prefix = `${scheme}${tls ? 's' : ''}://`;
  return `${prefix}${new URL(`${prefix}${headers.host}`).host}`;
}

/** A stranger may have signed in on another host just now. */
async function visitorNow(request: IncomingMessage, options: Edge): Promise<AuthenticatedCaller | undefined> {
  const visitor = visitorOf(request, options);
  const { shared } = options.token;
  if (visitor || !shared || !presentsProof(request)) return visitor;
  await shared.refresh().catch(() => {});
  return visitorOf(request, options);
}

function presentsProof(request: IncomingMessage): boolean {
  return tokenOf(request) !== null || queryOf(request).has('proof');
}

/** Monitoring sends it in a header, because addresses end up in logs. */
function tokenOf(request: IncomingMessage): string | null {
  const query = queryOf(request);
  return query.get('tkn') ?? query.get('token') ?? bearerOf(request);
}

/**
 * Who asks: the owner or a program by a token, or a browser by a proof that only our own page can make. A
 * token counts from every page: a page of another site cannot know it, and editors connect from pages of
 * their own.
 */
function visitorOf(request: IncomingMessage, options: Edge): AuthenticatedCaller | undefined {
  const token = tokenOf(request);
  const owner = token === null ? undefined : ownerOf(token, options);
  if (owner !== undefined)
    return { principal: owner, role: 'control', ...present({ browser: browserOf(request, options) }) };
  const device = token === null ? pageOf(request, options) : options.devices.find(token);
  if (!device) return undefined;
  const { id, role, most } = device;
  return { principal: principalOf(id), role, device: id, ...present({ most }) };
}

/** Undefined for a program, and for the page of another site. */
function browserOf(request: IncomingMessage, options: Edge): string | undefined {
  const { origin, 'user-agent': agent } = request.headers;
  return origin === undefined || isForeignPage(request, options) ? undefined : deviceName(agent);
}

/** The token of clients that send headers, such as those of the ACP library for WebSockets. */
function bearerOf({ headers }: IncomingMessage): string | null {
  return /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** A proof counts once, and only from the page for which it was made. */
function pageOf(request: IncomingMessage, edge: Edge): Device | undefined {
  const { devices, challenges } = edge;
  const { origin } = request.headers;
  const query = queryOf(request);
  const challenge = query.get('challenge') ?? '';
  const proof = { challenge, signature: query.get('proof') ?? '', port: portOf(request) };
  if (origin === undefined || isForeignPage(request, edge)) return undefined;
  const device = devices.findByProof(query.get('device') ?? '', { ...proof, origin: origin.toLowerCase() });
  return device && challenges.spend(challenge) ? device : undefined;
}

/** The owner of this host, or of another one that shares its store. */
function ownerOf(token: string, options: Edge): string | undefined {
  if (sameText(token, options.token.current())) return ownerPrincipal;
  const digest = digestOf(token);
  return options.token.shared?.isOwner(digest) ? guestOwner(digest) : undefined;
}

const ownerPrincipal = 'token';

function guestOwner(digest: string): string {
  return `${ownerPrincipal} ${digest}`;
}

function principalOf(device: string): string {
  return `device ${device}`;
}

function queryOf(request: IncomingMessage): URLSearchParams {
  return new URLSearchParams((request.url ?? '').split('?').slice(1).join('?'));
}

/** Constant time, whatever the input. */
function sameText(given: string, wanted: string): boolean {
  const a = Buffer.alloc(256);
  const b = Buffer.alloc(256);
  a.write(given);
  b.write(wanted);
  return timingSafeEqual(a, b) && Buffer.byteLength(given) === Buffer.byteLength(wanted);
}

function turnAway(socket: Duplex, status: keyof typeof statusText): void {
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${statusText[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function reply(response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return;
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'",
  });
  response.end(text);
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/';
}

function hostName(header: string | undefined): string | undefined {
  if (header === undefined || !URL.canParse(`http://${header}`)) return undefined;
  return new URL(`http://${header}`).hostname.replace(/^\[(.*)\]$/, '$1');
}

const statusText = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  429: 'Too Many Requests',
} as const;
