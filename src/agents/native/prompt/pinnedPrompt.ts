// What the model of a chat is told beforehand stays as it was when the chat began: providers charge a fraction for a beginning that they have seen before.
// A private note in the log keeps it over restarts. What has changed in the files it was made of is told once, and applied when the user says so.
import type { TurnContext } from '../../../host/agent.ts';
import type { Json, Outcome } from '../../../model/event.ts';
import { notesOf } from '../../../model/state.ts';
import type { State } from '../../../model/state.ts';

/** `made` is what the user chose that it depends on: the agent, the model, the folders. A choice holds at once. */
export interface Prompt {
  readonly made: string;
  readonly text: string;
}

export interface PinOptions {
  readonly note: (key: string, value: Json) => void;
  /** Whether what the files say now holds at once, too. */
  readonly follow: boolean;
}

/** What the model is told in this turn. */
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
      text: 'The instructions of this project have changed since the conversation began. It goes on with those it began with, which the provider may still remember; /sync-system-prompt applies the new ones.',
    });
  }
  return pin.text;
}

/** The next turn builds it anew. */
export function unpin(turn: Pick<TurnContext, 'session' | 'report'>, note: PinOptions['note']): Outcome {
  note(keyOf(turn.session.chat), null);
  turn.report({
    kind: 'notice.added',
    level: 'info',
    text: 'The next message is answered with the instructions as they are then.',
  });
  return { kind: 'completed' };
}

/** What a chat's model was told with its last message. */
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
