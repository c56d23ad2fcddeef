// What a client can complete while its user types: files, contexts and commands.
import type { FoundContext, FoundFile, Results } from '../../../protocols/eca/messages.ts';
import type { Context, RequestParams } from '../../../protocols/eca/schema.ts';
import { commandsFor } from '../commands/run.ts';
import type { Connection } from '../connection.ts';

export async function contexts(
  connection: Connection,
  { chatId, query, contexts: given }: RequestParams<'chat/queryContext'>,
): Promise<Results['chat/queryContext']> {
  const roots = connection.roots.map((path): FoundContext => ({ type: 'directory', path }));
  const found = await find(connection, query ?? '');
  const all: readonly FoundContext[] = [
    { type: 'repoMap' },
    { type: 'cursor' },
    ...roots,
    ...found,
    ...resources(connection, query ?? ''),
  ];
  return {
    chatId: chatId ?? null,
    contexts: all.filter((context) => !given.some((added) => isSame(added, context))),
  };
}

export async function files(
  connection: Connection,
  { chatId, query }: RequestParams<'chat/queryFiles'>,
): Promise<Results['chat/queryFiles']> {
  return { chatId: chatId ?? null, files: await find(connection, query ?? '') };
}

/** A query is looked for in names and descriptions. */
export async function commands(
  connection: Connection,
  { chatId, query }: RequestParams<'chat/queryCommands'>,
): Promise<Results['chat/queryCommands']> {
  const wanted = (query ?? '').toLowerCase();
  const session = chatId == null ? undefined : await connection.find(chatId);
  const all = await commandsFor(connection, session?.head.agent);
  return {
    chatId: chatId ?? null,
    commands: all.filter(({ name, description }) => `${name}\n${description}`.toLowerCase().includes(wanted)),
  };
}

/** What MCP servers offer to read. */
function resources({ options, roots }: Connection, query: string): readonly FoundContext[] {
  const all = (options.mcp?.list(roots) ?? []).flatMap(({ name: server, resources: offered }) =>
    (offered ?? []).map((resource): FoundContext => ({ type: 'mcpResource', ...resource, server })),
  );
  return all.filter((resource) => JSON.stringify(resource).toLowerCase().includes(query.toLowerCase()));
}

async function find(
  { options, roots, configured }: Connection,
  query: string,
): Promise<readonly FoundFile[]> {
  return (await options.findFiles?.(query, roots, configured.index)) ?? [];
}

function isSame(added: Context, found: FoundContext): boolean {
  if (added?.type !== found.type) return false;
  if ('uri' in found) return 'uri' in added && added.uri === found.uri;
  return !('path' in found) || ('path' in added && added.path === found.path);
}
