// Records reverted and redone files in the log and tells the agent about them.
import { editKey } from '../../model/edits.ts';
import type { Origin, TurnId } from '../../model/event.ts';
import type { Chat, State } from '../../model/state.ts';
import type { Session } from '../session/session.ts';
import { changesOf } from './revertEdits.ts';
import type { RevertResult } from './revertEdits.ts';

/**
 * Records the edits that are reverted now, and their files in every chat of the session that has changed
 * them; its agent reads it with the next turn.
 */
export function recordReverted(session: Session, result: RevertResult, by: Origin): void {
  const known = new Set(session.head.revertedEdits.map(editKey));
  const edits = result.edits.filter((place) => !known.has(editKey(place)));
  if (edits.length > 0) session.dispatch({ kind: 'record', fact: { kind: 'edits.reverted', edits } }, by);
  recordFiles(session, result, { by });
}

/** The same for edits that are in their files again. */
export function recordRedone(session: Session, result: RevertResult, by: Origin): void {
  const { edits } = result;
  if (edits.length > 0) session.dispatch({ kind: 'record', fact: { kind: 'edits.redone', edits } }, by);
  recordFiles(session, result, { by, redone: true });
}

function recordFiles(
  session: Session,
  { restored, left }: RevertResult,
  { by, ...direction }: { readonly by: Origin; readonly redone?: true },
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
          after: lastToldTurn(chat, session.head),
          restored: restoredHere,
          left: leftHere,
          ...direction,
        },
      },
      by,
    );
  }
}

/** The text for the agent's next turn; undefined if no file was reverted or redone since its last one. */
export function revertedText(chat: Chat, state: Pick<State, 'inputs'>): string | undefined {
  const { restored: record } = chat;
  if (!record || record.after !== lastToldTurn(chat, state)) return undefined;
  const { restored, left, redone = [] } = record;
  const parts = [
    ...(restored.length === 0
      ? []
      : [
          'The user has reverted changes that were made in this conversation, or some of their lines. Read ' +
            `these files again before you rely on them:\n${list(restored)}`,
        ]),
    ...(redone.length === 0
      ? []
      : [
          'The user has redone changes that had been reverted. These files have the changes again; read ' +
            `them again before you rely on them:\n${list(redone)}`,
        ]),
  ];
  if (parts.length === 0) return undefined;
  const kept =
    left.length === 0
      ? []
      : [`These files were left as they are, because they have changed since:\n${list(left)}`];
  return [...parts, ...kept].join('\n');
}

function list(paths: readonly string[]): string {
  return paths.map((path) => `- ${path}`).join('\n');
}

/**
 * The last turn that the agent knows of. The host runs the commands that revert and redo; an external agent
 * gets nothing of them, the built-in one gets an input in their place.
 */
function lastToldTurn({ turns }: Chat, { inputs }: Pick<State, 'inputs'>): TurnId | null {
  const told = turns.findLast(
    ({ message: { id, text } }) =>
      !/^\s*\/(?:undo(?:\s+all)?|redo)\s*$/.test(text) || Object.hasOwn(inputs, id),
  );
  return told?.id ?? null;
}
