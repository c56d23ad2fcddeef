// Estimates the context usage of a model: what the provider counted last, plus an estimate of
// what was added since.
import type { AssistantPart, ModelMessage, ToolSpec, UserPart } from '../../model.ts';

/** The provider's token count of a request, and our estimate for the same request. */
export interface MeasuredRequest {
  readonly used: number;
  readonly guessed: number;
}

export const noMeasurement: MeasuredRequest = { used: 0, guessed: 0 };

/** `guess` is our estimate for all messages of now. */
export function tokensNow(guess: number, { used, guessed }: MeasuredRequest): number {
  return Math.max(0, used + guess - guessed);
}

/** A token is about four characters; an image counts as much as providers usually count. */
export function guessTokens(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + guessMessage(message), 0);
}

export function guessMessage(message: ModelMessage): number {
  if (message.role === 'tool') return message.results.reduce((sum, { text }) => sum + letters(text), 0);
  return message.content.reduce<number>((sum, part) => sum + guessPart(part), 0);
}

export function guessText(text: string): number {
  return letters(text);
}

export function guessTools(tools: readonly ToolSpec[]): number {
  return tools.reduce((sum, tool) => sum + letters(JSON.stringify(tool)), 0);
}

const picture = 1_500;

function guessPart(part: UserPart | AssistantPart): number {
  if (part.type === 'image') return picture;
  if (part.type === 'served') return letters(JSON.stringify(part.meta));
  return letters(part.type === 'call' ? `${part.name}${JSON.stringify(part.input)}` : part.text);
}

function letters(text: string): number {
  return Math.ceil(text.length / 4);
}
