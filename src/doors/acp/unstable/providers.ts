// providers/list, set and disable: endpoints for model providers that apply while the client is connected.
import { disableProviderParams, setProviderParams } from '../../../protocols/acp/v1/unstableSchema.ts';
import { noParams } from '../../../protocols/acp/v1/agentSchema.ts';
import { call } from '../inbound/readParams.ts';
import type { Caller, Feature } from '../inbound/readParams.ts';
import { invalidParams } from '../errors.ts';

/** The endpoints of model providers. Headers contain secrets, so they are never sent back. */
export interface ProviderEndpoints {
  list(): readonly {
    readonly provider: string;
    readonly apis: readonly string[];
    readonly current?: { readonly api: string; readonly url: string };
  }[];
  /** An error message, or undefined on success. */
  set(
    provider: string,
    route: {
      readonly api: string;
      readonly url: string;
      readonly headers: { readonly [name: string]: string };
    },
    owner: string,
  ): string | undefined;
  disable(provider: string, owner: string): void;
  release(owner: string): void;
}

export const providerMethods: Feature = [
  [
    'providers/list',
    call(noParams, ({ options: { routes } }) => ({
      providers: (routes?.list() ?? []).map(({ provider, apis, current }) => ({
        providerId: provider,
        supported: apis,
        required: false,
        current: current ? { apiType: current.api, baseUrl: current.url } : null,
      })),
    })),
  ],
  [
    'providers/set',
    call(setProviderParams, (caller, { providerId, apiType, baseUrl, headers }) => {
      const refused = routesOf(caller).set(
        providerId,
        { api: apiType, url: baseUrl, headers: headers ?? {} },
        caller.connection.id,
      );
      if (refused !== undefined) throw invalidParams(refused);
      return {};
    }),
  ],
  [
    'providers/disable',
    call(disableProviderParams, (caller, { providerId }) => {
      routesOf(caller).disable(providerId, caller.connection.id);
      return {};
    }),
  ],
];

function routesOf({ connection, options: { routes } }: Caller): ProviderEndpoints {
  if (!routes) throw invalidParams('Providers cannot be set here.');
  connection.startOnce('providers', () => () => routes.release(connection.id));
  return routes;
}
