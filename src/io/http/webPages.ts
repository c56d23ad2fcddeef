// Reads pages of the web for agents: only what is public or was asked for by its very address, within
// limits of size and time.
import { lookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import { request as requestPlain } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { isLinkLocal, isLocalAddress, isPrivate } from '../../host/policy/privateAddresses.ts';
import type { WebPage, WebPages, WebProblem } from '../../host/tools/webPages.ts';
import { htmlText } from './htmlText.ts';

export interface WebPageOptions {
  /** In milliseconds, for the whole of it. */
  readonly timeout?: number;
  /** In bytes, unpacked. */
  readonly limit?: number;
  readonly version?: string;
  /** The way to what a proxy is asked for; everything else is asked straight. */
  readonly proxy?: { readonly takes: (url: URL) => boolean; readonly fetch: typeof fetch } | undefined;
}

const mostRedirects = 5;

export function webPages({
  timeout = 30_000,
  limit = 5_000_000,
  version = '0',
  proxy,
}: WebPageOptions = {}): WebPages {
  return {
    async read(url, signal) {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
      try {
        return await follow(
          new URL(url),
          { signal: patience, limit, agent: `parley/${version}`, proxy },
          mostRedirects,
        );
      } catch (error) {
        if (signal.aborted) return { problem: 'It was stopped.' };
        return {
          problem: patience.aborted
            ? `${url} did not answer within ${timeout / 1_000} seconds.`
            : `${url} cannot be read: ${words(error)}`,
        };
      }
    },
  };
}

interface Reading extends Pick<WebPageOptions, 'proxy'> {
  readonly signal: AbortSignal;
  readonly limit: number;
  readonly agent: string;
}

async function follow(url: URL, reading: Reading, redirects: number): Promise<WebPage | WebProblem> {
  if (isLinkLocal(url.href))
    return { problem: `${url.host} is blocked: link-local addresses are never read.` };
  const answer = await send(url, reading);
  const { status, location } = answer;
  const target = status >= 300 && status < 400 && location !== undefined ? new URL(location, url) : undefined;
  if (!target) return page(url, answer, reading);
  answer.destroy();
  if (redirects === 0) return { problem: `${url.href} redirects too often.` };
  // The user has allowed this address, not the one it redirects to.
  if (target.hostname !== url.hostname || !/^https?:$/.test(target.protocol))
    return { problem: `The page redirects to ${target.href}; fetch that URL if you want it.` };
  return follow(target, reading, redirects - 1);
}

/** What came back, however it was asked for. */
interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly type: string;
  /** What it holds, unpacked. */
  body(): Readable;
  destroy(): void;
}

function send(url: URL, reading: Reading): Promise<Answer> {
  const { signal, agent, proxy } = reading;
  if (proxy?.takes(url) && !isLocalAddress(url.href)) return sendThrough(url, { ...reading, proxy });
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestSecure : requestPlain;
    const headers = { ...headersFor(agent), 'accept-encoding': 'gzip, deflate, br' };
    const sent: ClientRequest = request(
      url,
      { signal, headers, lookup: isLocalAddress(url.href) ? lookup : onlyPublic },
      (answer) => resolve(straightAnswer(answer)),
    );
    sent.once('error', reject);
    sent.end();
  });
}

function headersFor(agent: string): { readonly [name: string]: string } {
  return { 'user-agent': agent, accept: 'text/html, text/*, application/json;q=0.9, */*;q=0.1' };
}

function straightAnswer(answer: IncomingMessage): Answer {
  const { statusCode = 0, headers } = answer;
  return {
    status: statusCode,
    location: headers.location,
    type: typeOf(headers['content-type']),
    body: () => unpacked(answer),
    destroy: () => void answer.destroy(),
  };
}

/** The proxy resolves the name; if it also resolves here to a local address, the request is blocked, too. */
async function sendThrough(
  url: URL,
  { signal, agent, proxy }: Reading & { readonly proxy: NonNullable<WebPageOptions['proxy']> },
): Promise<Answer> {
  await new Promise<void>((resolve, reject) => {
    lookup(url.hostname, { all: true }, (_, found) => {
      const inside = (found ?? []).find(({ address }) => isPrivate(address));
      if (inside)
        reject(
          new Error(
            `${url.hostname} leads to ${inside.address}, an address of this machine or its network; ` +
              'fetch that address directly.',
          ),
        );
      else resolve();
    });
  });
  const answer = await proxy.fetch(url, { signal, redirect: 'manual', headers: headersFor(agent) });
  const body = answer.body ? Readable.from(answer.body) : Readable.from([]);
  return {
    status: answer.status,
    location: answer.headers.get('location') ?? undefined,
    type: typeOf(answer.headers.get('content-type') ?? undefined),
    body: () => body,
    destroy: () => void body.destroy(),
  };
}

function typeOf(header = 'text/plain'): string {
  return header.toLowerCase();
}

/** The connection is made to what was looked at, so a name cannot lead elsewhere in the next moment. */
const onlyPublic: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, found: readonly LookupAddress[]) => {
    const [first] = found ?? [];
    if (error || !first) return done(error ?? new Error(`${host} cannot be resolved.`), '', 4);
    const inside = found.find(({ address }) => isPrivate(address));
    if (inside)
      return done(
        new Error(
          `${host} leads to ${inside.address}, an address of this machine or its network; fetch that ` +
            'address directly.',
        ),
        '',
        4,
      );
    return options.all ? done(null, [...found]) : done(null, first.address, first.family);
  });
};

async function page(url: URL, answer: Answer, { limit }: Reading): Promise<WebPage | WebProblem> {
  const { status, type } = answer;
  if (status < 200 || status >= 300) {
    answer.destroy();
    return { problem: `${url.href} answered with status ${status}.` };
  }
  if (
    !/^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|javascript|yaml|toml|x-ndjson)\b|application\/xhtml)/.test(
      type,
    )
  ) {
    answer.destroy();
    return { problem: `${url.href} is not text (${type.slice(0, 100)}).` };
  }
  const bytes = await gathered(answer.body(), limit);
  answer.destroy();
  if (!bytes) return { problem: `${url.href} is larger than ${limit} bytes.` };
  const text = decoded(bytes, /charset="?([\w-]+)/.exec(type)?.[1]);
  return { url: url.href, type, text: /html/.test(type) ? htmlText(text, url.href) : text };
}

function unpacked(answer: IncomingMessage): Readable {
  const encoding = (answer.headers['content-encoding'] ?? 'identity').toLowerCase();
  const unpack = decoders.get(encoding)?.();
  if (!unpack) return answer;
  answer.once('error', (error) => unpack.destroy(error));
  return answer.pipe(unpack);
}

const decoders: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

async function gathered(source: Readable, limit: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of source) {
    if (!(part instanceof Uint8Array)) continue;
    size += part.length;
    if (size > limit) return undefined;
    parts.push(Buffer.from(part));
  }
  return Buffer.concat(parts);
}

function decoded(bytes: Buffer, charset = 'utf-8'): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function words(error: unknown): string {
  return error instanceof Error
    ? error.message || String(Object.getOwnPropertyDescriptor(error, 'code')?.value ?? 'unknown cause')
    : 'unknown cause';
}
