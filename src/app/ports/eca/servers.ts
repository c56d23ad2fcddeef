// The servers of tools as the ECA door shows them: those of the client's workspace, for as long as it is there.
import type { McpServers, Refusal } from '../../../doors/eca/options.ts';
import type { OpenServers, ServerEditor, ServerView, ServerWish } from '../../../host/tools/toolServers.ts';
import type { Content } from '../../../model/event.ts';
import { openBrowser } from '../../../cli/openBrowser.ts';
import { offered } from '../../app.ts';

type Shown = ReturnType<McpServers['list']>[number];

/** The workspaces that clients look at, by their folders; each client holds its own. */
const open = new Map<string, Set<OpenServers>>();

export const ecaServers: McpServers = {
  list: (roots) => handleOf(roots)?.list().map(shown) ?? [],
  add: async (name, config, { root, roots }) => {
    const refused = editor()?.add(name, wishOf(config), { roots, root }) ?? undefined;
    const server = handleOf(roots)
      ?.list()
      .map(shown)
      .find((each) => each.name === name);
    return (
      refused ??
      (server ? { ...server, tools: server.status === 'running' ? server.tools : null } : unknown(name))
    );
  },
  update: async (name, config, roots) => {
    const refused = editor() ? editor()?.update(name, wishOf(config), { roots }) : unknown(name);
    // Whoever changed it wants to know whether it works now.
    if (!refused) await handleOf(roots)?.settled(brief);
    return refused;
  },
  remove: async (name, roots) => (editor() ? editor()?.remove(name, { roots }) : unknown(name)),
  act: async (name, action, roots) => {
    const handle = handleOf(roots);
    const server = handle?.list().find((each) => each.name === name);
    if (!handle || !server) return unknown(name);
    switch (action) {
      case 'start':
        return void handle.start(name);
      case 'stop':
        return void handle.stop(name);
      case 'disable':
        return editor()?.update(name, { disabled: true }, { roots });
      case 'enable':
        return editor()?.update(name, { disabled: false }, { roots });
      case 'logout':
        return handle.signOut(name) ? undefined : { refused: `Nobody is signed in to '${name}'.` };
      case 'connect':
        return server.status === 'requires-auth' ? signIn(name, handle) : void handle.start(name);
      default:
        return action satisfies never;
    }
  },
  prompt: async (wish, roots) => {
    const messages =
      (await handleOf(roots)?.prompt({ ...wish, signal: AbortSignal.timeout(patience) })) ??
      unknown(wish.server);
    return 'refused' in messages ? messages : { text: textOf(messages.map(({ content }) => content)) };
  },
  read: async (uri, roots) => {
    const handle = handleOf(roots);
    const server = handle?.list().find(({ resources }) => resources.some((resource) => resource.uri === uri));
    const contents = (server &&
      (await handle?.read({ server: server.name, uri, signal: AbortSignal.timeout(patience) }))) ?? {
      refused: `No MCP server offers ${uri}`,
    };
    return 'refused' in contents ? contents : { text: textOf(contents) };
  },
  watch(changed, roots) {
    const pool = offered()?.toolServers;
    if (!pool) return () => {};
    const handle = pool.open({ roots });
    const key = JSON.stringify(roots);
    const held = open.get(key) ?? new Set();
    open.set(key, held.add(handle));
    const tell = teller(changed);
    tell(handle.list());
    const leave = pool.watch(() => tell(handle.list()));
    return () => {
      leave();
      handle.close();
      held.delete(handle);
      if (held.size === 0) open.delete(key);
    };
  },
};

/** How long a server may take for a prompt or a resource, and how long a change of it waits for its start, in milliseconds. */
const patience = 60_000;
const brief = 8_000;

function editor(): ServerEditor | undefined {
  return offered()?.serverEditor;
}

/** The browser is opened where there is one; the address is told in any case. */
async function signIn(name: string, handle: OpenServers): Promise<Refusal | { readonly visit: string }> {
  const begun = await handle.signIn(name);
  if ('refused' in begun) return begun;
  openBrowser(begun.url);
  return { visit: begun.url };
}

function wishOf({
  oauthPort: callbackPort,
  authScope: scope,
  ...config
}: Parameters<McpServers['update']>[1]): ServerWish {
  return { ...config, callbackPort, scope };
}

function textOf(contents: readonly Content[]): string {
  return contents
    .flatMap((content) =>
      content.type === 'text' ? [content.text] : content.type === 'link' ? [content.uri] : [],
    )
    .join('\n');
}

function unknown(name: string): Refusal {
  return { refused: `MCP server '${name}' does not exist` };
}

function handleOf(roots: readonly string[]): OpenServers | undefined {
  return open.get(JSON.stringify(roots))?.values().next().value;
}

/** Tells of every server that is not as it was told last. One that ran is seen to stop before it is anything else. */
function teller(changed: Parameters<McpServers['watch']>[0]): (views: readonly ServerView[]) => void {
  const told = new Map<string, Shown>();
  const stops = (name: string, next: Shown['status'] | undefined) => {
    const last = told.get(name);
    if (last?.status !== 'running' || next === 'running' || next === 'failed' || next === 'requires-auth')
      return;
    changed({ ...last, status: 'stopping' });
    if (next !== 'stopped') changed({ ...last, status: 'stopped' });
  };
  return (views) => {
    for (const view of views.map(shown)) {
      const last = told.get(view.name);
      if (JSON.stringify(last) === JSON.stringify(view)) continue;
      stops(view.name, view.status);
      // What it offered is still known of one that was stopped.
      changed(
        view.status === 'stopped' && last?.status === 'running' ? { ...last, status: 'stopped' } : view,
      );
      told.set(view.name, view);
    }
    for (const name of [...told.keys()]) {
      if (views.some((view) => view.name === name)) continue;
      stops(name, undefined);
      told.delete(name);
      changed({ removed: name });
    }
  };
}

function shown({
  name,
  status,
  reach,
  tools,
  prompts,
  resources,
  instructions,
  signedIn,
}: ServerView): Shown {
  const runs = status === 'running';
  return {
    name,
    status,
    disabled: status === 'disabled',
    hasAuth: signedIn ?? false,
    instructions: instructions ?? null,
    command: 'command' in reach ? reach.command : null,
    args: 'command' in reach ? reach.args : null,
    url: 'url' in reach ? reach.url : null,
    tools: runs
      ? tools.map((tool) => ({
          name: tool.name,
          description: tool.description,
          parameters: tool.parameters,
          disabled: tool.disabled ?? false,
        }))
      : [],
    prompts: runs ? prompts : null,
    resources: runs
      ? resources.map(({ mediaType, ...resource }) => ({
          ...resource,
          ...(mediaType === undefined ? {} : { mimeType: mediaType }),
        }))
      : null,
  };
}
