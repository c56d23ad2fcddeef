// Pins the system prompt of a chat: providers charge much less for a prompt that they have cached. A
// private note in the log keeps it across restarts. If its source files change, the user is told once, and
// a command applies the change.
import type { TurnContext } from '../../../host/agent.ts';
import type { Json, Outcome } from '../../../model/event.ts';
import { notesOf } from '../../../model/state.ts';
import type { State } from '../../../model/state.ts';

/**
 * `made` identifies the user's choices: the agent, the model, the folders. Another choice
 * takes effect immediately.
 */
export interface Prompt {
  readonly made: string;
  readonly text: string;
}

export interface PinOptions {
  readonly note: (key: string, value: Json) => void;
  /** Whether changed files take effect immediately, too. */
  readonly follow: boolean;
}

/** The system prompt of this turn. */
export function pinned(
  turn: Pick<TurnContext, 'session' | 'state' | 'report'>,
  fresh: Prompt,
  { note, follow }: PinOptions,
): string {
  const pin = pinIn(turn.state(), turn.session.chat);
  if (pin && pin.made === fresh.made && pin.text === fresh.text) return pin.text;
  if (!pin || pin.made !== fresh.made || follow) {
    note(keyOf(turn.session.chat), { ...fresh });
    return fresh.text;
  }
  if (!pin.told) {
    note(keyOf(turn.session.chat), { ...pin, told: true });
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
export function unpin(turn: Pick<TurnContext, 'session' | 'report'>, note: PinOptions['note']): Outcome {
  note(keyOf(turn.session.chat), null);
  turn.report({
    kind: 'notice.added',
    level: 'info',
    text: 'The next message is answered with the instructions as they are then.',
  });
  return { kind: 'completed' };
}

/** The system prompt of the last turn of a chat. */
export function pinIn(
  state: Pick<State, 'notes' | 'agent'>,
  chat: string,
): (Prompt & { readonly told: boolean }) | undefined {
  const note = notesOf(state, 'agents/native')[`${state.agent}:${keyOf(chat)}`];
  if (typeof note !== 'object' || note === null || !('text' in note)) return undefined;
  const { made, text, told } = note;
  return typeof made === 'string' && typeof text === 'string'
    ? { made, text, told: told === true }
    : undefined;
}

function keyOf(chat: string): string {
  return `prompt:${chat}`;
}
