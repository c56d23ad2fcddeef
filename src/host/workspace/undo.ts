// Reverts and redoes file changes of a chat on request and records what was done, so that its agent learns of
// it.
import { reject } from '../../model/command.ts';
import type { Rejection } from '../../model/command.ts';
import type { ChatId, Origin } from '../../model/event.ts';
import type { Chat, State } from '../../model/state.ts';
import type { Session } from '../session/session.ts';
import { changesOf, opposite, undoneChanges, withUnattributed } from './revertEdits.ts';
import type { ChangeSelection, FileChange, RevertResult } from './revertEdits.ts';
import { recordRedone, recordReverted } from './revertedEdits.ts';

type Revert = (changes: readonly FileChange[]) => Promise<RevertResult>;

export interface UndoOptions {
  readonly chat: ChatId;
  readonly which: ChangeSelection;
  readonly by: Origin;
  readonly revert: Revert;
}

export async function undoChanges(
  session: Session,
  { chat, which, by, revert }: UndoOptions,
): Promise<RevertResult | Rejection> {
  const known = session.state.chats[chat];
  if (!known) return reject('unknown-chat', `There is no chat ${chat}.`);
  if (known.active) return reject('turn-active', 'A turn is running in this chat; stop it first.');
  const result = await revert(changesOf(known, which, session.state));
  recordReverted(session, result, by);
  await session.settled();
  return result;
}

export interface RedoOptions {
  /** What `undoneChanges` or `lastUndone` returned. */
  readonly changes: readonly FileChange[];
  readonly by: Origin;
  readonly revert: Revert;
}

/** Redoes changes that were reverted. A file that was changed since the undo is left alone. */
export async function redoChanges(
  session: Session,
  { changes, by, revert }: RedoOptions,
): Promise<RevertResult> {
  // Whoever has undone a change knew whose it is.
  const result = await revert(withUnattributed(changes).map(opposite));
  recordRedone(session, result, by);
  return result;
}

/** The changes of the turn of a chat that was reverted last; empty if there is nothing to redo. */
export function lastUndone(state: State, { turns }: Chat): readonly FileChange[] {
  const own = new Set(turns.map(({ id }) => id));
  const last = state.revertedEdits.findLast(({ turn }) => own.has(turn));
  return last ? undoneChanges(state, last.turn) : [];
}
