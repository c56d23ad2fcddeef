// Waits on this machine for a browser that comes back from a sign-in page. Knows no provider and no protocol beyond the state it must bring along.
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';

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
  /** Whoever comes without it was not sent by us. */
  readonly state: string;
}

/** Rejects where the port is taken. */
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
  // Nobody may be listening any more when it is given up.
  arrived.catch(() => {});
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname !== path) return page(response, 404, 'There is nothing here.');
    if (searchParams.get('state') !== state)
      return page(response, 400, 'This link does not belong to a sign-in that was begun here.');
    page(
      response,
      200,
      searchParams.has('error')
        ? 'Signing in did not work. You can close this window.'
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

function page(response: ServerResponse, status: number, words: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  response.end(`<!doctype html><title>Parley</title><p>${words}</p>`);
}
