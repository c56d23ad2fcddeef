// The tools of servers as tools of ours: each under a name that every provider takes, and asked about like anything that is not known to be harmless.
import type { OpenServers, ServerTool, ServerView } from '../../host/toolServers.ts';
import type { ToolResult } from '../../model/event.ts';
import { clipped } from './tools/clip.ts';
import type { Tool } from './tools/tool.ts';

/** The longest name of a tool that all providers take. */
const longestName = 64;

export function serverTools(servers: OpenServers): readonly Tool[] {
  const taken = new Set<string>();
  return servers.list().flatMap((server) => server.tools.map((tool) => toolOf(tool, { server, servers, taken })));
}

/** What a server's name becomes before its tools. It never holds the separator nor runs into it, so no server can take a name of another one's tool. */
export function serverPart(name: string): string {
  return namePart(name).replaceAll(/_{2,}/g, '_').replace(/_$/, '') || 'server';
}

/** Only letters, digits, `_` and `-` may stand in the name of a tool. */
function namePart(name: string): string {
  return name.replaceAll(/[^\w-]+/g, '_') || '_';
}

function toolOf(tool: ServerTool, { server, servers, taken }: { server: ServerView; servers: OpenServers; taken: Set<string> }): Tool {
  const name = freeName(`${serverPart(server.name)}__${namePart(tool.name)}`, taken);
  const title = `${server.name}: ${tool.title ?? tool.name}`;
  return {
    name, description: tool.description || title, parameters: tool.parameters, kind: 'other', server: server.name, preparing: title,
    prepare: (input, { signal, ask }) => Promise.resolve({
      title, paths: [],
      run: async (output) => limited(await servers.call({
        server: server.name, tool: tool.name, input, signal, progress: (text) => output(`${text}\n`),
        ...(ask ? { ask: (message, questions) => ask(`${server.name} asks: ${message}`, questions) } : {}),
      })),
    }),
  };
}

/** Names that are cut, or that become the same, are told apart by a number. */
function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted.slice(0, longestName);
  for (let count = 2; taken.has(name); count += 1) name = `${wanted.slice(0, longestName - 4)}_${count}`;
  taken.add(name);
  return name;
}

/** A model gets no more of a server's words than of a command's. */
function limited(result: Exclude<ToolResult, { status: 'denied' }>): ToolResult {
  const content = result.content.map((each) => (each.type === 'text' ? { ...each, text: clipped(each.text) } : each));
  return result.status === 'done' ? { ...result, content } : { ...result, content, error: clipped(result.error) };
}
