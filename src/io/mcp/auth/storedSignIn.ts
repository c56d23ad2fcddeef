// Stored sign-ins to MCP servers, in the secret store. Each is stored under the server's URL, so that a token
// is never sent to another address.
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { Secrets } from '../../auth/secrets.ts';

export interface StoredSignIn {
  readonly client?: StoredOAuthClientInformation;
  /** The redirect URL that the client was registered with. */
  readonly redirect?: string;
  readonly tokens?: StoredOAuthTokens;
  readonly discovery?: OAuthDiscoveryState;
}

export function readSignIn(secrets: Secrets, url: string): StoredSignIn {
  try {
    const signIn: unknown = JSON.parse(secrets.get(nameOf(url)) ?? '{}');
    // Only we write this, and the library checks it again.
    return typeof signIn === 'object' && signIn !== null ? signIn : {};
  } catch {
    return {};
  }
}

export function writeSignIn(secrets: Secrets, url: string, signIn: StoredSignIn): void {
  secrets.set(nameOf(url), JSON.stringify(signIn));
}

/** True if a sign-in was stored. */
export function deleteSignIn(secrets: Secrets, url: string): boolean {
  return secrets.delete(nameOf(url));
}

export function isSignedIn(secrets: Secrets, url: string): boolean {
  return readSignIn(secrets, url).tokens !== undefined;
}

function nameOf(url: string): string {
  return `mcp:${url}`;
}
