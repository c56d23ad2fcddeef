// The HTTP edge: checks host, origin and token before anything else, then hands WebSockets on. Default deny; knows no protocol.
import { timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { defaultLimits } from '../rpc/transport.ts';
import type { Transport } from '../rpc/transport.ts';
import { createWebSocketTransport } from '../rpc/websocket.ts';

export interface WebOptions {
  readonly host: string;
  readonly port: number;
  readonly token: string;
  readonly version: string;
  /** Takes a connection on one of `paths`; the token has been checked. */
  readonly accept: (transport: Transport, path: string) => void;
  readonly paths: readonly string[];
}

export interface WebServer {
  readonly port: number;
  close(): Promise<void>;
}

/** More connections than this at once are turned away. */
const maxConnections = 512;

export async function listenWeb(options: WebOptions): Promise<WebServer> {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: defaultLimits.maxMessageBytes, perMessageDeflate: false, clientTracking: true });
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (request, response) => answer(request, response, options));
  server.maxConnections = maxConnections;
  server.on('upgrade', (request, socket, head) => {
    const refused = refuse(request, options) ?? unauthorized(request, options);
    const path = pathOf(request);
    if (refused) return turnAway(socket, refused);
    if (!options.paths.includes(path)) return turnAway(socket, 404);
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      options.accept(createWebSocketTransport(webSocket, { keepAliveMs: 30_000, carrier: socket }), path);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : options.port,
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

function answer(request: IncomingMessage, response: ServerResponse, options: WebOptions): void {
  const refused = refuse(request, options);
  if (refused) return reply(response, refused, { error: statusText[refused] });
  if (request.method !== 'GET' && request.method !== 'HEAD') return reply(response, 405, { error: statusText[405] });
  if (pathOf(request) === '/healthz') return reply(response, 200, { status: 'ok', version: options.version });
  reply(response, 404, { error: statusText[404] });
}

/** A foreign Host is a rebinding attempt and a foreign Origin another site's page; neither gets a word out of us. */
function refuse(request: IncomingMessage, options: WebOptions): 403 | undefined {
  const host = hostName(request.headers.host);
  if (host === undefined || !localNames.has(host)) return 403;
  const { origin } = request.headers;
  if (origin === undefined) return undefined;
  return URL.canParse(origin) && new URL(origin).host === request.headers.host && options.host !== '' ? undefined : 403;
}

function unauthorized(request: IncomingMessage, { token }: WebOptions): 401 | undefined {
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const given = searchParams.get('tkn') ?? searchParams.get('token') ?? '';
  return sameText(given, token) ? undefined : 401;
}

/** Takes the same time whatever is given. */
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
    'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text), 'cache-control': 'no-store',
    'x-content-type-options': 'nosniff', 'content-security-policy': "default-src 'none'",
  });
  response.end(text);
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/';
}

function hostName(header: string | undefined): string | undefined {
  return header !== undefined && URL.canParse(`http://${header}`) ? new URL(`http://${header}`).hostname : undefined;
}

const localNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

const statusText = { 401: 'Unauthorized', 403: 'Forbidden', 404: 'Not Found', 405: 'Method Not Allowed' } as const;
