// Copies of a session that a command in one of its chats makes: a session of its own, or a file.
import { contains, resolvePath } from '../../base/paths.ts';
import { isRejection } from '../../model/command.ts';
import type { Rejection } from '../../model/command.ts';
import type { ChatId, Entry, TurnId } from '../../model/event.ts';
import { copyPast, nextTitle } from '../session/importedPast.ts';
import type { ImportedEvent, Session } from '../session/session.ts';
import { entryLine, headerLine } from '../session/sessionLines.ts';
import type { Summary } from '../session/summary.ts';
import type { World } from '../world.ts';

/** The other sessions of the host. */
export interface SessionCatalogue {
  readonly summaries: () => readonly Summary[];
  readonly restore: (past: readonly ImportedEvent[]) => Promise<Session | Rejection>;
}

/** The command that asks for the copy, which is no part of it. */
interface CopyRequest {
  readonly session: Session;
  readonly chat: ChatId;
  readonly turn: TurnId;
}

/** Begins a new session with what was said in the chat, and says where it is. */
export async function forkChat(
  request: CopyRequest,
  catalogue: SessionCatalogue,
  world: Pick<World, 'ids'>,
): Promise<string> {
  const { session, chat } = request;
  const { state } = session;
  const entries = await entriesBefore(request);
  if ((state.chats[chat]?.turns ?? []).length === 0) return 'There is nothing to fork yet.';
  const own = chat === state.order[0] ? state.title : (state.chats[chat]?.title ?? '');
  const title = nextTitle(
    own,
    catalogue.summaries().map((summary) => summary.title),
  );
  const copy = await catalogue.restore(copyPast(entries, { state, chat, as: world.ids.next(), title }));
  if (isRejection(copy)) return copy.message;
  await copy.settled();
  return (
    `Forked to \`${copy.id}\`: ${title}. Open it from the list of your client, or with ` +
    `\`parley chat ${copy.id}\`.`
  );
}

/** Writes the session to a new file in its folder, as `parley sessions export` does. */
export async function exportSession(
  request: CopyRequest,
  name: string | undefined,
  { files, paths }: Pick<World, 'files' | 'paths'>,
): Promise<string> {
  const { session } = request;
  const { id, title, roots } = session.state;
  const [root] = roots;
  if (!files || root === undefined) return 'This session has no folder to write to.';
  const path = resolvePath(root, name ?? `parley-${id.slice(0, 8)}.jsonl`);
  if (!path.endsWith('.jsonl')) return 'The name of the file must end with .jsonl.';
  if (!contains(paths.canonical(root), paths.canonical(path)))
    return `The file must be in ${root}. \`parley sessions export ${id} FILE\` writes anywhere.`;
  const entries = await entriesBefore(request);
  const text = headerLine({ id, title, entries: entries.length }) + entries.map(entryLine).join('');
  const problem = await files.writeText(path, text, null);
  if (problem?.problem === 'stale') return `${path} exists already. Choose another name: \`/export FILE\`.`;
  if (problem) return problem.message;
  return `Exported to ${path}. \`parley sessions import ${path}\` reads it.`;
}

/** What was stored before the turn of the command. */
async function entriesBefore({ session, turn }: CopyRequest): Promise<readonly Entry[]> {
  await session.settled();
  const entries: Entry[] = [];
  for await (const entry of session.entries()) {
    if (entry.event.kind === 'turn.started' && entry.event.turn === turn) break;
    entries.push(entry);
  }
  return entries;
}
