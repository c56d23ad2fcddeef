// An HTTP edge for browsers that speak REST and listen to server-sent events: host, origin and password
// first, everything else after. Default deny; knows no path of the API.
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { isIP } from 'node:net';
import { roomFor } from './connectionLimits.ts';
import type { UnauthenticatedConnections } from './connectionLimits.ts';

export interface RestOptions {
  readonly bind: string;
  /** Tried in this order; the first free one is taken. */
  readonly ports: readonly number[];
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer };
  /** Names besides those of this machine by which it may be called. */
  readonly names: readonly string[];
  /** Pages of other sites that may use it, by their origin. */
  readonly origins: readonly string[];
  readonly password: string;
  readonly version: string;
  /** The redirect target for a browser that opens the root. */
  readonly page: (address: string) => string;
  readonly api: RestApi;
  /** Interval of keep-alive messages of a stream in milliseconds; 15 seconds by default. */
  readonly heartbeat?: number;
}

export interface RestApi {
  answer(request: {
    readonly method: string;
    readonly path: string;
    readonly query: { readonly [name: string]: string };
    readonly body: unknown;
  }): Promise<{ readonly status: number; readonly body?: unknown }>;
  listen(listener: (event: { readonly event: string; readonly data: unknown }) => void): () => void;
}

export interface RestServer {
  readonly port: number;
  close(): void;
}

const base = '/api/v1';
const maxBody = 20 * 1024 * 1024;
const maxConnections = 64;
/** How many bytes a browser may be behind before it is let go; it comes back and loads what it missed. */
const maxBehind = 8 * 1024 * 1024;
const usualHeartbeat = 15_000;

export async function listenRest(options: RestOptions): Promise<RestServer> {
  for (const port of options.ports) {
    const server = serverFor(options);
    if (await listens(server, port, options.bind)) {
      const address = server.address();
      return {
        port: typeof address === 'object' && address ? address.port : port,
        close() {
          server.close();
          server.closeAllConnections();
        },
      };
    }
  }
  throw new Error(`every port from ${String(options.ports[0])} to ${String(options.ports.at(-1))} is taken`);
}

function serverFor(options: RestOptions): Server {
  const limits = { requestTimeout: 30_000, headersTimeout: 10_000 };
  const guesses = new Guesses();
  const server = options.tls ? createTlsServer({ ...limits, ...options.tls }) : createServer(limits);
  const strangers = roomFor(server, maxConnections);
  server.on('request', (request, response) => {
    serve(request, response, { ...options, guesses, strangers }).catch(() => response.destroy());
  });
  return server;
}

/** False if another program uses the port. */
function listens(server: Server, port: number, bind: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen(port, bind, () => resolve(true));
  });
}

/** Wrong passwords are delayed more and more; the right one never is. */
class Guesses {
  #wrong = 0;
  #last = 0;

  async wrong(): Promise<void> {
    this.#wrong = performance.now() - this.#last > forgotten ? 1 : this.#wrong + 1;
    this.#last = performance.now();
    const wait = Math.min(longestWait, Math.max(0, this.#wrong - freeGuesses) * 250);
    if (wait > 0)
      await new Promise((resolve) => {
        setTimeout(resolve, wait).unref();
      });
  }
}

const freeGuesses = 8;
/** In milliseconds. */
const longestWait = 5_000;
const forgotten = 60_000;

interface Serving extends RestOptions {
  readonly guesses: Guesses;
  readonly strangers: UnauthenticatedConnections;
}

/** What anyone may see is answered first; everything else needs the password. */
async function serve(request: IncomingMessage, response: ServerResponse, options: Serving): Promise<void> {
  const { origin, host = '' } = request.headers;
  if (!isOurName(host, options) || !isFriend(origin, host, options)) return reply(response, 403);
  if (origin !== undefined) for (const [name, value] of cors(origin)) response.setHeader(name, value);
  if (request.method === 'OPTIONS') return reply(response, 204);
  const url = new URL(request.url ?? '/', 'http://localhost');
  if (url.pathname === '/')
    return void response.writeHead(302, { location: options.page(host), 'cache-control': 'no-store' }).end();
  if (url.pathname === `${base}/health`)
    return reply(response, 200, { status: 'ok', version: options.version });
  if (!isPassword(request.headers.authorization, options.password)) {
    if (request.headers.authorization !== undefined) await options.guesses.wrong();
    return reply(response, 401, problem('unauthorized', 'The password is missing or wrong.'));
  }
  options.strangers.knows(request.socket);
  return serveApi(url, { request, response }, options);
}

async function serveApi(
  url: URL,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  options: Serving,
): Promise<void> {
  if (!url.pathname.startsWith(`${base}/`))
    return reply(response, 404, problem('not_found', 'There is nothing here.'));
  if (request.method === 'GET' && url.pathname === `${base}/events`) return stream(response, options);
  const body = await bodyOf(request);
  if ('refused' in body) return reply(response, body.status, problem('invalid_request', body.refused));
  const path = decoded(url.pathname.slice(base.length));
  if (path === undefined) return reply(response, 400, problem('invalid_request', 'The path cannot be read.'));
  const answer = await options.api.answer({
    method: request.method ?? 'GET',
    path,
    query: Object.fromEntries(url.searchParams),
    body: body.value,
  });
  reply(response, answer.status, answer.body);
}

/**
 * A foreign name is a rebinding attempt. Numbers cannot be rebound, but only ours are served where
 * nothing is encrypted.
 */
function isOurName(host: string, { names, tls }: RestOptions): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  const name = new URL(`http://${host}`).hostname;
  return (
    localNames.has(name) ||
    names.includes(name) ||
    (tls !== undefined && isIP(name.replace(/^\[|\]$/g, '')) > 0)
  );
}

const localNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Programs send no origin; pages do, and only our own and those the user has named get a word out of us. */
function isFriend(origin: string | undefined, host: string, { origins }: RestOptions): boolean {
  return (
    origin === undefined ||
    origins.includes(origin) ||
    (URL.canParse(origin) && new URL(origin).host === host)
  );
}

function cors(origin: string): readonly (readonly [string, string])[] {
  return [
    ['access-control-allow-origin', origin],
    ['vary', 'origin'],
    ['access-control-allow-methods', 'GET, POST, DELETE'],
    ['access-control-allow-headers', 'authorization, content-type'],
    ['access-control-allow-private-network', 'true'],
    ['access-control-max-age', '600'],
  ];
}

/** Constant time, whatever the input. */
function isPassword(header: string | undefined, password: string): boolean {
  const given = /^Bearer (.+)$/i.exec(header ?? '')?.[1] ?? '';
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(password)) && given !== '';
}

async function bodyOf(
  request: IncomingMessage,
): Promise<{ readonly value: unknown } | { readonly refused: string; readonly status: number }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBody) return { refused: 'The request body is too large.', status: 413 };
    chunks.push(chunk);
  }
  if (size === 0) return { value: undefined };
  // Other kinds can be sent by any page without asking first.
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
    return { refused: 'The request body must be JSON.', status: 415 };
  try {
    return { value: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch {
    return { refused: 'The request body is not valid JSON.', status: 400 };
  }
}

function decoded(path: string): string | undefined {
  try {
    return path.split('/').map(decodeURIComponent).join('/');
  } catch {
    return undefined;
  }
}

function stream(response: ServerResponse, { api, heartbeat = usualHeartbeat }: RestOptions): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    ...guards,
  });
  const write = (text: string) => {
    if (response.writableLength > maxBehind) response.destroy();
    else response.write(text);
  };
  const leave = api.listen(({ event, data }) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
  const beat = setInterval(() => write(': heartbeat\n\n'), heartbeat);
  response.once('close', () => {
    clearInterval(beat);
    leave();
  });
}

const guards = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'",
} as const;

function problem(code: string, message: string): object {
  return { error: { code, message } };
}

function reply(response: ServerResponse, status: number, body?: unknown): void {
  const text = body === undefined ? '' : `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    'cache-control': 'no-store',
    ...guards,
    ...(text === ''
      ? {}
      : { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text) }),
  });
  response.end(text);
}
