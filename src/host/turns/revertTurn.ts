// The command that reverts file changes: it asks no model, and later requests tell the model
// which files were restored.
import type { Outcome } from '../../model/event.ts';
import type { AgentFact, TurnContext } from '../agent.ts';
import { changesOf } from '../workspace/revertEdits.ts';
import type { RevertResult } from '../workspace/revertEdits.ts';

export interface RevertTurnOptions {
  readonly record: (fact: AgentFact) => void;
  /** Replaces the text of the message in later requests. */
  readonly replaceText?: (text: string) => void;
}

/** Each use of the command reverts one more turn. */
export async function revertTurn(
  turn: TurnContext,
  { record, replaceText }: RevertTurnOptions,
): Promise<Outcome> {
  const chat = turn.state().chats[turn.session.chat];
  const turns = chat?.turns ?? [];
  const at = turns.findLastIndex(
    (each) =>
      chat &&
      !chat.revertedTurns.includes(each.id) &&
      changesOf({ ...chat, turns: [each], active: undefined }, { after: undefined }).length > 0,
  );
  const undone = at < 0 ? undefined : await turn.workspace.undo(turns[at - 1]?.id);
  if (undone)
    record({
      kind: 'turns.reverted',
      chat: turn.session.chat,
      turns: turns.slice(at).map(({ id }) => id),
    });
  replaceText?.(
    undone && undone.restored.length > 0
      ? 'I have taken back what you changed in these files; read them again before you rely on them: ' +
          undone.restored.join(', ')
      : 'I wanted to take back a change of files, and there was none.',
  );
  turn.report({
    kind: 'notice.added',
    level: undone?.left.length ? 'warning' : 'info',
    text: noticeText(undone),
  });
  return { kind: 'completed' };
}

function noticeText(undone: RevertResult | undefined): string {
  if (!undone) return 'No turn of this chat has changed a file.';
  const restored = undone.restored.length === 0 ? [] : [`As before: ${undone.restored.join(', ')}`];
  return [...restored, ...undone.left.map(({ path, why }) => `${path} was left as it is: ${why}`)].join('\n');
}
