// The MCP servers of a client's workspace as the ECA door lists and changes them, for as long as
// the client is connected.
import type { EcaMcpServers, PortRefusal } from '../../../doors/eca/options.ts';
import { present } from '../../../base/present.ts';
import type { OpenServers, ServerView, ServerWish } from '../../../host/tools/toolServers.ts';
import type { Content } from '../../../model/event.ts';
import { openBrowser } from '../../../io/processes/openBrowser.ts';
import type { App } from '../../app.ts';

type ServerInfo = ReturnType<EcaMcpServers['list']>[number];

/** How long a server may take for a prompt or a resource, in milliseconds. */
const requestTime = 60_000;
/** How long a changed server may take to start before the change is answered, in milliseconds. */
const restartTime = 8_000;

export function ecaServers({ extensions }: Pick<App, 'extensions'>): EcaMcpServers {
  const workspaces = openWorkspaces();
  const handleOf = (roots: readonly string[]) => workspaces.handleOf(roots);
  return {
    list: (roots) => handleOf(roots)?.list().map(serverInfo) ?? [],
    add: async (name, config, { root, roots }) => {
      const refused = extensions.editor.add(name, serverSettings(config), { roots, root });
      if (refused) return refused;
      const servers = handleOf(roots)?.list().map(serverInfo) ?? [];
      const server = servers.find((each) => each.name === name);
      if (!server) return unknownServer(name);
      return { ...server, tools: server.status === 'running' ? server.tools : null };
    },
    update: async (name, config, roots) => {
      const refused = extensions.editor.update(name, serverSettings(config), { roots });
      // The user wants to know whether the server works now.
      if (!refused) await handleOf(roots)?.settled(restartTime);
      return refused;
    },
    remove: async (name, roots) => extensions.editor.remove(name, { roots }),
    act: async (name, action, roots) => {
      const handle = handleOf(roots);
      const server = handle?.list().find((each) => each.name === name);
      if (!handle || !server) return unknownServer(name);
      switch (action) {
        case 'start':
          return void handle.start(name);
        case 'stop':
          return void handle.stop(name);
        case 'disable':
          return extensions.editor.update(name, { disabled: true }, { roots });
        case 'enable':
          return extensions.editor.update(name, { disabled: false }, { roots });
        case 'logout':
          return handle.signOut(name) ? undefined : { refused: `Not signed in to '${name}'.` };
        case 'connect':
          return server.status === 'requires-auth' ? signIn(name, handle) : void handle.start(name);
        default:
          return action satisfies never;
      }
    },
    prompt: async (request, roots) => readPrompt(request, handleOf(roots)),
    read: async (uri, roots) => readResource(uri, handleOf(roots)),
    watch(changed, roots) {
      const handle = extensions.servers.open({ roots });
      const forget = workspaces.add(roots, handle);
      const report = changeReporter(changed);
      report(handle.list());
      const stopWatching = extensions.servers.watch(() => report(handle.list()));
      return () => {
        stopWatching();
        handle.close();
        forget();
      };
    },
  };
}

/** The part of `App` that is needed here. */

/** The workspaces that clients watch, by their folders; every client adds its own handle. */
function openWorkspaces() {
  const open = new Map<string, Set<OpenServers>>();
  return {
    handleOf: (roots: readonly string[]): OpenServers | undefined =>
      open.get(JSON.stringify(roots))?.values().next().value,
    add(roots: readonly string[], handle: OpenServers): () => void {
      const key = JSON.stringify(roots);
      const handles = open.get(key) ?? new Set();
      open.set(key, handles.add(handle));
      return () => {
        handles.delete(handle);
        if (handles.size === 0) open.delete(key);
      };
    },
  };
}

async function readPrompt(
  request: Parameters<EcaMcpServers['prompt']>[0],
  handle: OpenServers | undefined,
): ReturnType<EcaMcpServers['prompt']> {
  if (!handle) return unknownServer(request.server);
  const messages = await handle.prompt({ ...request, signal: AbortSignal.timeout(requestTime) });
  return 'refused' in messages ? messages : { text: textOf(messages.map(({ content }) => content)) };
}

async function readResource(uri: string, handle: OpenServers | undefined): ReturnType<EcaMcpServers['read']> {
  const server = handle?.list().find(({ resources }) => resources.some((resource) => resource.uri === uri));
  if (!handle || !server) return { refused: `No MCP server offers ${uri}` };
  const contents = await handle.read({ server: server.name, uri, signal: AbortSignal.timeout(requestTime) });
  return 'refused' in contents ? contents : { text: textOf(contents) };
}

/** Opens the user's browser, and returns the address for clients without one. */
async function signIn(name: string, handle: OpenServers): Promise<PortRefusal | { readonly visit: string }> {
  const started = await handle.signIn(name);
  if ('refused' in started) return started;
  openBrowser(started.url);
  return { visit: started.url };
}

function serverSettings({
  oauthPort: callbackPort,
  authScope: scope,
  ...config
}: Parameters<EcaMcpServers['update']>[1]): ServerWish {
  return { ...config, callbackPort, scope };
}

function textOf(contents: readonly Content[]): string {
  return contents.flatMap(contentText).join('\n');
}

function contentText(content: Content): readonly string[] {
  if (content.type === 'text') return [content.text];
  return content.type === 'link' ? [content.uri] : [];
}

function unknownServer(name: string): PortRefusal {
  return { refused: `MCP server '${name}' does not exist` };
}

/**
 * Reports every server that differs from its last report. A running server is reported as stopped
 * before any other state.
 */
function changeReporter(
  changed: Parameters<EcaMcpServers['watch']>[0],
): (views: readonly ServerView[]) => void {
  const reported = new Map<string, ServerInfo>();
  const reportStop = (name: string, next: ServerInfo['status'] | undefined) => {
    const last = reported.get(name);
    if (last?.status !== 'running' || next === 'running' || next === 'failed' || next === 'requires-auth')
      return;
    changed({ ...last, status: 'stopping' });
    if (next !== 'stopped') changed({ ...last, status: 'stopped' });
  };
  return (views) => {
    for (const view of views.map(serverInfo)) {
      const last = reported.get(view.name);
      if (JSON.stringify(last) === JSON.stringify(view)) continue;
      reportStop(view.name, view.status);
      // A stopped server keeps the tools of its last report.
      changed(
        view.status === 'stopped' && last?.status === 'running' ? { ...last, status: 'stopped' } : view,
      );
      reported.set(view.name, view);
    }
    for (const name of [...reported.keys()]) {
      if (views.some((view) => view.name === name)) continue;
      reportStop(name, undefined);
      reported.delete(name);
      changed({ removed: name });
    }
  };
}

function serverInfo({
  name,
  status,
  reach,
  tools,
  prompts,
  resources,
  instructions,
  signedIn,
}: ServerView): ServerInfo {
  const isRunning = status === 'running';
  return {
    name,
    status,
    disabled: status === 'disabled',
    hasAuth: signedIn ?? false,
    instructions: instructions ?? null,
    command: 'command' in reach ? reach.command : null,
    args: 'command' in reach ? reach.args : null,
    url: 'url' in reach ? reach.url : null,
    tools: isRunning
      ? tools.map((tool) => ({
          name: tool.name,
          description: tool.description,
          parameters: tool.parameters,
          disabled: tool.disabled ?? false,
        }))
      : [],
    prompts: isRunning ? prompts : null,
    resources: isRunning
      ? resources.map(({ mediaType, ...resource }) => ({
          ...resource,
          ...present({ mimeType: mediaType }),
        }))
      : null,
  };
}
