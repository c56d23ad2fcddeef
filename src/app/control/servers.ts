// The tool servers of the user's settings, for the console to list and change. They run while
// the console shows them.
import * as z from 'zod';
import { present } from '../../base/present.ts';
import type { OpenServers, ServerEditor, ServerView } from '../../host/tools/toolServers.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import { controlDone, name, readParams } from './readParams.ts';
import type { App } from '../app.ts';
import type { ControlMethod } from './sessions.ts';

/** How long servers keep running after the console's last request, in milliseconds. */
const keepRunning = 30_000;

const actions = ['start', 'stop', 'restart', 'signIn', 'signOut', 'disable', 'enable'] as const;

const newServer = z.object({
  server: name,
  command: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  url: z.url({ protocol: /^https?$/ }).optional(),
});

export function serverMethods(app: App): { readonly [name: string]: ControlMethod } {
  const servers = openWhileUsed(app);
  const { editor } = app.extensions;
  return {
    'mcp/list': () => servers().list().map(serverRow),
    'mcp/act': async (params) => {
      const { server, action } = readParams(z.object({ server: name, action: z.enum(actions) }), params);
      return controlDone(await act(action, server, { servers: servers(), editor }));
    },
    'mcp/add': (params) => {
      const { server, ...way } = readParams(newServer, params);
      if ((way.command === undefined) === (way.url === undefined))
        throw new RpcError(rpcCodes.invalidParams, 'Give either a command or a URL.');
      return controlDone(editor.add(server, way, { roots: [] }));
    },
    'mcp/remove': (params) =>
      controlDone(editor.remove(readParams(z.object({ server: name }), params).server, { roots: [] })),
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
    reach: 'url' in way ? way.url : [way.command, ...way.args].join(' '),
    tools:
      status === 'running' ? tools.map((tool) => ({ name: tool.name, description: tool.description })) : [],
  };
}
