// What is kept of a sign-in to a server, among the other secrets. A token never goes to another address than the one it was given for, so that is what it is found by.
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { Secrets } from '../auth/secrets.ts';

export interface Kept {
  readonly client?: StoredOAuthClientInformation;
  /** Where the browser came back to when we were registered. */
  readonly redirect?: string;
  readonly tokens?: StoredOAuthTokens;
  readonly discovery?: OAuthDiscoveryState;
}

export function keptFor(secrets: Secrets, url: string): Kept {
  try {
    const kept: unknown = JSON.parse(secrets.get(nameOf(url)) ?? '{}');
    // Written by ourselves, and the library checks what it is given.
    return typeof kept === 'object' && kept !== null ? kept : {};
  } catch {
    return {};
  }
}

export function keep(secrets: Secrets, url: string, kept: Kept): void {
  secrets.set(nameOf(url), JSON.stringify(kept));
}

/** Whether there was anything. */
export function forget(secrets: Secrets, url: string): boolean {
  return secrets.delete(nameOf(url));
}

export function isSignedIn(secrets: Secrets, url: string): boolean {
  return keptFor(secrets, url).tokens !== undefined;
}

function nameOf(url: string): string {
  return `mcp:${url}`;
}
