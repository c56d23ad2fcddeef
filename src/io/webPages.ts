// Reads pages of the web for agents: only what is public or was asked for by its very address, within limits of size and time.
import { lookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import { request as requestPlain } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { isLinkLocal, isLocalAddress, isPrivate } from '../host/addresses.ts';
import type { WebPage, WebPages, WebProblem } from '../host/web.ts';
import { htmlText } from './htmlText.ts';

export interface WebOptions {
  /** In milliseconds, for the whole of it. */
  readonly timeout?: number;
  /** In bytes, unpacked. */
  readonly limit?: number;
  readonly version?: string;
}

const mostRedirects = 5;

export function webPages({ timeout = 30_000, limit = 5_000_000, version = '0' }: WebOptions = {}): WebPages {
  return {
    async read(url, signal) {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
      try {
        return await follow(new URL(url), { signal: patience, limit, agent: `parley/${version}` }, mostRedirects);
      } catch (error) {
        if (signal.aborted) return { problem: 'It was stopped.' };
        return { problem: patience.aborted ? `${url} did not answer within ${timeout / 1_000} seconds.` : `${url} cannot be read: ${words(error)}` };
      }
    },
  };
}

interface Reading {
  readonly signal: AbortSignal;
  readonly limit: number;
  readonly agent: string;
}

async function follow(url: URL, reading: Reading, redirects: number): Promise<WebPage | WebProblem> {
  if (isLinkLocal(url.href)) return { problem: `${url.host} is never read.` };
  const answer = await send(url, reading);
  const { statusCode = 0, headers } = answer;
  const target = statusCode >= 300 && statusCode < 400 && headers.location !== undefined ? new URL(headers.location, url) : undefined;
  if (!target) return page(url, answer, reading);
  answer.destroy();
  if (redirects === 0) return { problem: `${url.href} leads on too often.` };
  // Whoever allowed one place has not allowed another one.
  if (target.hostname !== url.hostname || !/^https?:$/.test(target.protocol)) return { problem: `It has moved to ${target.href}; fetch that address if it is what you want.` };
  return follow(target, reading, redirects - 1);
}

function send(url: URL, { signal, agent }: Reading): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestSecure : requestPlain;
    const headers = { 'user-agent': agent, accept: 'text/html, text/*, application/json;q=0.9, */*;q=0.1', 'accept-encoding': 'gzip, deflate, br' };
    const sent: ClientRequest = request(url, { signal, headers, lookup: isLocalAddress(url.href) ? lookup : onlyPublic }, resolve);
    sent.once('error', reject);
    sent.end();
  });
}

/** The connection is made to what was looked at, so a name cannot lead elsewhere in the next moment. */
const onlyPublic: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, found: readonly LookupAddress[]) => {
    const [first] = found ?? [];
    if (error || !first) return done(error ?? new Error(`${host} is not known.`), '', 4);
    const inside = found.find(({ address }) => isPrivate(address));
    if (inside) return done(new Error(`${host} leads to ${inside.address}, an address of this machine or its network; only that address itself can be asked for.`), '', 4);
    return options.all ? done(null, [...found]) : done(null, first.address, first.family);
  });
};

async function page(url: URL, answer: IncomingMessage, { limit }: Reading): Promise<WebPage | WebProblem> {
  const { statusCode = 0, headers } = answer;
  const type = (headers['content-type'] ?? 'text/plain').toLowerCase();
  if (statusCode < 200 || statusCode >= 300) {
    answer.destroy();
    return { problem: `${url.href} answered with status ${statusCode}.` };
  }
  if (!/^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|javascript|yaml|toml|x-ndjson)\b|application\/xhtml)/.test(type)) {
    answer.destroy();
    return { problem: `${url.href} is no text but ${type.slice(0, 100)}.` };
  }
  const bytes = await gathered(unpacked(answer), limit);
  answer.destroy();
  if (!bytes) return { problem: `${url.href} is larger than ${limit} bytes.` };
  const text = decoded(bytes, /charset="?([\w-]+)/.exec(type)?.[1]);
  return { url: url.href, type, text: /html/.test(type) ? htmlText(text, url.href) : text };
}

function unpacked(answer: IncomingMessage): Readable {
  const encoding = (answer.headers['content-encoding'] ?? 'identity').toLowerCase();
  const unpack = encoding === 'gzip' || encoding === 'x-gzip' ? createGunzip() : encoding === 'deflate' ? createInflate() : encoding === 'br' ? createBrotliDecompress() : undefined;
  if (!unpack) return answer;
  answer.once('error', (error) => unpack.destroy(error));
  return answer.pipe(unpack);
}

async function gathered(source: Readable, limit: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of source) {
    if (!Buffer.isBuffer(part)) continue;
    size += part.length;
    if (size > limit) return undefined;
    parts.push(part);
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
  return error instanceof Error ? error.message || String(Object.getOwnPropertyDescriptor(error, 'code')?.value ?? 'unknown cause') : 'unknown cause';
}
