// Sign-ins that tool servers require, as AHP protected resources, and notifications when one is needed.
import type { LentToken, SignInNeed } from '../../../host/tools/toolServers.ts';
import { diff } from '../../../protocols/ahp/difference.ts';
import { present } from '../../../base/present.ts';
import type { ProtectedResourceMetadata } from '../../../protocols/ahp/v1_0/content.ts';
import type { ErrorName } from '../../../protocols/ahp/errors.ts';
import { ahpError } from '../errors.ts';

/** `wanted` means that a sign-in is required. */
export type SignInState = SignInNeed & { readonly wanted: boolean };

export interface SignIns {
  list(): readonly SignInState[];
  watch(changed: () => void): () => void;
  give(resource: string, token: LentToken): Promise<'unknown' | 'refused' | 'taken'>;
}

export interface SignInWatchOptions {
  readonly signIns: SignIns | undefined;
  /** Called when the protected resources of the agents have changed. */
  readonly changed: () => void;
  /** Called when a resource newly requires a sign-in. */
  readonly wanted: (need: SignInState) => void;
}

/** Follows what servers want for one client. */
export class SignInWatch {
  readonly #options: SignInWatchOptions;
  readonly #leave: () => void;
  #told: readonly SignInState[];

  constructor(options: SignInWatchOptions) {
    this.#options = options;
    this.#told = needsOf(options.signIns);
    this.#leave = options.signIns?.watch(() => this.#look()) ?? (() => {});
  }

  close(): void {
    this.#leave();
  }

  #look(): void {
    const before = new Map(this.#told.map((need) => [need.resource.resource, need]));
    const old = this.#told;
    this.#told = needsOf(this.#options.signIns);
    if (diff(old.map(advertised), this.#told.map(advertised)).length > 0) this.#options.changed();
    for (const need of this.#told)
      if (need.wanted && !before.get(need.resource.resource)?.wanted) this.#options.wanted(need);
  }
}

/**
 * The protected resources of agents that use these servers. The agents work without them, with fewer tools.
 */
export function resourcesOf(signIns: SignIns | undefined): readonly ProtectedResourceMetadata[] {
  return needsOf(signIns).map(advertised);
}

interface AuthenticateErrors {
  /** The answer for an unknown resource. */
  readonly unknown: ErrorName;
  /** The form of an error's data. */
  readonly data: (resources: readonly ProtectedResourceMetadata[]) => unknown;
}

/** The client's own word: what the servers of that resource make of the token decides. */
export async function authenticate(
  signIns: SignIns | undefined,
  { resource, token, expiresIn }: LentToken & { readonly resource: string },
  { unknown, data }: AuthenticateErrors,
): Promise<Record<string, never>> {
  if (token === '') throw ahpError('invalidParams', 'token: a token is needed');
  const verdict = await signIns?.give(resource, { token, expiresIn });
  if (verdict === undefined || verdict === 'unknown')
    throw ahpError(unknown, 'This host has advertised no such resource.', data([]));
  const resources = needsOf(signIns)
    .filter((need) => need.resource.resource === resource)
    .map((need) => metadata(need.resource));
  if (verdict === 'refused') throw ahpError('authRequired', 'The token was rejected.', data(resources));
  return {};
}

/** As defined in RFC 9728. */
export function metadata({
  resource,
  name,
  authorizationServers,
  scopes,
  bearerMethods,
  documentation,
}: SignInNeed['resource']): ProtectedResourceMetadata {
  return present({
    resource,
    resource_name: name,
    authorization_servers: authorizationServers,
    scopes_supported: scopes,
    bearer_methods_supported: bearerMethods,
    resource_documentation: documentation,
  });
}

function advertised({ resource }: SignInState): ProtectedResourceMetadata {
  return { ...metadata(resource), required: false };
}

/** Several servers may share one resource; it requires a sign-in if one of them does. */
function needsOf(signIns: SignIns | undefined): readonly SignInState[] {
  const needs = new Map<string, SignInState>();
  for (const need of signIns?.list() ?? []) {
    const known = needs.get(need.resource.resource);
    if (!known || (need.wanted && !known.wanted)) needs.set(need.resource.resource, need);
  }
  return [...needs.values()];
}
