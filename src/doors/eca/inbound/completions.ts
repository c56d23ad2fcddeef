// Completion while the user types: files, contexts and commands.
import type { FoundContext, FoundFile, Results } from '../../../protocols/eca/messages.ts';
import type { Context, RequestParams } from '../../../protocols/eca/schema.ts';
import { commandsFor } from '../commands/run.ts';
import type { EcaConnection } from '../connection.ts';

export async function queryContexts(
  connection: EcaConnection,
  { chatId, query, contexts: attached }: RequestParams<'chat/queryContext'>,
): Promise<Results['chat/queryContext']> {
  const roots = connection.workspace.roots.map((path): FoundContext => ({ type: 'directory', path }));
  const found = await findFiles(connection, query ?? '');
  const all: readonly FoundContext[] = [
    { type: 'repoMap' },
    { type: 'cursor' },
    ...roots,
    ...found,
    ...resources(connection, query ?? ''),
  ];
  return {
    chatId: chatId ?? null,
    contexts: all.filter((context) => !attached.some((other) => isSame(other, context))),
  };
}

export async function queryFiles(
  connection: EcaConnection,
  { chatId, query }: RequestParams<'chat/queryFiles'>,
): Promise<Results['chat/queryFiles']> {
  return { chatId: chatId ?? null, files: await findFiles(connection, query ?? '') };
}

/** Matches the query against names and descriptions. */
export async function queryCommands(
  connection: EcaConnection,
  { chatId, query }: RequestParams<'chat/queryCommands'>,
): Promise<Results['chat/queryCommands']> {
  const wanted = (query ?? '').toLowerCase();
  const session = chatId == null ? undefined : await connection.chats.find(chatId);
  const all = await commandsFor(connection, session?.head.agent);
  return {
    chatId: chatId ?? null,
    commands: all.filter(({ name, description }) => `${name}\n${description}`.toLowerCase().includes(wanted)),
  };
}

/** The matching resources of MCP servers. */
function resources({ options, workspace }: EcaConnection, query: string): readonly FoundContext[] {
  const all = (options.mcp?.list(workspace.roots) ?? []).flatMap(({ name: server, resources: offered }) =>
    (offered ?? []).map((resource): FoundContext => ({ type: 'mcpResource', ...resource, server })),
  );
  return all.filter((resource) => JSON.stringify(resource).toLowerCase().includes(query.toLowerCase()));
}

async function findFiles(
  { options, workspace: { roots, configuration } }: EcaConnection,
  query: string,
): Promise<readonly FoundFile[]> {
  return (await options.workspaceFiles?.find?.(query, roots, configuration.index)) ?? [];
}

function isSame(attached: Context, found: FoundContext): boolean {
  if (attached?.type !== found.type) return false;
  if ('uri' in found) return 'uri' in attached && attached.uri === found.uri;
  return !('path' in found) || ('path' in attached && attached.path === found.path);
}
