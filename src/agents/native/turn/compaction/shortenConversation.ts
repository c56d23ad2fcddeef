// Shortens a conversation that is too long for a summary: old tool outputs are dropped first,
// then the oldest messages.
import { guessMessage, guessTokens } from './contextUsage.ts';
import type { ModelMessage } from '../../model.ts';

/** The number of tokens of tool outputs that stay, newest first. */
const keptOutput = 40_000;

/** Shorter with every attempt. Calls keep their results, and the first message is the user's. */
export function shortenConversation(
  messages: readonly ModelMessage[],
  attempt: number,
): readonly ModelMessage[] {
  const lean = withoutOldOutput(messages, attempt === 0 ? keptOutput : 0);
  return attempt === 0 ? lean : newest(lean, guessTokens(lean) / 2 ** attempt);
}

function withoutOldOutput(messages: readonly ModelMessage[], room: number): readonly ModelMessage[] {
  let left = room;
  return messages
    .toReversed()
    .map((message): ModelMessage => {
      if (message.role !== 'tool') return message;
      left -= guessMessage(message);
      return left >= 0
        ? message
        : { role: 'tool', results: message.results.map((result) => ({ ...result, text: leftOut })) };
    })
    .toReversed();
}

function newest(messages: readonly ModelMessage[], room: number): readonly ModelMessage[] {
  let [first, left] = [messages.length, room];
  for (; first > 1; first -= 1) {
    left -= guessMessage(messages[first - 1] ?? gap);
    if (left < 0) break;
  }
  while (messages[first]?.role === 'tool') first += 1;
  return first === 0 ? messages : [gap, ...messages.slice(first)];
}

const leftOut = '[This old output was left out.]';
const gap: ModelMessage = {
  role: 'user',
  content: [
    { type: 'text', text: '[The beginning of the conversation was left out because it is too long.]' },
  ],
};
