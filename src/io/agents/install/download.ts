// Downloads a file within limits and computes its checksum. Addresses must be encrypted or on this machine.
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { errorCode, errorText } from '../../../base/errorText.ts';
import { certificateProblems, connectionProblems } from '../../../base/networkProblems.ts';

export interface DownloadOptions {
  readonly fetch: typeof fetch;
  /** The largest size, in bytes. */
  readonly limit: number;
  readonly signal: AbortSignal;
  /** Bytes so far, and all bytes if the server says how many. */
  readonly onProgress?: (done: number, total: number | undefined) => void;
}

/** Writes the file and returns its SHA-256 in hex. */
export async function download(url: string, file: string, options: DownloadOptions): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(file, 'wx', 0o600);
  try {
    for await (const chunk of bytesFrom(url, options)) {
      hash.update(chunk);
      await handle.write(chunk);
    }
  } finally {
    await handle.close();
  }
  return hash.digest('hex');
}

/** The text at an address. */
export async function downloadText(url: string, options: DownloadOptions): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytesFrom(url, options)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function* bytesFrom(
  url: string,
  { fetch: ask, limit, signal, onProgress = () => {} }: DownloadOptions,
): AsyncGenerator<Uint8Array> {
  const response = await follow(url, ask, signal);
  const length = Number(response.headers.get('content-length') ?? '');
  const total = length > 0 ? length : undefined;
  if (total !== undefined && total > limit) throw tooLarge(url, limit);
  let done = 0;
  for await (const chunk of toTheEnd(url, response.body)) {
    if (!(chunk instanceof Uint8Array)) continue;
    done += chunk.byteLength;
    if (done > limit) throw tooLarge(url, limit);
    onProgress(done, total);
    yield chunk;
  }
}

/** Says what broke off, because the error of a broken connection is only "terminated". */
async function* toTheEnd(url: string, body: Response['body']): AsyncGenerator {
  try {
    yield* body ?? [];
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') throw error;
    throw new Error(`${url} broke off before its end; try it again.`, { cause: error });
  }
}

const mostRedirects = 5;

/** Every address on the way is checked before it is asked. */
async function follow(url: string, ask: typeof fetch, signal: AbortSignal): Promise<Response> {
  let at = url;
  for (let count = 0; count <= mostRedirects; count += 1) {
    checkAddress(at);
    // Only servers of this machine send us to others of it: their answers are nobody else's business.
    if (isLoopback(at) && !isLoopback(url)) throw new Error(`${url} redirects to this machine.`);
    const response = await asked(at, ask, signal);
    const next = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (next === null) {
      if (!response.ok) throw new Error(`${at} answers with status ${response.status}.`);
      return response;
    }
    await response.body?.cancel();
    at = new URL(next, at).href;
  }
  throw new Error(`${url} redirects too often.`);
}

/** Says which address and why, because the error of `fetch` is only "fetch failed". */
async function asked(at: string, ask: typeof fetch, signal: AbortSignal): Promise<Response> {
  try {
    return await ask(at, { redirect: 'manual', signal });
  } catch (error) {
    if (signal.aborted || !(error instanceof Error)) throw error;
    const code = errorCode(error.cause) ?? errorCode(error) ?? '';
    const why = connectionProblems[code] ?? certificateProblems[code] ?? errorText(error.cause ?? error);
    throw new Error(`${at} cannot be reached: ${why}.`, { cause: error });
  }
}

function checkAddress(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isLoopback(text)))
    throw new Error(`${text} is not an https address.`);
}

function isLoopback(address: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(address).hostname);
}

function tooLarge(url: string, limit: number): Error {
  return new Error(`${url} is larger than ${Math.round(limit / 1_000_000)} MB.`);
}
