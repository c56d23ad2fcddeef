// Commands about whole chats: fork, export, import and debug.
import { isRejection } from '../../../model/command.ts';
import { copyChat, showChat } from '../inbound/fork.ts';
import { titleOf } from '../outbound/replay.ts';
import type { CommandCall, CommandEffect } from './run.ts';
import { exportedChat, parseChat, pastFrom } from './transfer.ts';

export async function forkChat({ connection, session, chat }: CommandCall): Promise<CommandEffect> {
  return { say: `Chat forked to: ${await copyChat(connection, session, { chat })}` };
}

export async function exportChat({ connection, session, chat, rest }: CommandCall): Promise<CommandEffect> {
  const files = connection.options.workspaceFiles?.texts;
  if (!files) return { say: 'This host cannot write files.' };
  const text = `${JSON.stringify(exportedChat(session.state, chat, titleOf(session.state, chat)), null, 2)}\n`;
  const written = await files.write(
    rest || '.',
    { name: `chat-${safe(chat)}.json`, text },
    connection.workspace.roots,
  );
  return {
    say: 'refused' in written ? written.refused : `Exported to ${written.path}. /import reads it again.`,
  };
}

/** The chat keeps its id if that is free. */
export async function importChat({ connection, session, rest }: CommandCall): Promise<CommandEffect> {
  const files = connection.options.workspaceFiles?.texts;
  if (!files) return { say: 'This host cannot read files.' };
  if (rest === '') return { say: 'Missing file: /import PATH' };
  const found = await files.read(rest, connection.workspace.roots);
  if ('refused' in found) return { say: found.refused };
  const chat = parseChat(found.text);
  if ('problem' in chat) return { say: `${found.path} cannot be imported: ${chat.problem}` };
  const {
    host,
    workspace: { roots },
    profile: { origin: by },
  } = connection;
  const { agent } = session.head;
  const model = host
    .agents()
    .find(({ id }) => id === agent)
    ?.models.some(({ id }) => id === chat.model)
    ? chat.model
    : session.head.model;
  const wish = { agent, model, roots, by, at: host.clock.now() };
  const first =
    host.sessionOf(chat.id) === undefined
      ? await host.restore(pastFrom(chat, { ...wish, id: chat.id }))
      : undefined;
  const restored =
    first === undefined || isRejection(first)
      ? await host.restore(pastFrom(chat, { ...wish, id: host.ids.next() }))
      : first;
  if (isRejection(restored)) return { say: `${found.path} cannot be imported: ${restored.message}` };
  showChat(connection, restored);
  return { say: `Imported ${chat.title || 'Untitled'} as chat ${restored.id}.` };
}

/** For bug reports: the structure of a chat without its texts. */
export async function debugChat({ connection, session, chat, rest }: CommandCall): Promise<CommandEffect> {
  const files = connection.options.workspaceFiles?.texts;
  if (!files) return { say: 'This host cannot write files.' };
  const hidden = (key: string, value: unknown) =>
    typeof value === 'string' && !shown.has(key) ? `<${value.length} characters>` : value;
  const text = `${JSON.stringify(session.state.chats[chat] ?? {}, hidden, 2)}\n`;
  const written = await files.write(
    rest || '.',
    { name: `debug-${safe(chat)}.json`, text },
    connection.workspace.roots,
  );
  return {
    say:
      'refused' in written
        ? written.refused
        : `Written to ${written.path}. Texts are replaced by their lengths.`,
  };
}

const shown: ReadonlySet<string> = new Set([
  'id',
  'type',
  'kind',
  'status',
  'name',
  'toolKind',
  'source',
  'server',
  'code',
  'channel',
  'how',
  'door',
  'agent',
]);

function safe(id: string): string {
  return id.replaceAll(/[^\w.-]/g, '_').slice(0, 64);
}
