// Signs in to one server on the network: finds out where, sends the user there with a proof of our own, and waits for the browser to come back.
import { errorText } from '../../base/errorText.ts';
import { randomBytes } from 'node:crypto';
import { auth } from '@modelcontextprotocol/client';
import type { SignIn } from '../../host/tools/toolServers.ts';
import type { NotPossible } from '../../host/ports.ts';
import { awaitCallback } from '../http/oauthCallback.ts';
import type { Callback } from '../http/oauthCallback.ts';
import type { Secrets } from '../auth/secrets.ts';
import { challenge } from './resource.ts';
import { Identity } from './tokens.ts';
import type { NetworkWay } from './wanted.ts';
import { watchedFetch } from './watchedFetch.ts';

/** How long a user may take, in milliseconds. */
const userPatience = 600_000;
const serverPatience = 15_000;

export async function beginSignIn(
  way: NetworkWay,
  secrets: Secrets,
  ask: typeof fetch,
): Promise<SignIn | NotPossible> {
  const state = randomBytes(24).toString('base64url');
  let callback: Callback;
  try {
    callback = await awaitCallback({ port: way.callbackPort, state });
  } catch (error) {
    return { refused: `Nobody can come back on port ${way.callbackPort}: ${errorText(error)}` };
  }
  let address: URL | undefined;
  const identity = new Identity({
    way,
    secrets,
    redirect: callback.url,
    state,
    visit: (url) => (address = url),
  });
  // What was found out before may be what is wrong.
  identity.invalidateCredentials('discovery');
  const late = AbortSignal.timeout(serverPatience);
  const fetchFn = (url: string | URL, init?: RequestInit) =>
    watchedFetch(ask).fetch(url, { ...init, signal: init?.signal ?? late });
  try {
    const options = { serverUrl: way.url, fetchFn, ...(await challenge(way, fetchFn)) };
    const result = await auth(identity, { ...options, forceReauthorization: true });
    if (result === 'AUTHORIZED' || !address) {
      callback.close();
      return { refused: 'There is nothing to sign in to.' };
    }
    return {
      url: address.href,
      done: finish(callback, (code, iss) =>
        auth(identity, {
          serverUrl: way.url,
          fetchFn: watchedFetch(ask).fetch,
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
    const brought = await callback.arrived;
    const code = brought.get('code');
    if (code === null)
      return {
        refused: `Signing in was refused: ${brought.get('error_description') ?? brought.get('error') ?? 'no reason was given'}.`,
      };
    await redeem(code, brought.get('iss'));
    return undefined;
  } catch (error) {
    return { refused: `Signing in did not work: ${errorText(error)}` };
  } finally {
    clearTimeout(late);
    callback.close();
  }
}
