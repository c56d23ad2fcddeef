// OAuth sign-ins with a browser redirect, a pasted code or a device code, and token renewal. Knows no vendor.
import { createHash, randomBytes } from 'node:crypto';
import { errorText } from '../../base/errorText.ts';
import { sleepOn } from '../../base/waiting.ts';
import type { OAuthPlace } from '../../host/settings/providerLogins.ts';
import type { Clock, NotPossible } from '../../host/ports.ts';
import { awaitCallback, refusalIn } from '../http/oauthCallback.ts';

export interface Tokens {
  readonly access: string;
  readonly refresh?: string;
  /** In milliseconds since 1970. */
  readonly expires?: number;
}

export interface OAuthOptions {
  readonly fetch: typeof fetch;
  readonly clock: Pick<Clock, 'now' | 'after'>;
}

export interface PendingSignIn {
  readonly url: string;
  readonly done: Promise<Tokens | NotPossible>;
  cancel(): void;
}

/** How long a user may take, in milliseconds. */
const userPatience = 600_000;
const serverPatience = 30_000;

/** Opens a sign-in page and waits for the browser's redirect. */
export async function beginWithBrowser(
  place: OAuthPlace,
  options: OAuthOptions,
): Promise<PendingSignIn | NotPossible> {
  const proof = newProof();
  const at = typeof place.redirect === 'object' ? place.redirect : { port: 0, path: '/callback' };
  try {
    const callback = await awaitCallback({ ...at, host: 'localhost', state: proof.state });
    const forget = options.clock.after(userPatience, () => callback.close());
    const wait = async (): Promise<Tokens | NotPossible> => {
      try {
        const query = await callback.arrived;
        const code = query.get('code');
        if (code === null) return refusalIn(query);
        return await redeem(place, { code, redirect: callback.url, ...proof }, options);
      } catch (error) {
        return { refused: errorText(error) };
      } finally {
        forget();
        callback.close();
      }
    };
    return { url: pageOf(place, callback.url, proof), done: wait(), cancel: () => callback.close() };
  } catch {
    return {
      refused: `Port ${at.port} is in use, so the sign-in cannot be completed. Free the port and try again.`,
    };
  }
}

export interface PastedCodeSignIn {
  readonly url: string;
  /** Exchanges the code from the page for tokens. */
  redeem(code: string): Promise<Tokens | NotPossible>;
}

/** For sign-in pages that show a code to paste. */
export function beginWithPaste(place: OAuthPlace, options: OAuthOptions): PastedCodeSignIn {
  const proof = newProof();
  const redirect = typeof place.redirect === 'string' ? place.redirect : '';
  return {
    url: pageOf(place, redirect, proof),
    redeem: (pasted) => {
      const [code = '', state = proof.state] = pasted.trim().split('#');
      if (state !== proof.state)
        return Promise.resolve({ refused: 'This code belongs to another sign-in. Start the sign-in again.' });
      return redeem(place, { code, redirect, ...proof }, options);
    },
  };
}

export interface DeviceSignIn extends PendingSignIn {
  readonly code: string;
}

/** The user enters a code at a page, while we poll for the tokens. */
export async function beginWithDevice(
  place: OAuthPlace,
  options: OAuthOptions,
): Promise<DeviceSignIn | NotPossible> {
  const response = await post(
    place.device ?? '',
    { client_id: place.clientId, scope: place.scope },
    { ...options, body: place.body },
  );
  const { device_code: device, user_code: code, verification_uri: url, interval } = response;
  if (typeof device !== 'string' || typeof code !== 'string' || typeof url !== 'string')
    return { refused: `The server sent no code: ${problemIn(response)}` };
  const stop = new AbortController();
  const forget = options.clock.after(
    typeof response['expires_in'] === 'number' ? response['expires_in'] * 1000 : userPatience,
    () => stop.abort(),
  );
  const sleep = sleepOn(options.clock);
  const poll = async (): Promise<Tokens | NotPossible> => {
    let pause = typeof interval === 'number' ? interval : 5;
    while (!stop.signal.aborted) {
      await sleep(pause * 1000, stop.signal);
      if (stop.signal.aborted) break;
      const answer = await post(
        place.token,
        {
          client_id: place.clientId,
          device_code: device,
          grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        },
        { ...options, body: place.body },
      );
      if (typeof answer['access_token'] === 'string') return tokensIn(answer, options);
      if (answer['error'] === 'slow_down')
        pause = typeof answer['interval'] === 'number' ? answer['interval'] : pause + 5;
      else if (answer['error'] !== 'authorization_pending')
        return { refused: `Signing in was refused: ${problemIn(answer)}` };
    }
    return { refused: 'The sign-in was cancelled or timed out.' };
  };
  return { url, code, done: poll().finally(forget), cancel: () => stop.abort() };
}

export async function renewTokens(
  place: OAuthPlace,
  { refresh = '' }: Tokens,
  options: OAuthOptions,
): Promise<Tokens | NotPossible> {
  const answer = await post(
    place.token,
    { grant_type: 'refresh_token', refresh_token: refresh, client_id: place.clientId },
    { ...options, body: place.body },
  );
  const tokens = tokensIn(answer, options);
  return 'refused' in tokens ? tokens : { refresh, ...tokens };
}

interface Proof {
  readonly verifier: string;
  readonly state: string;
}

function newProof(): Proof {
  return { verifier: randomBytes(48).toString('base64url'), state: randomBytes(24).toString('base64url') };
}

function pageOf(
  { authorize, clientId, scope, parameters = {} }: OAuthPlace,
  redirect: string,
  { verifier, state }: Proof,
): string {
  const url = new URL(authorize);
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const all = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirect,
    scope,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state,
    ...parameters,
  };
  for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
  return url.href;
}

async function redeem(
  place: OAuthPlace,
  { code, redirect, verifier, state }: Proof & { readonly code: string; readonly redirect: string },
  options: OAuthOptions,
): Promise<Tokens | NotPossible> {
  const wish = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirect,
    client_id: place.clientId,
    code_verifier: verifier,
    ...(place.body === 'json' ? { state } : {}),
  };
  return tokensIn(await post(place.token, wish, { ...options, body: place.body }), options);
}

type Answer = { readonly [name: string]: unknown };

/** Never throws: a failed request becomes an OAuth error object. */
async function post(
  url: string,
  wish: { readonly [name: string]: string },
  { fetch, body }: OAuthOptions & { readonly body: OAuthPlace['body'] },
): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(serverPatience),
      body: body === 'json' ? JSON.stringify(wish) : new URLSearchParams(wish).toString(),
      headers: {
        accept: 'application/json',
        'content-type': body === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
      },
    });
    const answer: unknown = await response.json();
    return typeof answer === 'object' && answer !== null
      ? { ...answer }
      : { error: `status ${response.status}` };
  } catch (error) {
    return { error: errorText(error) };
  }
}

function tokensIn(answer: Answer, { clock }: OAuthOptions): Tokens | NotPossible {
  const { access_token: access, refresh_token: refresh, expires_in: seconds } = answer;
  if (typeof access !== 'string') return { refused: `The server sent no token: ${problemIn(answer)}` };
  return {
    access,
    ...(typeof refresh === 'string' ? { refresh } : {}),
    ...(typeof seconds === 'number' ? { expires: clock.now() + seconds * 1000 } : {}),
  };
}

function problemIn({ error, error_description: description }: Answer): string {
  const text = [description, error].find((candidate) => typeof candidate === 'string');
  return `${text ?? 'the response is not valid'}.`;
}
