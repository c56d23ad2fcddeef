// The model providers for the console, and the steps of signing in to one.
import * as z from 'zod';
import type { LoginStep } from '../../host/settings/providerLogins.ts';
import type { NotPossible } from '../../host/ports.ts';
import { controlDone, name, readParams } from './readParams.ts';
import type { App } from '../app.ts';
import type { ControlMethod } from './sessions.ts';

/** How long a search for local model servers may hold up the answer, in milliseconds. */
const searchTime = 1_000;

type Ending = Promise<NotPossible | undefined>;

const provider = z.object({ provider: name });

export function loginMethods(app: App): { readonly [name: string]: ControlMethod } {
  const { logins } = app.models;
  /** Sign-ins that were started here and end in a browser or on a phone. */
  const started = new Map<string, Ending>();
  return {
    'providers/look': async () => {
      await Promise.race([
        app.models.look(),
        new Promise((resolve) => {
          setTimeout(resolve, searchTime).unref();
        }),
      ]);
      return null;
    },
    'providers/list': async () => (await import('../ports/eca/providers.ts')).ecaProviders(app).list(),
    'providers/login': async (params) => {
      const { provider: id, way } = readParams(provider.extend({ way: name.optional() }), params);
      const step = await logins.begin(id, way);
      if ('done' in step) started.set(id, step.done);
      return controlDone('refused' in step ? step : withoutPromise(step));
    },
    /** Answers when the sign-in has succeeded, or with the reason why it failed. */
    'providers/wait': async (params) => {
      const ending = started.get(readParams(provider, params).provider);
      return controlDone(ending ? await ending : { refused: 'No sign-in is in progress.' });
    },
    'providers/input': async (params) => {
      const { provider: id, data } = readParams(
        provider.extend({ data: z.record(name, z.string().max(10_000)) }),
        params,
      );
      return controlDone(await logins.answer(id, data));
    },
    'providers/logout': (params) => {
      const { provider: id } = readParams(provider, params);
      return controlDone(logins.forget(id) ? undefined : { refused: `Not signed in to ${id}.` });
    },
  };
}

/** The step as JSON. */
function withoutPromise(step: LoginStep) {
  if (!('done' in step)) return step;
  return step.kind === 'device'
    ? { kind: step.kind, url: step.url, code: step.code }
    : { kind: step.kind, url: step.url };
}
