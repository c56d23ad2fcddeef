// Signs in to a remote server with OAuth: discovers the authorization server, sends the user there and
// waits for the redirect.
import { randomBytes } from 'node:crypto';
import { errorText } from '../../../base/errorText.ts';
import { auth } from '@modelcontextprotocol/client';
import type { NotPossible } from '../../../host/ports.ts';
import type { SignIn } from '../../../host/tools/toolServers.ts';
import { awaitCallback, refusalIn } from '../../http/oauthCallback.ts';
import type { Callback } from '../../http/oauthCallback.ts';
import type { Secrets } from '../../auth/secrets.ts';
import { challenge } from './protectedResource.ts';
import { Identity } from './clientIdentity.ts';
import type { NetworkEndpoint } from '../serverPlans.ts';
import { watchedFetch } from '../connection/watchedFetch.ts';

/** How long a user may take, in milliseconds. */
const userPatience = 600_000;
const serverPatience = 15_000;

export async function beginSignIn(
  endpoint: NetworkEndpoint,
  secrets: Secrets,
  ask: typeof fetch,
): Promise<SignIn | NotPossible> {
  const state = randomBytes(24).toString('base64url');
  let callback: Callback;
  try {
    callback = await awaitCallback({ port: endpoint.callbackPort, state });
  } catch (error) {
    return { refused: `Port ${endpoint.callbackPort} cannot be opened for the sign-in: ${errorText(error)}` };
  }
  let address: URL | undefined;
  const identity = new Identity({
    endpoint,
    secrets,
    redirect: callback.url,
    state,
    visit: (url) => (address = url),
  });
  // The stored metadata may be outdated.
  identity.invalidateCredentials('discovery');
  const late = AbortSignal.timeout(serverPatience);
  const fetchFn = (url: string | URL, init?: RequestInit) =>
    watchedFetch(ask, endpoint.url).fetch(url, { ...init, signal: init?.signal ?? late });
  try {
    const options = { serverUrl: endpoint.url, fetchFn, ...(await challenge(endpoint, fetchFn)) };
    const result = await auth(identity, { ...options, forceReauthorization: true });
    if (result === 'AUTHORIZED' || !address) {
      callback.close();
      return { refused: 'The server does not ask for a sign-in.' };
    }
    return {
      url: address.href,
      done: finish(callback, (code, iss) =>
        auth(identity, {
          serverUrl: endpoint.url,
          fetchFn: watchedFetch(ask, endpoint.url).fetch,
          authorizationCode: code,
          ...(iss === null ? {} : { iss }),
        }),
      ),
      cancel: () => callback.close(),
    };
  } catch (error) {
    callback.close();
    return { refused: `Signing in is not possible: ${errorText(error)}` };
  }
}

async function finish(
  callback: Callback,
  redeem: (code: string, iss: string | null) => Promise<unknown>,
): Promise<NotPossible | undefined> {
  const late = setTimeout(() => callback.close(), userPatience);
  try {
    const query = await callback.arrived;
    const code = query.get('code');
    if (code === null) return refusalIn(query);
    await redeem(code, query.get('iss'));
    return undefined;
  } catch (error) {
    return { refused: `Signing in did not work: ${errorText(error)}` };
  } finally {
    clearTimeout(late);
    callback.close();
  }
}
