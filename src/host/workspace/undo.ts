// Reverts file changes of a chat on request and records what was done, so that its agent learns of it.
import { reject } from '../../model/command.ts';
import type { Rejection } from '../../model/command.ts';
import type { ChatId, Origin } from '../../model/event.ts';
import type { Session } from '../session/session.ts';
import { changesOf } from './revertEdits.ts';
import type { ChangeSelection, FileChange, RevertResult } from './revertEdits.ts';
import { recordReverted } from './revertedEdits.ts';

export interface UndoOptions {
  readonly chat: ChatId;
  readonly which: ChangeSelection;
  readonly by: Origin;
  readonly revert: (changes: readonly FileChange[]) => Promise<RevertResult>;
}

export async function undoChanges(
  session: Session,
  { chat, which, by, revert }: UndoOptions,
): Promise<RevertResult | Rejection> {
  const known = session.state.chats[chat];
  if (!known) return reject('unknown-chat', `There is no chat ${chat}.`);
  if (known.active) return reject('turn-active', 'A turn is running in this chat; stop it first.');
  const reverted = await revert(changesOf(known, which));
  recordReverted(session, reverted, by);
  await session.settled();
  return reverted;
}
