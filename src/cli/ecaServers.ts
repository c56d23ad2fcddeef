// The servers of tools as the ECA door shows them: those of the client's workspace, for as long as it is there.
import type { McpServers, Refused } from '../doors/eca/options.ts';
import type { OpenServers, ServerView } from '../host/toolServers.ts';
import { offered } from './services.ts';

type Shown = ReturnType<McpServers['list']>[number];

/** The workspaces that clients look at, by their folders; each client holds its own. */
const open = new Map<string, Set<OpenServers>>();

export const ecaServers: McpServers = {
  list: (roots) => handleOf(roots)?.list().map(shown) ?? [],
  add: () => Promise.resolve(notHere),
  update: (name) => Promise.resolve(isKnown(name) ? notHere : unknown(name)),
  remove: (name) => Promise.resolve(isKnown(name) ? notHere : unknown(name)),
  act: (name, action, roots) => {
    const handle = handleOf(roots);
    if (!handle?.list().some((server) => server.name === name)) return Promise.resolve(unknown(name));
    if (action === 'start' || action === 'connect') handle.start(name);
    else if (action === 'stop') handle.stop(name);
    else return Promise.resolve(action === 'logout' ? { refused: `Nobody is signed in to '${name}'.` } : notHere);
    return Promise.resolve(undefined);
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

const notHere: Refused = { refused: 'MCP servers are added, changed and removed in the settings file (mcpServers); it is followed at once.' };

function unknown(name: string): Refused {
  return { refused: `MCP server '${name}' does not exist` };
}

function isKnown(name: string): boolean {
  return [...open.values()].some((handles) => [...handles].some((handle) => handle.list().some((server) => server.name === name)));
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

function shown({ name, status, reach, tools, prompts, resources, instructions }: ServerView): Shown {
  const runs = status === 'running';
  return {
    name, status, disabled: status === 'disabled', hasAuth: false, instructions: instructions ?? null,
    command: 'command' in reach ? reach.command : null, args: 'command' in reach ? reach.args : null, url: 'url' in reach ? reach.url : null,
    tools: runs ? tools.map((tool) => ({ name: tool.name, description: tool.description, parameters: tool.parameters, disabled: false })) : null,
    prompts: runs ? prompts : null,
    resources: runs ? resources.map(({ mediaType, ...resource }) => ({ ...resource, ...(mediaType === undefined ? {} : { mimeType: mediaType }) })) : null,
  };
}
