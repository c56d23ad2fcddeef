// What a server on the network says to a stranger: which resource it is, who vouches for people there, and what to ask permission for.
import {
  checkResourceAllowed,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
} from '@modelcontextprotocol/client';
import type { SignInNeed } from '../../host/tools/toolServers.ts';
import type { NetworkWay } from './wanted.ts';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Never throws: a server that says nothing about itself is known by its address. */
export async function protectedResource(
  way: NetworkWay,
  fetchFn: Fetch,
): Promise<Pick<SignInNeed, 'resource' | 'scopes'>> {
  try {
    const { scope, resourceMetadataUrl } = await challenge(way, fetchFn);
    const scopes = scope === undefined ? {} : { scopes: scope.split(' ').filter((word) => word !== '') };
    const said = await discoverOAuthProtectedResourceMetadata(
      way.url,
      resourceMetadataUrl ? { resourceMetadataUrl } : {},
      fetchFn,
    ).catch(() => undefined);
    // A server that calls itself by somebody else's name would be given that one's tokens.
    const isItself =
      said && checkResourceAllowed({ requestedResource: way.url, configuredResource: said.resource });
    return { resource: isItself ? known(said) : { resource: way.url }, ...scopes };
  } catch {
    return { resource: { resource: way.url } };
  }
}

/** Where the rules of a server are, and which permission it wants. */
export async function challenge(
  { url, headers, scope }: NetworkWay,
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

type Said = Awaited<ReturnType<typeof discoverOAuthProtectedResourceMetadata>>;

/** Only what clients need to get a token. */
function known({
  resource,
  resource_name: name,
  authorization_servers: servers,
  scopes_supported: scopes,
  bearer_methods_supported: methods,
  resource_documentation: documentation,
}: Said): SignInNeed['resource'] {
  return {
    resource,
    ...(name === undefined ? {} : { name }),
    ...(servers === undefined ? {} : { authorizationServers: servers }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(methods === undefined ? {} : { bearerMethods: methods }),
    ...(documentation === undefined ? {} : { documentation }),
  };
}
