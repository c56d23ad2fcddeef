// Records reverted files in the log and tells the agent about them.
import type { Origin, TurnId } from '../../model/event.ts';
import type { Chat } from '../../model/state.ts';
import type { Session } from '../session/session.ts';
import { changesOf } from './revertEdits.ts';
import type { RevertResult } from './revertEdits.ts';

/**
 * Records the files in every chat of the session that has changed them; its agent reads
 * it with the next turn.
 */
export function recordReverted(
  session: Session,
  { restored, left = [] }: Pick<RevertResult, 'restored'> & Partial<RevertResult>,
  by: Origin,
): void {
  for (const chat of Object.values(session.head.chats)) {
    const changed = new Set(
      changesOf(chat, { after: undefined }).flatMap((change) =>
        'from' in change ? [change.from, change.to] : [change.path],
      ),
    );
    const restoredHere = restored.filter((path) => changed.has(path));
    if (restoredHere.length === 0) continue;
    const leftHere = left.flatMap(({ path }) => (changed.has(path) ? [path] : []));
    session.dispatch(
      {
        kind: 'record',
        fact: {
          kind: 'files.restored',
          chat: chat.id,
          after: lastTurn(chat),
          restored: restoredHere,
          left: leftHere,
        },
      },
      by,
    );
  }
}

/** The text for the agent's next turn; undefined if no file was reverted since its last one. */
export function revertedText(chat: Chat): string | undefined {
  const { restored: record } = chat;
  if (!record || record.restored.length === 0 || record.after !== lastTurn(chat)) return undefined;
  const files = record.restored.map((path) => `- ${path}`).join('\n');
  const kept =
    record.left.length === 0
      ? ''
      : '\nThese files were not reverted, because they have changed since:\n' +
        record.left.map((path) => `- ${path}`).join('\n');
  return (
    'The user has reverted changes that were made in this conversation. These files are as they were ' +
    `before; read them again before you rely on them:\n${files}${kept}`
  );
}

function lastTurn({ turns }: Chat): TurnId | null {
  return turns.at(-1)?.id ?? null;
}
