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

async function readContext(
  { options: { mcp, workspaceFiles }, workspace: { roots, configuration } }: EcaConnection,
  context: Context,
): Promise<Context> {
  switch (context?.type) {
    case 'repoMap':
      return workspaceFiles?.map && roots.length > 0
        ? {
            type: 'text',
            label: 'Map of the workspace',
            content: await workspaceFiles.map(roots, configuration.index),
          }
        : context;
    case 'file': {
      const image = await workspaceFiles?.readImage?.(context.path);
      return image ? { type: 'image', ...image } : context;
    }
    case 'mcpResource': {
      const resource = await mcp?.read(context.uri, roots);
      return resource && 'text' in resource
        ? { type: 'text', label: context.name ?? context.uri, content: resource.text }
        : context;
    }
    case 'cursor':
    case 'directory':
    case 'image':
    case 'text':
    case 'web':
    case undefined:
      return context;
    default:
      return context satisfies never;
  }
}
