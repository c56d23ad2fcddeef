// The servers of tools as the ECA door shows them: those of the client's workspace, for as long as it is there.
import type { McpServers, Refused } from '../doors/eca/options.ts';
import type { OpenServers, ServerEditor, ServerView, ServerWish } from '../host/toolServers.ts';
import type { Content } from '../model/event.ts';
import { openBrowser } from './openBrowser.ts';
import { offered } from './services.ts';

type Shown = ReturnType<McpServers['list']>[number];

/** The workspaces that clients look at, by their folders; each client holds its own. */
const open = new Map<string, Set<OpenServers>>();

export const ecaServers: McpServers = {
  list: (roots) => handleOf(roots)?.list().map(shown) ?? [],
  add: async (name, config, { root, roots }) => {
    const refused = editor()?.add(name, wishOf(config), { roots, root }) ?? undefined;
    return refused ?? handleOf(roots)?.list().map(shown).find((server) => server.name === name) ?? unknown(name);
  },
  update: async (name, config, roots) => (editor() ? editor()?.update(name, wishOf(config), { roots }) : unknown(name)),
  remove: async (name, roots) => (editor() ? editor()?.remove(name, { roots }) : unknown(name)),
  act: async (name, action, roots) => {
    const handle = handleOf(roots);
    const server = handle?.list().find((each) => each.name === name);
    if (!handle || !server) return unknown(name);
    switch (action) {
      case 'start': return void handle.start(name);
      case 'stop': return void handle.stop(name);
      case 'disable': return editor()?.update(name, { disabled: true }, { roots });
      case 'enable': return editor()?.update(name, { disabled: false }, { roots });
      case 'logout': return handle.signOut(name) ? undefined : { refused: `Nobody is signed in to '${name}'.` };
      case 'connect': return server.status === 'requires-auth' ? signIn(name, handle) : void handle.start(name);
      default: return action satisfies never;
    }
  },
  prompt: async (wish, roots) => {
    const messages = (await handleOf(roots)?.prompt({ ...wish, signal: AbortSignal.timeout(patience) })) ?? unknown(wish.server);
    return 'refused' in messages ? messages : { text: textOf(messages.map(({ content }) => content)) };
  },
  read: async (uri, roots) => {
    const handle = handleOf(roots);
    const server = handle?.list().find(({ resources }) => resources.some((resource) => resource.uri === uri));
    const contents = (server && (await handle?.read({ server: server.name, uri, signal: AbortSignal.timeout(patience) }))) ?? { refused: `No MCP server offers ${uri}` };
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

/** How long a server may take for a prompt or a resource, in milliseconds. */
const patience = 60_000;

function editor(): ServerEditor | undefined {
  return offered()?.serverEditor;
}

/** The browser is opened where there is one; the address is told in any case. */
async function signIn(name: string, handle: OpenServers): Promise<Refused | { readonly visit: string }> {
  const begun = await handle.signIn(name);
  if ('refused' in begun) return begun;
  openBrowser(begun.url);
  return { visit: begun.url };
}

function wishOf({ oauthPort: callbackPort, authScope: scope, ...config }: Parameters<McpServers['update']>[1]): ServerWish {
  return { ...config, callbackPort, scope };
}

function textOf(contents: readonly Content[]): string {
  return contents.flatMap((content) => (content.type === 'text' ? [content.text] : content.type === 'link' ? [content.uri] : [])).join('\n');
}

function unknown(name: string): Refused {
  return { refused: `MCP server '${name}' does not exist` };
}

function handleOf(roots: readonly string[]): OpenServers | undefined {
  return open.get(JSON.stringify(roots))?.values().next().value;
}

/** Tells of every server that is not as it was told last. */
function teller(changed: Parameters<McpServers['watch']>[0]): (views: readonly ServerView[]) => void {
  const told = new Map<string, string>();
  return (views) => {
    for (const view of views.map(shown)) {
      const text = JSON.stringify(view);
      if (told.get(view.name) === text) continue;
      told.set(view.name, text);
      changed(view);
    }
    for (const name of [...told.keys()]) {
      if (views.some((view) => view.name === name)) continue;
      told.delete(name);
      changed({ removed: name });
    }
  };
}

function shown({ name, status, reach, tools, prompts, resources, instructions, signedIn }: ServerView): Shown {
  const runs = status === 'running';
  return {
    name, status, disabled: status === 'disabled', hasAuth: signedIn ?? false, instructions: instructions ?? null,
    command: 'command' in reach ? reach.command : null, args: 'command' in reach ? reach.args : null, url: 'url' in reach ? reach.url : null,
    tools: runs ? tools.map((tool) => ({ name: tool.name, description: tool.description, parameters: tool.parameters, disabled: tool.disabled ?? false })) : null,
    prompts: runs ? prompts : null,
    resources: runs ? resources.map(({ mediaType, ...resource }) => ({ ...resource, ...(mediaType === undefined ? {} : { mimeType: mediaType }) })) : null,
  };
}
