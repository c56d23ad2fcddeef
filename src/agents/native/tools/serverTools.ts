// The tools of tool servers: each has a name that every provider accepts, and its calls need approval.
import { serverToolName } from '../../../host/tools/serverNames.ts';
import type { OpenServers, ServerCall, ServerTool, ServerView } from '../../../host/tools/toolServers.ts';
import type { Json, ToolResult } from '../../../model/event.ts';
import type { LanguageModel, ModelUsage } from '../model.ts';
import { sampleFor } from '../turn/sampling.ts';
import { clipped } from './clip.ts';
import { field, listIn } from './json.ts';
import type { Tool, ToolChat, ToolUser } from './tool.ts';

/** How many characters of a server's tool description are shown in the approval question. */
const longestShown = 500;

/** The longest tool name that all providers accept. */
const longestName = 64;

/** `model` answers the requests of servers for a model. */
export function serverTools(servers: OpenServers, model?: LanguageModel): readonly Tool[] {
  const taken = new Set<string>();
  // Sorted, so that the numbers of equal names do not change when a server lists its tools in another order.
  return servers.list().flatMap((server) =>
    server.tools
      .filter(({ disabled }) => !disabled)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map((tool) => toolOf(tool, { server, servers, taken, model })),
  );
}

interface ToolOwner {
  readonly server: ServerView;
  readonly servers: OpenServers;
  readonly taken: Set<string>;
  readonly model: LanguageModel | undefined;
}

function toolOf(tool: ServerTool, { server, servers, taken, model }: ToolOwner): Tool {
  const name = freeName(serverToolName(server.name, tool.name), taken);
  const title = `${server.name}: ${tool.title ?? tool.name}`;
  return {
    name,
    description: tool.description || title,
    parameters: tool.parameters,
    kind: 'other',
    server: server.name,
    preparing: title,
    prepare: (given, { signal, user, chat }) => {
      const { input, missing } = fitArguments(given, tool.parameters);
      if (missing.length > 0)
        return Promise.resolve({ refused: `INVALID_ARGS: missing: ${missing.join(', ')}` });
      return Promise.resolve({
        title,
        paths: [],
        question: questionAbout(title, tool, server),
        ...(tool.definition === undefined ? {} : { definition: tool.definition }),
        run: async (output) =>
          cutResult(
            await servers.call({
              server: server.name,
              tool: tool.name,
              input,
              signal,
              progress: (text) => output(`${text}\n`),
              ...(user ? userAccess(server.name, { user, chat, model, signal }) : {}),
            }),
          ),
      });
    },
  };
}

/** What the user is asked: the tool, where its server runs, and what the server says of the tool. */
function questionAbout(title: string, { description }: ServerTool, { name, reach }: ServerView): string {
  const place = 'url' in reach ? reach.url : [reach.command, ...reach.args].join(' ');
  const more = description.length - longestShown;
  const said = `${description.slice(0, longestShown)}${more > 0 ? `… (${more} more characters)` : ''}`;
  return [title, `Server: ${place}`, ...(description === '' ? [] : [`${name} says of it: ${said}`])].join(
    '\n',
  );
}

interface UserAccess {
  readonly user: ToolUser;
  readonly chat: ToolChat | undefined;
  readonly model: LanguageModel | undefined;
  readonly signal: AbortSignal;
}

/** Lets a server ask the user, and a model if the user agrees. */
function userAccess(
  server: string,
  { user, chat, model, signal }: UserAccess,
): Pick<ServerCall, 'ask' | 'visit' | 'sample'> {
  const ask: ToolUser['ask'] = (message, questions) => user.ask(message, questions);
  const onUsage = (usage: ModelUsage) => chat?.onUsage(usage);
  return {
    ask: (message, questions) => ask(`${server} asks: ${message}`, questions),
    visit: (message, url) =>
      user.visit(`${server} asks: ${message}\nThe link opens ${new URL(url).host}.`, url),
    ...(model ? { sample: (wish) => sampleFor(wish, { server, model, ask, signal, spent: onUsage }) } : {}),
  };
}

/** Models send empty texts for optional arguments, and leave out required ones. */
function fitArguments(
  given: Json,
  schema: Json,
): { readonly input: Json; readonly missing: readonly string[] } {
  const required = (listIn(schema, 'required') ?? []).filter((name) => typeof name === 'string');
  const missing = required.filter((name) => field(given, name) === undefined);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return { input: given, missing };
  return {
    input: Object.fromEntries(
      Object.entries(given).filter(([name, value]) => value !== '' || required.includes(name)),
    ),
    missing,
  };
}

/** Names that become equal, for example because they are cut, get a number. */
export function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted.slice(0, longestName);
  for (let count = 2; taken.has(name); count += 1) name = `${wanted.slice(0, longestName - 4)}_${count}`;
  taken.add(name);
  return name;
}

/** Cuts the output of a server at the same limit as the output of a command. */
function cutResult(result: Exclude<ToolResult, { status: 'denied' }>): ToolResult {
  const content = result.content.map((each) =>
    each.type === 'text' ? { ...each, text: clipped(each.text) } : each,
  );
  return result.status === 'done'
    ? { ...result, content }
    : { ...result, content, error: clipped(result.error) };
}
