// The words a model is told before a conversation, with what a client of the session wants it to be told.
import { givenPrompt } from '../../../host/turns/clientInstructions.ts';
import type { State } from '../../../model/state.ts';

export function withGiven(own: string, state: Pick<State, 'notes'>): string {
  const given = givenPrompt(state);
  if (!given) return own;
  return given.mode === 'override' ? given.text : `${own}\n\n${given.text}`;
}
