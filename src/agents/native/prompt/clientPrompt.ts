// The system prompt with what a client of the session wants the model to be told.
import type { State } from '../../../model/state.ts';

export function withGiven(own: string, { systemPrompt }: Pick<State, 'systemPrompt'>): string {
  if (!systemPrompt) return own;
  return systemPrompt.mode === 'override' ? systemPrompt.text : `${own}\n\n${systemPrompt.text}`;
}
