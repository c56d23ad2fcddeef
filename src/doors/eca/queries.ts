// What a client can complete while its user types: files, contexts and commands.
import type { FoundContext, FoundFile, Results } from '../../protocols/eca/messages.ts';
import type { Context, RequestParams } from '../../protocols/eca/schema.ts';
import type { Connection } from './connection.ts';

export async function contexts(connection: Connection, { chatId, query, contexts: given }: RequestParams<'chat/queryContext'>): Promise<Results['chat/queryContext']> {
  const roots = connection.roots.map((path): FoundContext => ({ type: 'directory', path }));
  const all: readonly FoundContext[] = [{ type: 'cursor' }, ...roots, ...(await find(connection, query ?? ''))];
  return { chatId: chatId ?? null, contexts: all.filter((context) => !given.some((added) => isSame(added, context))) };
}

export async function files(connection: Connection, { chatId, query }: RequestParams<'chat/queryFiles'>): Promise<Results['chat/queryFiles']> {
  return { chatId: chatId ?? null, files: await find(connection, query ?? '') };
}

/** There are no commands yet; an empty list is what a client shows as none. */
export function commands({ options }: Connection, { chatId, query }: RequestParams<'chat/queryCommands'>): Results['chat/queryCommands'] {
  const wanted = (query ?? '').toLowerCase();
  const all = options.commands?.() ?? [];
  return { chatId: chatId ?? null, commands: all.filter(({ name, description }) => `${name}\n${description}`.toLowerCase().includes(wanted)) };
}

async function find({ options, roots }: Connection, query: string): Promise<readonly FoundFile[]> {
  return (await options.findFiles?.(query, roots)) ?? [];
}

function isSame(added: Context, found: FoundContext): boolean {
  if (added?.type !== found.type) return false;
  return !('path' in found) || ('path' in added && added.path === found.path);
}
