// The tool servers of the user's settings, for the console to list and change. They run while
// the console shows them.
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { present } from '../../base/present.ts';
import { serverNameProblem } from '../../host/tools/serverNames.ts';
import type { OpenServers, ServerEditor, ServerView } from '../../host/tools/toolServers.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import type { SourcedValue } from '../../io/settings/merge.ts';
import { controlDone, name, readParams } from './readParams.ts';
import { hiddenText, hideSecret } from './settingsView.ts';
import type { App } from '../app.ts';
import type { ControlMethod } from './sessions.ts';

/** How long servers keep running after the console's last request, in milliseconds. */
const keepRunning = 30_000;

const actions = ['start', 'stop', 'restart', 'signIn', 'signOut', 'disable', 'enable'] as const;

const namedTexts = z.record(z.string().min(1).max(200), z.string().max(10_000)).optional();

const serverFields = z.object({
  server: name,
  command: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  env: namedTexts,
  url: z.url({ protocol: /^https?$/ }).optional(),
  headers: namedTexts,
});

export function serverMethods(app: App): { readonly [name: string]: ControlMethod } {
  const servers = openWhileUsed(app);
  const { editor } = app.extensions;
  return {
    'mcp/list': () => {
      const written = app.settings.sourced([]).map(hideSecret);
      return servers()
        .list()
        .map((view) => ({ ...serverRow(view), ...writtenFields(view.name, written) }));
    },
    'mcp/act': async (params) => {
      const { server, action } = readParams(z.object({ server: name, action: z.enum(actions) }), params);
      return controlDone(await act(action, server, { servers: servers(), editor }));
    },
    'mcp/add': (params) => {
      const { server, ...way } = readParams(serverFields, params);
      const problem = serverNameProblem(server);
      if (problem !== undefined) return controlDone({ refused: problem });
      return controlDone(editor.add(server, oneWay(way), { roots: [] }));
    },
    /** Values that are shown as hidden stay what they are. */
    'mcp/update': (params) => {
      const { server, env, headers, ...way } = readParams(serverFields, params);
      const written = app.settings.sourced([]);
      const kept = (field: 'env' | 'headers', values: typeof env) =>
        values && withHidden(values, (key) => textAt(written, `mcpServers.${server}.${field}.${key}`));
      const wish = {
        ...oneWay(way),
        ...present({ env: kept('env', env), headers: kept('headers', headers) }),
      };
      return controlDone(editor.update(server, wish, { roots: [] }));
    },
    'mcp/test': (params, signal) =>
      testServer(readParams(z.object({ server: name }), params).server, { servers: servers(), signal }),
    'mcp/remove': (params) =>
      controlDone(editor.remove(readParams(z.object({ server: name }), params).server, { roots: [] })),
  };
}

function oneWay<Way extends { command?: string | undefined; url?: string | undefined }>(way: Way): Way {
  if ((way.command === undefined) === (way.url === undefined))
    throw new RpcError(rpcCodes.invalidParams, 'Give either a command or a URL.');
  return way;
}

function withHidden(
  values: { readonly [name: string]: string },
  textOf: (key: string) => string | undefined,
): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      value === hiddenText ? (textOf(key) ?? value) : value,
    ]),
  );
}

function textAt(written: readonly SourcedValue[], key: string): string | undefined {
  const found = written.find((each) => each.key === key)?.value;
  return typeof found === 'string' ? found : undefined;
}

/** The environment and headers as the settings have them, and the file that names the server. */
function writtenFields(server: string, written: readonly SourcedValue[]) {
  const named = (field: string) => {
    const prefix = `mcpServers.${server}.${field}.`;
    return Object.fromEntries(
      written.flatMap(({ key, value }) =>
        key.startsWith(prefix) ? [[key.slice(prefix.length), String(value)]] : [],
      ),
    );
  };
  const source = written.find(({ key }) =>
    [`mcpServers.${server}.command`, `mcpServers.${server}.url`].includes(key),
  )?.source;
  return { env: named('env'), headers: named('headers'), ...present({ source }) };
}

/** How long a server may take to start, and how often its status is read, in milliseconds. */
const testLimit = 60_000;
const testInterval = 50;

async function testServer(
  server: string,
  { servers, signal }: { readonly servers: OpenServers; readonly signal: AbortSignal },
) {
  const look = () => servers.list().find((each) => each.name === server);
  if (!look()) throw new RpcError(rpcCodes.invalidParams, `Unknown server "${server}".`);
  if (look()?.status === 'disabled') return { problem: 'The server is disabled.' };
  const began = performance.now();
  servers.stop(server);
  servers.start(server);
  while (['starting', 'stopped'].includes(look()?.status ?? '') && !signal.aborted) {
    if (performance.now() - began > testLimit) return { problem: 'The server did not start in time.' };
    await sleep(testInterval, undefined, { signal }).catch(() => {});
  }
  const { status, problem, tools = [] } = look() ?? {};
  if (status === 'running') return { startMs: Math.round(performance.now() - began), tools: tools.length };
  return {
    problem: problem ?? (status === 'requires-auth' ? 'The server needs a sign-in.' : 'It did not start.'),
  };
}

function openWhileUsed({ extensions }: App): () => OpenServers {
  let open: OpenServers | undefined;
  let timer: NodeJS.Timeout | undefined;
  return () => {
    open ??= extensions.servers.open({ roots: [] });
    clearTimeout(timer);
    timer = setTimeout(() => {
      open?.close();
      open = undefined;
    }, keepRunning).unref();
    return open;
  };
}

async function act(
  action: (typeof actions)[number],
  server: string,
  { servers, editor }: { readonly servers: OpenServers; readonly editor: ServerEditor },
) {
  if (!servers.list().some((each) => each.name === server)) return { refused: `Unknown server "${server}".` };
  switch (action) {
    case 'start':
      return void servers.start(server);
    case 'stop':
      return void servers.stop(server);
    case 'restart':
      servers.stop(server);
      return void servers.start(server);
    case 'disable':
      return editor.update(server, { disabled: true }, { roots: [] });
    case 'enable':
      return editor.update(server, { disabled: false }, { roots: [] });
    case 'signOut':
      return servers.signOut(server) ? undefined : { refused: `Not signed in to ${server}.` };
    case 'signIn': {
      const signIn = await servers.signIn(server);
      return 'refused' in signIn ? signIn : { visit: signIn.url };
    }
    default:
      return action satisfies never;
  }
}

function serverRow({ name: server, status, problem, reach: way, tools, signedIn }: ServerView) {
  return {
    name: server,
    status,
    signedIn: signedIn ?? false,
    ...present({ problem }),
    reach: 'url' in way ? { url: way.url } : { command: way.command, args: way.args },
    tools:
      status === 'running' ? tools.map((tool) => ({ name: tool.name, description: tool.description })) : [],
  };
}
