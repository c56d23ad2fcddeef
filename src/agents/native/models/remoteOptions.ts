// What a remote model is made of: its provider, what is known about it, and the services it uses.
import type { Clock } from '../../../host/ports.ts';
import type { PriceTable } from './prices/prices.ts';
import type { ProviderAccess } from './providers/access.ts';
import type { Provider, WireName } from './providers/providers.ts';
import type { ModelFetch, Sign } from './wires/wire.ts';

export interface RemoteOptions {
  readonly provider: Provider;
  /** The provider's own name for the model. */
  readonly model: string;
  readonly facts?: ModelFacts;
  /** What the model's server reports now; undefined if it does not answer. */
  readonly serverFacts?: () => ServerFacts | undefined;
  /** Called for every request, so that a key that was set in the meantime is used. */
  readonly access: () => ProviderAccess;
  readonly fetch: ModelFetch;
  readonly clock: Clock;
  /** The current token of a sign-in. It replaces the key, and sometimes the address. */
  readonly renew?: RenewLogin | undefined;
  /** Signs requests to a provider that is used without a key. */
  readonly sign?: Sign | undefined;
  readonly priceTable?: PriceTable | undefined;
  /** How many milliseconds without a byte end a stream. */
  readonly idle?: (() => number | undefined) | undefined;
}

/** What our table or the vendor's list says about a model. */
export interface ModelFacts {
  readonly name?: string | undefined;
  readonly context?: number | undefined;
  readonly output?: number | undefined;
  /** The wire format, if it differs from the provider's other models. */
  readonly wire?: WireName | undefined;
}

export interface ServerFacts {
  readonly context?: number | undefined;
  readonly images?: boolean | undefined;
}

export type RenewLogin = (
  provider: string,
) => Promise<RenewedLogin | { readonly refused: string } | undefined>;

export interface RenewedLogin {
  readonly key: string;
  /** It is a token and not a key, and goes into the `authorization` header. */
  readonly bearer?: true;
  readonly url?: string;
  readonly headers?: { readonly [name: string]: string };
}
