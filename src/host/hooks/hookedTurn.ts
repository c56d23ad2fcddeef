// A turn with the hooks around it: they may add to the message, change its words, keep it from the model, and ask for more once it is answered.
import type { Aside, TurnContext, Work } from '../agent.ts';
import type { Clock } from '../ports.ts';
import type { Outcome } from '../../model/event.ts';
import type { TurnHooks } from './turnHooks.ts';

export interface HookedOptions {
  readonly hooks: TurnHooks;
  /** Whether the chat was begun by another agent's call. */
  readonly tasked: boolean;
  /** Set for the first turn since the conversation was opened. */
  readonly first: boolean;
  readonly aside: Aside;
  readonly clock: Clock;
  /** Works on a message that a hook wants to have worked on. */
  readonly again: Work;
}

/** What hooks add to a message. */
export interface Added {
  readonly words?: string;
  readonly context: readonly string[];
}

export async function hookedTurn(
  turn: TurnContext,
  options: HookedOptions,
  work: (added: Added) => Promise<Outcome>,
): Promise<Outcome> {
  const { hooks, tasked, first } = options;
  const begun = first
    ? await hooks.run(
        tasked ? 'subagentStart' : 'chatStart',
        tasked ? { parent_chat_id: parentOf(turn) } : { resumed: turn.history.length > 0 },
      )
    : undefined;
  if (begun?.stop) return { kind: 'completed' };
  await turn.log.prepared(hooks.has('preRequest') ? 'message' : 'agent');
  const before = await hooks.run('preRequest', { prompt: turn.message.text });
  if (before.stop || before.blocked) return { kind: 'completed' };
  await turn.log.prepared('agent');
  const context = [...(begun?.context ?? []), ...before.context];
  const outcome = await work({ context, ...(before.prompt === undefined ? {} : { words: before.prompt }) });
  if (outcome.kind !== 'completed' || turn.signal.aborted) return outcome;
  const goesOn = turn.message.from === 'agent';
  const after = await hooks.run(tasked ? 'subagentPostRequest' : 'postRequest', {
    response: lastWords(turn),
    follow_up_active: goesOn,
  });
  if (after.followUp !== undefined && !after.stop && !tasked && !turn.signal.aborted)
    followUp(after.followUp, options);
  return outcome;
}

/** How often to look whether the turn is over by now; whoever has written meanwhile goes first. */
const tries = 10;
const pause = 20;

function followUp(text: string, options: HookedOptions, left = tries): void {
  const { aside, clock, again } = options;
  clock.after(pause, () => {
    if (!aside.wake(text, again) && left > 1) followUp(text, options, left - 1);
  });
}

function parentOf(turn: TurnContext): string | null {
  const origin = turn.state().chats[turn.session.chat]?.origin;
  return origin?.type === 'tool' ? origin.chat : null;
}

/** The answer as far as it was said after the last call. */
function lastWords(turn: TurnContext): string {
  const items = turn.state().chats[turn.session.chat]?.active?.items ?? [];
  const from = items.findLastIndex(({ type }) => type === 'tool');
  return items
    .slice(from + 1)
    .flatMap((item) => (item.type === 'text' && item.channel === 'answer' ? [item.text] : []))
    .join('\n');
}
