// Parses what a provider sends, within bounds: what parses into very many values takes long and much memory,
// and the limits on calls come too late for a wire that sends their arguments as values.
import { hasMoreValuesThan, nestsDeeperThan } from '../../../../../base/jsonSize.ts';
import { AnswerTooLarge, InvalidJson } from '../../errors/failures.ts';

/** Of one event. A call may have 100,000, and an event may have several calls. */
const mostValues = 250_000;
const mostLevels = 600;

/** Throws `InvalidJson`, which is retried, or `AnswerTooLarge`. */
export function parseAnswer(json: string): unknown {
  if (hasMoreValuesThan(json, mostValues) || nestsDeeperThan(json, mostLevels)) throw new AnswerTooLarge();
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new InvalidJson(cause);
  }
}

/** In characters. The turn refuses calls with more. */
const longestInput = 8_000_000;

/** The text of arguments that were sent as values. */
export function inputText(input: unknown): string {
  if (lengthUpTo(input ?? {}, longestInput) > longestInput) throw new AnswerTooLarge();
  return JSON.stringify(input ?? {});
}

/** About as many characters as its JSON has, or any number above the limit. */
function lengthUpTo(value: unknown, limit: number): number {
  const open = [value];
  let length = 0;
  while (open.length > 0 && length <= limit) {
    const next = open.pop();
    length += typeof next === 'string' ? next.length + 2 : 2;
    if (typeof next !== 'object' || next === null) continue;
    for (const [name, inner] of Object.entries(next)) {
      length += name.length;
      open.push(inner);
    }
  }
  return length;
}
