// The commands that revert and redo file changes: they ask no model, and later requests tell the model which
// files have changed by them.
import type { Outcome } from '../../model/event.ts';
import type { Chat, Turn } from '../../model/state.ts';
import type { AgentFact, AgentInfo, TurnContext } from '../agent.ts';
import { changesOf, problemsOf } from '../workspace/revertEdits.ts';
import type { FileChange, RevertResult } from '../workspace/revertEdits.ts';

export const revertCommands = [
  {
    name: 'undo',
    description:
      'Take back what the last turn that changed files has done to them; all: also changes without a report',
    hint: 'all',
  },
  { name: 'redo', description: 'Redo the changes of files that were taken back last' },
] as const satisfies AgentInfo['commands'];

export interface RevertTurnOptions {
  readonly record: (fact: AgentFact) => void;
  /** Replaces the text of the message in later requests. */
  readonly replaceText?: (text: string) => void;
  /** Set to revert also what the user may have changed meanwhile. */
  readonly all?: boolean;
}

/**
 * Each use of the command reverts one more turn. With `all` it is the last one of which something is left.
 */
export async function revertTurn(
  turn: TurnContext,
  { record, replaceText, all = false }: RevertTurnOptions,
): Promise<Outcome> {
  const state = turn.state();
  const chat = state.chats[turn.session.chat];
  // What a stopped turn has changed may be recorded in this turn.
  const turns = chat ? [...chat.turns, ...(chat.active ? [chat.active] : [])] : [];
  const changesIn = (active: Turn, rest: Chat) =>
    changesOf({ ...rest, turns: [], active }, { after: undefined }, all ? state : undefined);
  const lastWith = (isWanted: (change: FileChange) => boolean) =>
    turns.findLastIndex(
      (each) =>
        chat && (all || !chat.revertedTurns.includes(each.id)) && changesIn(each, chat).some(isWanted),
    );
  // A turn of which nothing is kept is not worth an undo of its own, if there is another.
  const kept = lastWith((change) => !('why' in change));
  const at = kept < 0 ? lastWith(() => true) : kept;
  const undone = at < 0 ? undefined : await turn.workspace.undo(turns[at - 1]?.id, { all });
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
  tell(turn, undone, { done: 'As before', nothing: 'No turn of this chat has changed a file.' });
  return { kind: 'completed' };
}

/** The argument of the command that reverts a turn; undefined if it is unknown. */
export function revertScope(rest: string): Pick<RevertTurnOptions, 'all'> | undefined {
  if (rest === '') return {};
  return rest === 'all' ? { all: true } : undefined;
}

/** Each use of the command redoes one more of the turns that were reverted, the last undo first. */
export async function redoTurn(
  turn: TurnContext,
  { replaceText }: Pick<RevertTurnOptions, 'replaceText'>,
): Promise<Outcome> {
  const redone = await turn.workspace.redo();
  replaceText?.(
    redone && redone.restored.length > 0
      ? 'I have put your changes back into these files; read them again before you rely on them: ' +
          redone.restored.join(', ')
      : 'I wanted to redo a change of files, and there was none.',
  );
  tell(turn, redone, { done: 'Redone', nothing: 'There is nothing to redo.' });
  return { kind: 'completed' };
}

function tell(
  turn: TurnContext,
  result: RevertResult | undefined,
  { done, nothing }: { readonly done: string; readonly nothing: string },
): void {
  const problems = result ? problemsOf(result) : [];
  const level = problems.length > 0 ? 'warning' : 'info';
  const restored = result?.restored.length ? [`${done}: ${result.restored.join(', ')}`] : [];
  const text = result ? [...restored, ...problems].join('\n') : nothing;
  turn.report({ kind: 'notice.added', level, text });
}
