// Reads a remote server's OAuth metadata: which resource it is, its authorization servers and its scopes.
import {
  checkResourceAllowed,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
} from '@modelcontextprotocol/client';
import type { SignInNeed } from '../../../host/tools/toolServers.ts';
import type { NetworkEndpoint } from '../serverPlans.ts';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Never throws: a server without metadata is identified by its URL. */
export async function protectedResource(
  endpoint: NetworkEndpoint,
  fetchFn: Fetch,
): Promise<Pick<SignInNeed, 'resource' | 'scopes'>> {
  try {
    const { scope, resourceMetadataUrl } = await challenge(endpoint, fetchFn);
    const scopes = scope === undefined ? {} : { scopes: scope.split(' ').filter((word) => word !== '') };
    const metadata = await discoverOAuthProtectedResourceMetadata(
      endpoint.url,
      resourceMetadataUrl ? { resourceMetadataUrl } : {},
      fetchFn,
    ).catch(() => undefined);
    // A server that claims another server's resource would receive that server's tokens.
    const isItself =
      metadata &&
      checkResourceAllowed({ requestedResource: endpoint.url, configuredResource: metadata.resource });
    return { resource: isItself ? resourceOf(metadata) : { resource: endpoint.url }, ...scopes };
  } catch {
    return { resource: { resource: endpoint.url } };
  }
}

/** The metadata URL and the scope that the server names when it refuses a request without a token. */
export async function challenge(
  { url, headers, scope }: NetworkEndpoint,
  fetchFn: Fetch,
): Promise<{ readonly scope?: string; readonly resourceMetadataUrl?: URL }> {
  const response = await fetchFn(url, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  await response.body?.cancel();
  const { resourceMetadataUrl, scope: wanted } = extractWWWAuthenticateParams(response);
  const asked = scope ?? wanted;
  return {
    ...(asked === undefined ? {} : { scope: asked }),
    ...(resourceMetadataUrl ? { resourceMetadataUrl } : {}),
  };
}

type Metadata = Awaited<ReturnType<typeof discoverOAuthProtectedResourceMetadata>>;

/** Only the fields that clients need to get a token. */
function resourceOf({
  resource,
  resource_name: name,
  authorization_servers: servers,
  scopes_supported: scopes,
  bearer_methods_supported: methods,
  resource_documentation: documentation,
}: Metadata): SignInNeed['resource'] {
  return {
    resource,
    ...(name === undefined ? {} : { name }),
    ...(servers === undefined ? {} : { authorizationServers: servers }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(methods === undefined ? {} : { bearerMethods: methods }),
    ...(documentation === undefined ? {} : { documentation }),
  };
}
