// Waits on this machine for the browser redirect of a sign-in page. Independent of providers; checks only the
// state parameter.
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { NotPossible } from '../../host/ports.ts';

export interface Callback {
  /** Where the browser is to be sent back to. */
  readonly url: string;
  /** What it brought; rejects after `close`. */
  readonly arrived: Promise<URLSearchParams>;
  close(): void;
}

export interface CallbackOptions {
  /** A free one where none is named. */
  readonly port?: number | undefined;
  readonly path?: string;
  /** What the address is called; it is this machine's own in any case. */
  readonly host?: 'localhost' | '127.0.0.1';
  /** A request without the state does not come from this sign-in. */
  readonly state: string;
}

/** Rejects if the port is in use. */
export async function awaitCallback({
  port = 0,
  path = '/callback',
  host = '127.0.0.1',
  state,
}: CallbackOptions): Promise<Callback> {
  let arrive = (_: URLSearchParams) => {};
  let giveUp = (_: Error) => {};
  const arrived = new Promise<URLSearchParams>((resolve, reject) => {
    arrive = resolve;
    giveUp = reject;
  });
  // The promise may have no listener any more when it is rejected.
  arrived.catch(() => {});
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname !== path) return page(response, 404, 'There is nothing here.');
    if (searchParams.get('state') !== state)
      return page(response, 400, 'This link belongs to no sign-in in progress. Start the sign-in again.');
    page(
      response,
      200,
      searchParams.has('error')
        ? 'Sign-in failed. You can close this window.'
        : 'You are signed in. You can close this window.',
    );
    arrive(searchParams);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  return {
    url: `http://${host}:${bound}${path}`,
    arrived,
    close() {
      giveUp(new Error('The sign-in was cancelled or timed out.'));
      server.close();
      server.closeIdleConnections();
    },
  };
}

/** What to say where the browser brought no code. */
export function refusalIn(query: URLSearchParams): NotPossible {
  const reason = query.get('error_description') ?? query.get('error') ?? 'no reason was given';
  return { refused: `Signing in was refused: ${reason}.` };
}

function page(response: ServerResponse, status: number, words: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  response.end(`<!doctype html><title>Parley</title><p>${words}</p>`);
}
