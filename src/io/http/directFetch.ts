// Sends the requests to models over Node's HTTP client. Fetch reads a body through web streams, which cost a
// quarter of all that is done with a word that comes alone.
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { onAbort } from '../../base/waiting.ts';
import type { NetworkSettings } from '../../host/settings/settings.ts';
import { certificates, connectTimeout, filesIn, isProxied, networkFetch } from './httpClient.ts';
import type { ProxyEnvironment } from './httpClient.ts';

/** What is sent; redirects are not followed. */
export interface DirectRequest {
  readonly method: 'POST';
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
  readonly signal: AbortSignal;
  readonly redirect: 'manual';
}

/** The part of a `Response` that a reader of a stream needs. */
export interface DirectResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: Iterable<readonly [string, string]> & { get(name: string): string | null | undefined };
  readonly body: { getReader(): ByteReader } | null;
  text(): Promise<string>;
}

export interface ByteReader {
  /** What has arrived since the last read. */
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  /** Releases the connection if the rest is not read. */
  cancel(): Promise<unknown>;
}

/**
 * Fetches like `networkFetch`, with the same certificates, time limit and codes of errors. A request that
 * needs a proxy goes through `networkFetch` itself.
 */
export function directFetch(
  env: ProxyEnvironment,
  wanted: () => NetworkSettings | undefined = () => undefined,
): (url: string, request: DirectRequest) => Promise<DirectResponse> {
  const other = networkFetch(env, wanted);
  const agents = new Agents();
  return (url, request) => {
    const address = URL.canParse(url) ? new URL(url) : undefined;
    const isPlain =
      address && /^https?:$/.test(address.protocol) && address.username === '' && address.password === '';
    if (!isPlain || isProxied(env, address)) return other(url, request);
    const set = wanted();
    return new Promise((resolve, reject) => {
      request.signal.throwIfAborted();
      const files = address.protocol === 'https:' ? filesIn(env, set) : undefined;
      const { method, headers } = request;
      const options = { method, headers: { ...usualHeaders, ...headers }, ...noTimeout };
      const sent =
        address.protocol === 'https:'
          ? requestHttps(address, { ...options, agent: agents.https(files) })
          : requestHttp(address, { ...options, agent: agents.http });
      const stop = onAbort(request.signal, () => sent.destroy(abortError(request.signal)));
      sent.once('socket', (socket) => limitConnecting(sent, socket, connectTimeout(set)));
      sent.on('error', (error) => {
        stop();
        reject(error);
      });
      sent.once('response', (response) => resolve(answerOf(response, stop)));
      sent.end(request.body);
    });
  };
}

/** Fetch sends these, and some servers refuse a request that does not say who asks. */
const usualHeaders = { accept: '*/*', 'user-agent': 'node' };

/** Limits only a connection that nobody uses; else every word that comes sets a timer again. */
const noTimeout = { timeout: 0 };

/** As long as fetch keeps a connection that is not used. Servers close theirs a second later. */
const keptFor = 4_000;

class Agents {
  readonly http = new HttpAgent({ keepAlive: true, timeout: keptFor });
  #https: { readonly from: string; readonly agent: HttpsAgent } | undefined;

  /** The same one as long as the files stay the same. */
  https(files: NetworkSettings | undefined): HttpsAgent {
    const from = JSON.stringify(files ?? {});
    if (this.#https?.from !== from) {
      const context = files ? { secureContext: certificates(files) } : {};
      this.#https = { from, agent: new HttpsAgent({ keepAlive: true, timeout: keptFor, ...context }) };
    }
    return this.#https.agent;
  }
}

function abortError({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new DOMException('This operation was aborted', 'AbortError');
}

function limitConnecting(sent: ClientRequest, socket: Socket, patience: number): void {
  if (!socket.connecting) return;
  const timer = setTimeout(() => sent.destroy(new ConnectTimeout()), patience);
  const stop = () => clearTimeout(timer);
  socket.once('encrypted' in socket ? 'secureConnect' : 'connect', stop);
  socket.once('close', stop);
}

class ConnectTimeout extends Error {
  readonly code = 'UND_ERR_CONNECT_TIMEOUT';
  constructor() {
    super('The connection did not come about in time.');
    this.name = 'ConnectTimeout';
  }
}

function answerOf(response: IncomingMessage, stop: () => void): DirectResponse {
  const status = response.statusCode ?? 0;
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(response.headers))
    if (value !== undefined) headers.set(name, typeof value === 'string' ? value : value.join(', '));
  const body = new Body(response, { content: plain(response, headers.get('content-encoding')), stop });
  return {
    ok: status >= 200 && status < 300,
    status,
    headers,
    body: { getReader: () => body },
    text: () => body.text(),
  };
}

/** We do not ask for compression, but some servers compress everything. */
function plain(response: IncomingMessage, encoding: string | undefined): Readable {
  const decoder = decoderFor(encoding?.toLowerCase().trim());
  if (!decoder) return response;
  response.on('error', (error) => decoder.destroy(error));
  return response.pipe(decoder);
}

function decoderFor(encoding: string | undefined) {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  return encoding === 'br' ? createBrotliDecompress() : undefined;
}

/** So many bytes wait for their reader; then the connection waits. */
const mostWaiting = 262_144;

/** Hands out together what arrived together. One reader only. */
class Body implements ByteReader {
  readonly #response: IncomingMessage;
  readonly #content: Readable;
  readonly #stop: () => void;
  #chunks: Uint8Array[] = [];
  #size = 0;
  #end: { readonly error?: Error } | undefined;
  #wake = () => {};

  constructor(
    response: IncomingMessage,
    { content, stop }: { readonly content: Readable; readonly stop: () => void },
  ) {
    this.#response = response;
    this.#content = content;
    this.#stop = stop;
    content.on('data', (chunk: Uint8Array) => {
      this.#chunks.push(chunk);
      this.#size += chunk.length;
      if (this.#size > mostWaiting) content.pause();
      this.#wake();
    });
    content.once('end', () => this.#finish({}));
    content.on('error', (error) => this.#finish({ error }));
    // A decoder may not notice that its source is gone.
    response.once('close', () => {
      if (!response.complete) this.#finish({ error: new Error('terminated') });
    });
  }

  async read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }> {
    if (this.#chunks.length === 0 && !this.#end)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const [first, ...more] = this.#chunks;
    if (first) {
      const value = more.length === 0 ? first : Buffer.concat(this.#chunks);
      this.#chunks = [];
      this.#size = 0;
      if (this.#content.isPaused()) this.#content.resume();
      return { done: false, value };
    }
    if (this.#end?.error) throw this.#end.error;
    return { done: true };
  }

  async text(): Promise<string> {
    const decoder = new TextDecoder();
    let text = '';
    for (;;) {
      const { done, value } = await this.read();
      if (done) return text + decoder.decode();
      text += decoder.decode(value, { stream: true });
    }
  }

  /** A connection whose answer has come whole is used again. */
  async cancel(): Promise<void> {
    this.#stop();
    if (this.#response.complete) this.#response.resume();
    else this.#response.destroy();
    if (this.#content !== this.#response) this.#content.destroy();
  }

  #finish(end: { readonly error?: Error }): void {
    this.#stop();
    this.#end ??= end;
    this.#wake();
  }
}
