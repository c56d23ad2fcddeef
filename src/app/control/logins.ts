// The model providers as the console shows them, and signing in to one: what comes next, what was filled in, and how it ended elsewhere.
import * as z from 'zod';
import type { LoginStep, Logins } from '../../host/settings/providerLogins.ts';
import type { NotPossible } from '../../host/tools/toolServers.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import { done, name, readParams } from './readParams.ts';
import { offered } from '../app.ts';
import type { ControlMethod } from './sessions.ts';

const patience = 1_000;

type Ending = Promise<NotPossible | undefined>;

const provider = z.object({ provider: name });

export function loginMethods(env: NodeJS.ProcessEnv): { readonly [name: string]: ControlMethod } {
  /** The sign-ins that somebody has begun and that end in a browser or on a phone. */
  const begun = new Map<string, Ending>();
  return {
    /** What there is to find is found in a moment or not told at all. */
    'providers/look': async () => {
      await Promise.race([
        offered()?.models.look(),
        new Promise((resolve) => {
          setTimeout(resolve, patience).unref();
        }),
      ]);
      return null;
    },
    'providers/list': async () =>
      (await import('../ports/eca/eca.ts')).providersOf(env, dataPaths(env).secrets).list(),
    'providers/login': async (params) => {
      const { provider: id, way } = readParams(provider.extend({ way: name.optional() }), params);
      const step = await logins().begin(id, way);
      if ('done' in step) begun.set(id, step.done);
      return done('refused' in step ? step : shown(step));
    },
    /** Answers when the sign-in has worked, or with the reason why it has not. */
    'providers/wait': async (params) => {
      const ending = begun.get(readParams(provider, params).provider);
      return done(ending ? await ending : { refused: 'Nobody has begun to sign in there.' });
    },
    'providers/input': async (params) => {
      const { provider: id, data } = readParams(
        provider.extend({ data: z.record(name, z.string().max(10_000)) }),
        params,
      );
      return done(await logins().answer(id, data));
    },
    'providers/logout': (params) => {
      const { provider: id } = readParams(provider, params);
      return done(logins().forget(id) ? undefined : { refused: `Nobody is signed in to ${id}.` });
    },
  };
}

function logins(): Logins {
  const found = offered()?.models.logins;
  if (!found) throw new RpcError(rpcCodes.invalidRequest, 'This host has no models.');
  return found;
}

/** Without the promise, which only the host can keep. */
function shown(step: LoginStep) {
  if (!('done' in step)) return step;
  return step.kind === 'device'
    ? { kind: step.kind, url: step.url, code: step.code }
    : { kind: step.kind, url: step.url };
}
