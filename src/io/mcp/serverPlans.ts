// Lists the servers of a workspace from the settings and from clients, with references to the environment
// resolved. Starts nothing.
import type { ServerPlace, ServerView } from '../../host/tools/toolServers.ts';
import type { McpServerSettings, Settings } from '../../host/settings/settings.ts';
import type { ToolServer } from '../../host/workspace/workbench.ts';
import { expand } from '../settings/expand.ts';

export type Environment = { readonly [name: string]: string | undefined };

/** Everything that defines a server process or connection: workspaces with equal plans share one. */
export interface ServerPlan {
  readonly name: string;
  readonly roots: readonly string[];
  readonly endpoint: ServerEndpoint;
  readonly disabled: boolean;
  /** Why the server cannot be started. */
  readonly problem?: string;
}

export type ServerEndpoint =
  | {
      readonly type: 'process';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: { readonly [name: string]: string };
    }
  | {
      readonly type: 'http' | 'sse';
      readonly url: string;
      readonly headers: { readonly [name: string]: string };
      /** OAuth settings. */
      readonly clientId?: string;
      readonly clientSecret?: string;
      readonly clientName?: string;
      readonly callbackPort?: number;
      readonly scope?: string;
    }
  | Pick<Extract<ToolServer, { type: 'client' }>, 'type' | 'key' | 'open'>;

export type NetworkEndpoint = Extract<ServerEndpoint, { url: string }>;

/** Where references in settings are looked up. */
export interface References {
  readonly env: Environment;
  readonly stored?: ((name: string) => string | undefined) | undefined;
}

export function serverPlans(
  { roots, given }: ServerPlace,
  settings: Settings | undefined,
  references: References,
): readonly ServerPlan[] {
  const plans = new Map<string, ServerPlan>();
  for (const [name, server] of Object.entries(settings?.of(roots).mcpServers ?? {}))
    plans.set(name, planOf(name, server, { roots, ...references }));
  for (const server of given?.() ?? [])
    plans.set(server.name, { name: server.name, roots, endpoint: endpointOf(server), disabled: false });
  return [...plans.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * The servers of the settings for an agent that connects to them itself. Servers that cannot be
 * started are left out.
 */
export function configuredServers(
  roots: readonly string[],
  settings: Settings,
  references: References,
): readonly ToolServer[] {
  return serverPlans({ roots }, settings, references).flatMap(
    ({ name, endpoint, disabled, problem }): readonly ToolServer[] => {
      if (disabled || problem !== undefined || endpoint.type === 'client') return [];
      return endpoint.type === 'process'
        ? [{ name, ...endpoint }]
        : [{ type: endpoint.type, name, url: endpoint.url, headers: endpoint.headers }];
    },
  );
}

export function keyOf(plan: ServerPlan): string {
  return JSON.stringify(plan);
}

/** The public part of an endpoint: variables and headers may hold secrets. */
export function reachOf(endpoint: ServerEndpoint): ServerView['reach'] {
  if (endpoint.type === 'client') return { url: `client:${endpoint.key}` };
  return endpoint.type === 'process'
    ? { command: endpoint.command, args: endpoint.args }
    : { url: endpoint.url };
}

function endpointOf(server: ToolServer): ServerEndpoint {
  if (server.type === 'process')
    return { type: 'process', command: server.command, args: server.args, env: server.env };
  if (server.type === 'client') return { type: 'client', key: server.key, open: server.open };
  return { type: server.type, url: server.url, headers: server.headers };
}

function planOf(
  name: string,
  server: McpServerSettings,
  { roots, env, stored }: References & { readonly roots: readonly string[] },
): ServerPlan {
  const missing: string[] = [];
  const put = (text: string): string => {
    const value = expand(text, env, stored);
    if (value === undefined) missing.push(text);
    return value ?? text;
  };
  const all = (values: { readonly [name: string]: string } = {}) =>
    Object.fromEntries(Object.entries(values).map(([key, text]) => [key, put(text)]));
  const endpoint: ServerEndpoint =
    'command' in server
      ? {
          type: 'process',
          command: put(server.command),
          args: (server.args ?? []).map(put),
          env: all(server.env),
        }
      : { type: 'http', url: put(server.url), headers: all(server.headers), ...signInOf(server, put) };
  const problem =
    missing.length > 0
      ? { problem: `The settings refer to values that are not set: ${missing.join(', ')}.` }
      : {};
  return { name, roots, endpoint, disabled: server.disabled ?? false, ...problem };
}

function signInOf(
  { clientId, clientSecret, clientName, callbackPort, scope }: Extract<McpServerSettings, { url: string }>,
  put: (text: string) => string,
): Partial<Extract<ServerEndpoint, { url: string }>> {
  return {
    ...(clientId === undefined ? {} : { clientId }),
    ...(clientSecret === undefined ? {} : { clientSecret: put(clientSecret) }),
    ...(clientName === undefined ? {} : { clientName }),
    ...(callbackPort === undefined ? {} : { callbackPort }),
    ...(scope === undefined ? {} : { scope }),
  };
}
