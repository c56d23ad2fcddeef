// Runs a turn with the user's hooks around it. Hooks may add context, replace the prompt, block the request, and send a follow-up after the answer.
import type { Aside, TurnContext, Work } from '../agent.ts';
import type { Clock } from '../ports.ts';
import type { Outcome } from '../../model/event.ts';
import { present } from '../../base/present.ts';
import type { HookAnswers } from './hooks.ts';
import type { TurnHooks } from './turnHooks.ts';

export interface HookedTurnOptions {
  readonly hooks: TurnHooks;
  /** Whether another agent's tool call started the chat. */
  readonly isSubagent: boolean;
  /** Set for the first turn after the conversation was opened. */
  readonly isFirst: boolean;
  readonly aside: Aside;
  readonly clock: Clock;
  /** Runs a turn for the follow-up message of a hook. */
  readonly runFollowUp: Work;
}

/** What hooks change about a message. */
export interface HookedInput {
  /** Replaces the text of the message. */
  readonly prompt?: string;
  readonly context: readonly string[];
}

export async function hookedTurn(
  turn: TurnContext,
  options: HookedTurnOptions,
  run: (input: HookedInput) => Promise<Outcome>,
): Promise<Outcome> {
  const input = await hooksBefore(turn, options);
  if (!input) return { kind: 'completed' };
  const outcome = await run(input);
  if (outcome.kind === 'completed' && !turn.signal.aborted) await hooksAfter(turn, options);
  return outcome;
}

/** Runs the hooks before the request; undefined if one of them stops the turn. */
async function hooksBefore(
  turn: TurnContext,
  { hooks, isSubagent, isFirst }: HookedTurnOptions,
): Promise<HookedInput | undefined> {
  const opening = isFirst ? await hooksAtStart(turn, hooks, isSubagent) : undefined;
  if (opening?.stop) return undefined;
  await turn.prepared?.(hooks.has('preRequest') ? 'message' : 'agent');
  const before = await hooks.run('preRequest', { prompt: turn.message.text });
  if (before.stop || before.blocked) return undefined;
  await turn.prepared?.('agent');
  return {
    context: [...(opening?.context ?? []), ...before.context],
    ...present({ prompt: before.prompt }),
  };
}

function hooksAtStart(turn: TurnContext, hooks: TurnHooks, isSubagent: boolean): Promise<HookAnswers> {
  return isSubagent
    ? hooks.run('subagentStart', { parent_chat_id: parentOf(turn) })
    : hooks.run('chatStart', { resumed: turn.history.length > 0 });
}

async function hooksAfter(turn: TurnContext, options: HookedTurnOptions): Promise<void> {
  const { hooks, isSubagent } = options;
  const { followUp, stop } = await hooks.run(isSubagent ? 'subagentPostRequest' : 'postRequest', {
    response: lastAnswer(turn),
    follow_up_active: turn.message.from === 'agent',
  });
  if (followUp !== undefined && !stop && !isSubagent && !turn.signal.aborted) sendFollowUp(followUp, options);
}

/** The follow-up waits until the turn has ended; a message that arrives meanwhile goes first. */
const tries = 10;
const pauseMs = 20;

function sendFollowUp(text: string, options: HookedTurnOptions, left = tries): void {
  const { aside, clock, runFollowUp } = options;
  clock.after(pauseMs, () => {
    if (!aside.wake(text, runFollowUp) && left > 1) sendFollowUp(text, options, left - 1);
  });
}

function parentOf(turn: TurnContext): string | null {
  const origin = turn.state().chats[turn.chat]?.origin;
  return origin?.type === 'tool' ? origin.chat : null;
}

/** The text of the answer after the last tool call. */
function lastAnswer(turn: TurnContext): string {
  const items = turn.state().chats[turn.chat]?.active?.items ?? [];
  const from = items.findLastIndex(({ type }) => type === 'tool');
  return items
    .slice(from + 1)
    .flatMap((item) => (item.type === 'text' && item.channel === 'answer' ? [item.text] : []))
    .join('\n');
}
