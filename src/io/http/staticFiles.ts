// Serves the files of the console from its folder: content types, caching and the headers that keep the page
// to itself. It knows no connection and no request but the path.
import { readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHash } from 'node:crypto';

export interface Asset {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export interface AssetOptions {
  /** The origin of the only WebSockets that the page may open, such as `ws://127.0.0.1:4517`. */
  readonly socket: string;
  /** The browser's `accept-encoding` header. */
  readonly encodings?: string | undefined;
  readonly folder?: string;
}

/** The file behind a request's path (without its query), or nothing. `/` is the page itself. */
export function assetFor(path: string, options: AssetOptions): Asset | undefined {
  const { socket, encodings, folder = builtFolder() } = options;
  const name = path === '/' ? 'index.html' : path.slice(1);
  // Only the names that the build gives out: no dots that climb, no hidden file, no escape of any kind.
  if (!/^(?:assets\/)?\w[\w-]*(?:\.[\w-]+)+$/.test(name)) return undefined;
  const type = contentTypes.get(extname(name));
  if (type === undefined) return undefined;
  const compressed = takesGzip(encodings) ? read(join(folder, `${name}.gz`)) : undefined;
  const body = compressed ?? read(join(folder, name));
  if (body === undefined) return undefined;
  const caching = name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
  return {
    body,
    headers: {
      ...safety,
      'content-security-policy': name === drawingPage ? drawingPolicy : contentSecurityPolicy(socket),
      'content-type': type,
      'content-length': String(body.length),
      'cache-control': caching,
      vary: 'accept-encoding',
      ...(compressed ? { 'content-encoding': 'gzip' } : {}),
      etag: tagOf(body),
    },
  };
}

/** A weight of zero means that it is not taken. */
function takesGzip(encodings = ''): boolean {
  return encodings.split(',').some((each) => {
    const [name, weight] = each.split(';').map((part) => part.trim());
    return name?.toLowerCase() === 'gzip' && !/^q=0(?:\.0*)?$/i.test(weight ?? '');
  });
}

/** Whether the browser's copy, as its `if-none-match` header names it, is this one. */
export function isCurrent({ headers }: Asset, known: string | undefined): boolean {
  return known !== undefined && known.split(',').some((tag) => tag.trim() === headers['etag']);
}

/**
 * No script, style or picture from anywhere else, none written into the page, no framing by others, one
 * host.
 */
function contentSecurityPolicy(socket: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // Some browsers do not count our own sockets as 'self'.
    `connect-src 'self' ${socket}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    // Even our own script can put HTML into the page only through the sanitiser.
    "require-trusted-types-for 'script'",
    'trusted-types dompurify parley-worker',
  ].join('; ');
}

/** Draws diagrams that others wrote. */
const drawingPage = 'diagram.html';

/**
 * It loads nothing, can be framed by our own page only, and has no origin, also if it is opened alone. Of the
 * scripts in it, it names by itself those that may run.
 */
const drawingPolicy = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-scripts',
].join('; ');

const safety = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
} as const;

const contentTypes: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.woff2', 'font/woff2'],
  ['.webmanifest', 'application/manifest+json'],
]);

/** Beside the built program. */
function builtFolder(): string {
  return join(dirname(fileURLToPath(import.meta.url)), 'web');
}

function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function tagOf(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}
