// Which servers a workspace wants, out of the settings and what clients gave; with the environment put in. Starts nothing.
import type { ServerPlace, ServerView } from '../../host/tools/toolServers.ts';
import type { McpServerSettings, Settings } from '../../host/settings/settings.ts';
import type { ToolServer } from '../../host/workspace/workbench.ts';
import { expand } from '../settings/expand.ts';

export type Environment = { readonly [name: string]: string | undefined };

/** Everything that makes a server what it is: two places with the same plan share it. */
export interface Plan {
  readonly name: string;
  readonly roots: readonly string[];
  readonly way: Way;
  readonly disabled: boolean;
  /** Set where it cannot be started as it is written. */
  readonly problem?: string;
}

export type Way =
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
      /** How we sign in, where the settings say. */
      readonly clientId?: string;
      readonly clientSecret?: string;
      readonly clientName?: string;
      readonly callbackPort?: number;
      readonly scope?: string;
    }
  | Pick<Extract<ToolServer, { type: 'client' }>, 'type' | 'key' | 'open'>;

export type NetworkWay = Extract<Way, { url: string }>;

/** What settings may refer to. */
export interface References {
  readonly env: Environment;
  readonly stored?: ((name: string) => string | undefined) | undefined;
}

export function wantedServers(
  { roots, given }: ServerPlace,
  settings: Settings | undefined,
  references: References,
): readonly Plan[] {
  const plans = new Map<string, Plan>();
  for (const [name, server] of Object.entries(settings?.of(roots).mcpServers ?? {}))
    plans.set(name, planOf(name, server, { roots, ...references }));
  for (const server of given?.() ?? [])
    plans.set(server.name, { name: server.name, roots, way: wayOf(server), disabled: false });
  return [...plans.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** What the settings name, for whoever reaches servers without us; what cannot be started as it is written is left out. */
export function configuredServers(
  roots: readonly string[],
  settings: Settings,
  references: References,
): readonly ToolServer[] {
  return wantedServers({ roots }, settings, references).flatMap(
    ({ name, way, disabled, problem }): readonly ToolServer[] => {
      if (disabled || problem !== undefined || way.type === 'client') return [];
      return way.type === 'process'
        ? [{ name, ...way }]
        : [{ type: way.type, name, url: way.url, headers: way.headers }];
    },
  );
}

export function keyOf(plan: Plan): string {
  return JSON.stringify(plan);
}

/** What may be shown of the way to a server: variables and headers hold secrets. */
export function reachOf(way: Way): ServerView['reach'] {
  if (way.type === 'client') return { url: `client:${way.key}` };
  return way.type === 'process' ? { command: way.command, args: way.args } : { url: way.url };
}

function wayOf(server: ToolServer): Way {
  if (server.type === 'process')
    return { type: 'process', command: server.command, args: server.args, env: server.env };
  if (server.type === 'client') return { type: 'client', key: server.key, open: server.open };
  return { type: server.type, url: server.url, headers: server.headers };
}

function planOf(
  name: string,
  server: McpServerSettings,
  { roots, env, stored }: References & { readonly roots: readonly string[] },
): Plan {
  const missing: string[] = [];
  const put = (text: string): string => {
    const value = expand(text, env, stored);
    if (value === undefined) missing.push(text);
    return value ?? text;
  };
  const all = (values: { readonly [name: string]: string } = {}) =>
    Object.fromEntries(Object.entries(values).map(([key, text]) => [key, put(text)]));
  const way: Way =
    'command' in server
      ? {
          type: 'process',
          command: put(server.command),
          args: (server.args ?? []).map(put),
          env: all(server.env),
        }
      : { type: 'http', url: put(server.url), headers: all(server.headers), ...signInOf(server, put) };
  const problem =
    missing.length > 0 ? { problem: `Its settings name what is not there: ${missing.join(', ')}.` } : {};
  return { name, roots, way, disabled: server.disabled ?? false, ...problem };
}

function signInOf(
  { clientId, clientSecret, clientName, callbackPort, scope }: Extract<McpServerSettings, { url: string }>,
  put: (text: string) => string,
): Partial<Extract<Way, { url: string }>> {
  return {
    ...(clientId === undefined ? {} : { clientId }),
    ...(clientSecret === undefined ? {} : { clientSecret: put(clientSecret) }),
    ...(clientName === undefined ? {} : { clientName }),
    ...(callbackPort === undefined ? {} : { callbackPort }),
    ...(scope === undefined ? {} : { scope }),
  };
}
