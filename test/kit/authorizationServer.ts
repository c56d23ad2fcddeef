// An authorization server on loopback, as vendors have them: registers clients, hands out codes to whoever
// proves to have begun, renews tokens, and knows devices.
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AuthorizationServer {
  readonly url: string;
  /** Every request for a token, as it came. */
  readonly asked: readonly URLSearchParams[];
  readonly registered: readonly { readonly [field: string]: unknown }[];
  /**
   * What a user does at the page: yes sends the browser back, no too, and `wrong` comes
   * back for somebody else.
   */
  user: 'yes' | 'no' | 'wrong';
  /** Whether a device has been let in; it is told to wait until then. */
  device: 'waiting' | 'slow' | 'yes' | 'no';
  /** What it says of itself in place of the truth, and what the browser brings back besides. */
  readonly lies: { metadata: object; callback: { readonly [field: string]: string } };
  /** How many seconds a token holds, as it says. */
  lifetime: number;
  /** Where a session says that it is good for. */
  api: string;
  isValid(token: string | undefined): boolean;
  /** No token that was given out is taken any more; with `all` neither are the words to renew them with. */
  revoke(what: 'tokens' | 'all'): void;
  /** Visits a page as a browser would, and follows it to the end. */
  visit(url: string): Promise<{ readonly status: number; readonly text: string }>;
  close(): Promise<void>;
}

interface Code {
  readonly challenge: string;
  readonly client: string;
  readonly redirect: string;
}

export async function authorizationServer(): Promise<AuthorizationServer> {
  const codes = new Map<string, Code>();
  const valid = new Set<string>();
  const renewable = new Set<string>();
  const asked: URLSearchParams[] = [];
  const registered: { readonly [field: string]: unknown }[] = [];
  let count = 0;
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const made: AuthorizationServer = {
    url,
    asked,
    registered,
    user: 'yes',
    device: 'waiting',
    lies: { metadata: {}, callback: {} },
    lifetime: 3600,
    api: url,
    isValid: (given) => given !== undefined && valid.has(given),
    revoke(what) {
      valid.clear();
      if (what === 'all') renewable.clear();
    },
    async visit(page) {
      const response = await fetch(page);
      return { status: response.status, text: await response.text() };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return made;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    const body = await textOf(request);
    if (pathname.startsWith('/.well-known/')) return json(response, 200, metadata());
    if (pathname === '/register') {
      const client: { [field: string]: unknown } = JSON.parse(body) as { [field: string]: unknown };
      registered.push(client);
      return json(response, 201, { ...client, client_id: `client-${registered.length}` });
    }
    if (pathname === '/authorize') return authorize(response, searchParams);
    if (pathname === '/device')
      return json(response, 200, {
        device_code: 'device-1',
        user_code: 'ABCD-1234',
        verification_uri: `${url}/activate`,
        expires_in: 900,
        interval: 0,
      });
    if (pathname === '/token')
      return token(
        response,
        request.headers['content-type']?.includes('json')
          ? new URLSearchParams(JSON.parse(body) as Record<string, string>)
          : new URLSearchParams(body),
      );
    if (pathname === '/exchange')
      return made.isValid(request.headers.authorization?.replace(/^\S+ /, ''))
        ? json(response, 200, {
            token: fresh('session', valid),
            expires_at: Math.floor(Date.now() / 1000) + made.lifetime,
            endpoints: { api: made.api },
          })
        : json(response, 401, { message: 'Bad credentials' });
    return json(response, 404, {});
  }

  function metadata(): object {
    return {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      registration_endpoint: `${url}/register`,
      device_authorization_endpoint: `${url}/device`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      ...made.lies.metadata,
    };
  }

  function authorize(response: ServerResponse, wish: URLSearchParams): void {
    const back = new URL(wish.get('redirect_uri') ?? url);
    if (wish.get('code_challenge_method') !== 'S256')
      return json(response, 400, { error: 'invalid_request' });
    const code = randomBytes(8).toString('hex');
    codes.set(code, {
      challenge: wish.get('code_challenge') ?? '',
      client: wish.get('client_id') ?? '',
      redirect: back.href,
    });
    back.searchParams.set('state', made.user === 'wrong' ? 'somebody-else' : (wish.get('state') ?? ''));
    if (made.user === 'no') back.searchParams.set('error', 'access_denied');
    else back.searchParams.set('code', code);
    for (const [field, value] of Object.entries(made.lies.callback)) back.searchParams.set(field, value);
    response.writeHead(302, { location: back.href }).end();
  }

  function token(response: ServerResponse, wish: URLSearchParams): void {
    asked.push(wish);
    const grant = wish.get('grant_type');
    if (grant === 'authorization_code') {
      const code = codes.get(wish.get('code')?.split('#')[0] ?? '');
      const proof = createHash('sha256')
        .update(wish.get('code_verifier') ?? '')
        .digest('base64url');
      codes.clear();
      return code &&
        proof === code.challenge &&
        wish.get('client_id') === code.client &&
        wish.get('redirect_uri') === code.redirect
        ? grantTokens(response)
        : json(response, 400, { error: 'invalid_grant' });
    }
    if (grant === 'refresh_token') {
      const old = wish.get('refresh_token') ?? '';
      return renewable.delete(old)
        ? grantTokens(response)
        : json(response, 400, { error: 'invalid_grant', error_description: 'That was used already.' });
    }
    if (made.device === 'yes') return grantTokens(response);
    const errors = { waiting: 'authorization_pending', slow: 'slow_down', no: 'access_denied' } as const;
    return json(response, 200, { error: errors[made.device], interval: 0 });
  }

  function grantTokens(response: ServerResponse): void {
    json(response, 200, {
      access_token: fresh('access', valid),
      refresh_token: fresh('renew', renewable),
      token_type: 'Bearer',
      expires_in: made.lifetime,
    });
  }

  function fresh(kind: string, into: Set<string>): string {
    count += 1;
    into.add(`${kind}-${count}`);
    return `${kind}-${count}`;
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
