// What an ECA server said, in short words.
import type { Loose } from '../../kit/wire.ts';

export const content = (message: Loose): Loose =>
  message.method === 'chat/contentReceived' ? message.params.content : {};
export const isContent =
  (type: string, more: object = {}) =>
  (message: Loose) =>
    content(message).type === type &&
    Object.entries(more).every(([key, value]) => content(message)[key] === value);
export const isFinished = isContent('progress', { state: 'finished' });

/** What was said in short words, pieces of one text as one. */
export function inShort(messages: readonly Loose[]): readonly string[] {
  const words = messages.map((message) => {
    if (message.method === undefined) return message.error ? 'error' : 'answer';
    if (message.method === 'chat/statusChanged') return `status ${message.params.status}`;
    if (message.method !== 'chat/contentReceived') return String(message.method);
    const { type, text, state } = content(message);
    return type === 'progress'
      ? state === 'finished'
        ? 'finished'
        : `"${text}"`
      : `${message.params.role} ${type}`;
  });
  return words.filter((word, at) => word !== words[at - 1] || !/text|Prepare|reasonText/i.test(word));
}
