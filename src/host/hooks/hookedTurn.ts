// Runs the user's hooks around a turn: they may add to the message, replace its text, block it, and ask for a
// follow-up after the answer.
import { present } from '../../base/present.ts';
import type { SessionReporter, TurnContext, TurnWork } from '../agent.ts';
import type { Clock } from '../ports.ts';
import type { Outcome } from '../../model/event.ts';
import type { TurnHooks } from './turnHooks.ts';

export interface HookedTurnOptions {
  readonly hooks: TurnHooks;
  /** True in a chat that another agent's call started. */
  readonly isSubagent: boolean;
  /** True for the first turn after the conversation was opened. */
  readonly isFirst: boolean;
  readonly aside: SessionReporter;
  readonly clock: Clock;
  /** Works on the follow-up message of a hook. */
  readonly runFollowUp: TurnWork;
}

/** What hooks change about a message. */
export interface HookedInput {
  /** Replaces the text of the message. */
  readonly prompt?: string;
  readonly context: readonly string[];
}

/** Runs the hooks before the agent; undefined if one of them ended the turn. */
export async function runHooksBefore(
  turn: TurnContext,
  options: HookedTurnOptions,
): Promise<HookedInput | undefined> {
  const { hooks } = options;
  const opening = options.isFirst ? await runOpening(turn, options) : undefined;
  if (opening?.stop) return undefined;
  await turn.log.prepared(hooks.has('preRequest') ? 'message' : 'agent');
  const before = await hooks.run('preRequest', { prompt: turn.message.text });
  if (before.stop || before.blocked) return undefined;
  await turn.log.prepared('agent');
  return {
    context: [...(opening?.context ?? []), ...before.context],
    ...present({ prompt: before.prompt }),
  };
}

function runOpening(turn: TurnContext, { hooks, isSubagent }: HookedTurnOptions) {
  return isSubagent
    ? hooks.run('subagentStart', { parent_chat_id: parentOf(turn) })
    : hooks.run('chatStart', { resumed: turn.history.length > 0 });
}

/** Runs the hooks after a completed turn; one of them may ask for a follow-up turn. */
export async function runHooksAfter(
  turn: TurnContext,
  options: HookedTurnOptions,
  outcome: Outcome,
): Promise<void> {
  if (outcome.kind !== 'completed' || turn.signal.aborted) return;
  const { hooks, isSubagent } = options;
  const after = await hooks.run(isSubagent ? 'subagentPostRequest' : 'postRequest', {
    response: lastAnswer(turn),
    follow_up_active: turn.message.from === 'agent',
  });
  if (after.followUp !== undefined && !after.stop && !isSubagent && !turn.signal.aborted)
    startFollowUp(after.followUp, options);
}

/**
 * How often, and after how many milliseconds, to try again while the turn has not ended; messages
 * of the user go first.
 */
const tries = 10;
const pause = 20;

function startFollowUp(text: string, options: HookedTurnOptions, left = tries): void {
  const { aside, clock, runFollowUp } = options;
  clock.after(pause, () => {
    if (!aside.wake(text, runFollowUp) && left > 1) startFollowUp(text, options, left - 1);
  });
}

function parentOf(turn: TurnContext): string | null {
  const origin = turn.state().chats[turn.session.chat]?.origin;
  return origin?.type === 'tool' ? origin.chat : null;
}

/** The text of the answer after the last call. */
function lastAnswer(turn: TurnContext): string {
  const items = turn.state().chats[turn.session.chat]?.active?.items ?? [];
  const from = items.findLastIndex(({ type }) => type === 'tool');
  return items
    .slice(from + 1)
    .flatMap((item) => (item.type === 'text' && item.channel === 'answer' ? [item.text] : []))
    .join('\n');
}
