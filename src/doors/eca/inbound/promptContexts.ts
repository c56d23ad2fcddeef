// Reads what the contexts of a prompt name: MCP resources, image files and the map of the workspace.
import type { Context } from '../../../protocols/eca/schema.ts';
import type { EcaConnection } from '../connection.ts';

/** A context that cannot be read stays as it is. */
export async function readContexts(
  connection: EcaConnection,
  contexts: readonly Context[],
): Promise<Context[]> {
  return Promise.all(contexts.map((context) => readContext(connection, context)));
}

/** True for a context that `readContexts` may replace. */
export function isReadable(context: Context): boolean {
  return context?.type === 'mcpResource' || context?.type === 'file' || context?.type === 'repoMap';
}

async function readContext(connection: EcaConnection, context: Context): Promise<Context> {
  if (context?.type === 'repoMap') return (await readMap(connection)) ?? context;
  if (context?.type === 'file') return (await readImage(connection, context.path)) ?? context;
  if (context?.type === 'mcpResource') return (await readResource(connection, context)) ?? context;
  return context;
}

async function readMap({ options, workspace }: EcaConnection): Promise<Context | undefined> {
  const { roots, configuration } = workspace;
  if (!options.workspaceFiles?.map || roots.length === 0) return undefined;
  const content = await options.workspaceFiles.map(roots, configuration.index);
  return { type: 'text', label: 'Map of the workspace', content };
}

async function readImage({ options }: EcaConnection, path: string): Promise<Context | undefined> {
  const image = await options.workspaceFiles?.readImage?.(path);
  return image && { type: 'image', ...image };
}

async function readResource(
  { options, workspace }: EcaConnection,
  { uri, name }: { readonly uri: string; readonly name?: string | undefined },
): Promise<Context | undefined> {
  const resource = await options.mcp?.read(uri, workspace.roots);
  if (!resource || !('text' in resource)) return undefined;
  return { type: 'text', label: name ?? uri, content: resource.text };
}
