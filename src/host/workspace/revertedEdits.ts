// Files that users had put back to how they were before an agent changed them: recorded in the log, and told to the agent.
import type { Origin, TurnId } from '../../model/event.ts';
import type { Chat } from '../../model/state.ts';
import type { Session } from '../session/session.ts';
import { changesOf } from './revertEdits.ts';
import type { RevertResult } from './revertEdits.ts';

/** Records it in every chat of a session that has changed such files; its agent is told when it works on. */
export function recordReverted(
  session: Session,
  { restored, left = [] }: Pick<RevertResult, 'restored'> & Partial<RevertResult>,
  by: Origin,
): void {
  for (const chat of Object.values(session.head.chats)) {
    const own = new Set(
      changesOf(chat, { after: undefined }).flatMap((change) =>
        'from' in change ? [change.from, change.to] : [change.path],
      ),
    );
    const mine = restored.filter((path) => own.has(path));
    if (mine.length === 0) continue;
    const stays = left.flatMap(({ path }) => (own.has(path) ? [path] : []));
    session.dispatch(
      {
        kind: 'record',
        fact: { kind: 'files.restored', chat: chat.id, after: lastTurn(chat), restored: mine, left: stays },
      },
      by,
    );
  }
}

/** What the agent has to know before it works on; nothing where no file was put back since it last worked. */
export function revertedText(chat: Chat): string | undefined {
  const { restored: known } = chat;
  if (!known || known.restored.length === 0 || known.after !== lastTurn(chat)) return undefined;
  const files = known.restored.map((path) => `- ${path}`).join('\n');
  const kept =
    known.left.length === 0
      ? ''
      : `\nThese were to be taken back too and stayed as they are, since somebody has changed them meanwhile:\n${known.left.map((path) => `- ${path}`).join('\n')}`;
  return `The user has taken back changes that were made in this conversation. These files are as they were before; read them again before you rely on them:\n${files}${kept}`;
}

function lastTurn({ turns }: Chat): TurnId | null {
  return turns.at(-1)?.id ?? null;
}
