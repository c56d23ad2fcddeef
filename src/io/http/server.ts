// The HTTP edge: checks host, origin and token before anything else, then hands WebSockets on. Default
// deny; knows no protocol.
import { timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Role } from '../../host/policy/roles.ts';
import { defaultLimits } from '../../rpc/transports/transport.ts';
import type { Transport } from '../../rpc/transports/transport.ts';
import { createWebSocketTransport } from '../../rpc/transports/websocket.ts';
import type { Devices } from '../auth/devices.ts';
import { deviceName } from '../auth/deviceName.ts';
import { roomFor } from './connectionLimits.ts';
import { assetFor, isCurrent } from './staticFiles.ts';

export interface WebOptions {
  readonly host: string;
  readonly port: number;
  readonly token: string;
  readonly version: string;
  /** Accepts a connection on one of `paths` with the token or from a known device. */
  readonly accept: (transport: Transport, path: string, visitor: Visitor) => void;
  readonly paths: readonly string[];
  /** Headers beyond the usual ones with which a connection on a path is accepted. */
  readonly welcome?: (path: string) => { readonly [name: string]: string };
  /** What was signed in with a code. */
  readonly devices: Devices;
  /** The names we may be called by. */
  readonly names: readonly string[];
  /** Without it nothing is encrypted. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** The authenticated caller and its role. */
export interface Visitor {
  /** The owner of the token, or a device. */
  readonly principal: string;
  readonly role: Role;
  readonly device?: string;
}

export interface WebServer {
  readonly port: number;
  /** How many connections a device has now. */
  connectionsOf(device: string): number;
  close(): Promise<void>;
}

/** The maximum number of connections. */
const maxConnections = 512;

export async function listenWeb(options: WebOptions): Promise<WebServer> {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: defaultLimits.maxMessageBytes,
    perMessageDeflate: false,
    clientTracking: true,
  });
  sockets.on('headers', (headers, request) => {
    for (const [name, value] of Object.entries(options.welcome?.(pathOf(request)) ?? {}))
      headers.push(`${name}: ${value}`);
  });
  const limits = { requestTimeout: 30_000, headersTimeout: 10_000 };
  const respond = (request: IncomingMessage, response: ServerResponse) => answer(request, response, options);
  const server = options.tls
    ? (await import('node:https')).createServer(
        { ...limits, ...options.tls, handshakeTimeout: 10_000 },
        respond,
      )
    : createServer(limits, respond);
  const live = liveDevices();
  options.devices.follow((device) => live.close(device));
  const strangers = roomFor(server, maxConnections);
  server.on('upgrade', (request, socket, head) => {
    const refused = refuse(request, options);
    const path = pathOf(request);
    const visitor = refused ? undefined : visitorOf(request, options);
    if (refused) return turnAway(socket, refused);
    if (visitor === undefined) return turnAway(socket, 401);
    if (!options.paths.includes(path)) return turnAway(socket, 404);
    strangers.knows(socket);
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const transport = createWebSocketTransport(webSocket, { keepAliveMs: 30_000, carrier: socket });
      if (visitor.device !== undefined)
        live.add(visitor.device, transport, (gone) => webSocket.once('close', gone));
      options.accept(transport, path, visitor);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : options.port,
    connectionsOf: (device) => live.count(device),
    close: () =>
      new Promise((resolve) => {
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

/** The connections of each device, so that they end with what it may do. */
function liveDevices() {
  const open = new Map<string, Set<Transport>>();
  return {
    add(device: string, transport: Transport, onGone: (gone: () => void) => void) {
      const mine = open.get(device) ?? new Set();
      open.set(device, mine.add(transport));
      onGone(() => {
        mine.delete(transport);
        if (mine.size === 0 && open.get(device) === mine) open.delete(device);
      });
    },
    count: (device: string) => open.get(device)?.size ?? 0,
    // Data on a closing connection is not read.
    close: (device: string) =>
      open
        .get(device)
        ?.forEach((transport) =>
          transport.close({ kind: 'local', detail: 'The role of this device has changed.' }),
        ),
  };
}

function answer(request: IncomingMessage, response: ServerResponse, options: WebOptions): void {
  const refused = refuse(request, options);
  const path = pathOf(request);
  if (refused) return reply(response, refused, { error: statusText[refused] });
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return reply(response, 405, { error: statusText[405] });
  if (path === '/healthz') return reply(response, 200, { status: 'ok', version: options.version });
  if (path === '/sign-in') return signIn(request, response, options);
  const asset = assetFor(path);
  if (!asset) return reply(response, 404, { error: statusText[404] });
  const current = isCurrent(asset, request.headers['if-none-match']);
  response.writeHead(current ? 304 : 200, asset.headers);
  response.end(current || request.method === 'HEAD' ? undefined : asset.body);
}

/** A code from the printed link becomes a cookie that no script can read and no other site can send. */
function signIn(request: IncomingMessage, response: ServerResponse, { devices, tls }: WebOptions): void {
  const code = queryOf(request).get('code') ?? '';
  const secret = devices.redeem(code, deviceName(request.headers['user-agent']));
  if (secret === undefined)
    return reply(response, 403, {
      error: 'This link was already used or has expired. Run parley again for a new one.',
    });
  response.writeHead(303, {
    location: '/',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'set-cookie':
      `${cookieName}=${secret}; Path=/; Max-Age=31536000; HttpOnly; ` +
      `SameSite=Strict${tls ? '; Secure' : ''}`,
  });
  response.end();
}

/**
 * A foreign Host is a rebinding attempt and a foreign Origin another site's page; neither
 * gets a word out of us.
 */
function refuse(request: IncomingMessage, { names, tls }: WebOptions): 403 | undefined {
  const host = hostName(request.headers.host);
  if (host === undefined || !names.includes(host)) return 403;
  const { origin } = request.headers;
  if (origin === undefined) return undefined;
  return origin.toLowerCase() === `${tls ? 'https' : 'http'}://${String(request.headers.host).toLowerCase()}`
    ? undefined
    : 403;
}

/**
 * Who asks: the owner of the token, or a device by its own token, or by its cookie, which counts only
 * together with our own origin.
 */
function visitorOf(request: IncomingMessage, { token, devices }: WebOptions): Visitor | undefined {
  const query = queryOf(request);
  const given = query.get('tkn') ?? query.get('token');
  if (given !== null && sameText(given, token)) return { principal: 'token', role: 'control' };
  const secret = given ?? (request.headers.origin === undefined ? undefined : cookieOf(request));
  const device = secret === undefined ? undefined : devices.find(secret);
  return device && { principal: `device ${device.id}`, role: device.role, device: device.id };
}

function queryOf(request: IncomingMessage): URLSearchParams {
  return new URLSearchParams((request.url ?? '').split('?').slice(1).join('?'));
}

function cookieOf(request: IncomingMessage): string | undefined {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1);
}

const cookieName = 'parley';

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
} as const;
