// The tool servers of the user's settings, as the console shows and changes them. They run while somebody looks.
import * as z from 'zod';
import type { OpenServers, ServerView } from '../../host/tools/toolServers.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import { done, name, readParams } from './readParams.ts';
import { offered } from '../app.ts';
import type { ControlMethod } from './sessions.ts';

/** How long servers go on running after nobody has looked at them, in milliseconds. */
const lookedAway = 30_000;

const actions = ['start', 'stop', 'restart', 'signIn', 'signOut', 'disable', 'enable'] as const;

const reach = z.object({
  server: name,
  command: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  url: z.url({ protocol: /^https?$/ }).optional(),
});

export function serverMethods(): { readonly [name: string]: ControlMethod } {
  const servers = watched();
  return {
    'mcp/list': () => servers().list().map(shown),
    'mcp/act': async (params) => {
      const { server, action } = readParams(z.object({ server: name, action: z.enum(actions) }), params);
      return done(await act(servers(), server, action));
    },
    'mcp/add': (params) => {
      const { server, ...way } = readParams(reach, params);
      if ((way.command === undefined) === (way.url === undefined))
        throw new RpcError(rpcCodes.invalidParams, 'A server is either a program or an address.');
      return done(offered()?.serverEditor.add(server, way, { roots: [] }));
    },
    'mcp/remove': (params) =>
      done(
        offered()?.serverEditor.remove(readParams(z.object({ server: name }), params).server, { roots: [] }),
      ),
  };
}

function watched(): () => OpenServers {
  let open: OpenServers | undefined;
  let timer: NodeJS.Timeout | undefined;
  return () => {
    open ??= offered()?.toolServers.open({ roots: [] });
    if (!open) throw new RpcError(rpcCodes.invalidRequest, 'This host keeps no tool servers.');
    clearTimeout(timer);
    timer = setTimeout(() => {
      open?.close();
      open = undefined;
    }, lookedAway).unref();
    return open;
  };
}

async function act(servers: OpenServers, server: string, action: (typeof actions)[number]) {
  if (!servers.list().some((each) => each.name === server))
    return { refused: `There is no server ${server}.` };
  const editor = offered()?.serverEditor;
  switch (action) {
    case 'start':
      return void servers.start(server);
    case 'stop':
      return void servers.stop(server);
    case 'restart':
      servers.stop(server);
      return void servers.start(server);
    case 'disable':
      return editor?.update(server, { disabled: true }, { roots: [] });
    case 'enable':
      return editor?.update(server, { disabled: false }, { roots: [] });
    case 'signOut':
      return servers.signOut(server) ? undefined : { refused: `Nobody is signed in to ${server}.` };
    case 'signIn': {
      const begun = await servers.signIn(server);
      return 'refused' in begun ? begun : { visit: begun.url };
    }
    default:
      return action satisfies never;
  }
}

function shown({ name: server, status, problem, reach: way, tools, signedIn }: ServerView) {
  return {
    name: server,
    status,
    signedIn: signedIn ?? false,
    ...(problem === undefined ? {} : { problem }),
    reach: 'url' in way ? way.url : [way.command, ...way.args].join(' '),
    tools:
      status === 'running' ? tools.map((tool) => ({ name: tool.name, description: tool.description })) : [],
  };
}
