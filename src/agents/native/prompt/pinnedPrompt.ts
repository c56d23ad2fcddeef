// Pins the system prompt of a chat: providers charge much less for a prompt that they have cached. The log
// keeps it across restarts. If its source files change, the user is told once, and a command applies the
// change.
import type { AgentFact, TurnContext } from '../../../host/agent.ts';
import type { Outcome, PinnedPrompt } from '../../../model/event.ts';

export interface PinOptions {
  readonly record: (fact: AgentFact) => void;
  /** Whether changed files take effect immediately, too. */
  readonly follow: boolean;
}

/** The system prompt of this turn. Another choice of the user (`madeFor`) takes effect immediately. */
export function pinPrompt(
  turn: Pick<TurnContext, 'session' | 'state' | 'report'>,
  fresh: Omit<PinnedPrompt, 'changeTold'>,
  { record, follow }: PinOptions,
): string {
  const { chat } = turn.session;
  const pin = turn.state().chats[chat]?.pinnedPrompt;
  if (pin && pin.madeFor === fresh.madeFor && pin.text === fresh.text) return pin.text;
  if (!pin || pin.madeFor !== fresh.madeFor || follow) {
    record({ kind: 'prompt.pinned', chat, prompt: fresh });
    return fresh.text;
  }
  if (!pin.changeTold) {
    record({ kind: 'prompt.pinned', chat, prompt: { ...pin, changeTold: true } });
    turn.report({
      kind: 'notice.added',
      level: 'info',
      text:
        'The instructions of this project have changed since the conversation began. It goes on with ' +
        'those it began with, which the provider may still remember; /sync-system-prompt applies ' +
        'the new ones.',
    });
  }
  return pin.text;
}

/** The next turn builds a new prompt. */
export function unpin(turn: Pick<TurnContext, 'session' | 'report'>, record: PinOptions['record']): Outcome {
  record({ kind: 'prompt.pinned', chat: turn.session.chat, prompt: null });
  turn.report({
    kind: 'notice.added',
    level: 'info',
    text: 'The next message is answered with the instructions as they are then.',
  });
  return { kind: 'completed' };
}
