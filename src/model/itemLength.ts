// How many characters the items of a turn take in what is sent to a model.
import type { Item } from './state.ts';

/** A call counts once it has a result. */
export function callLength(item: Item): number {
  if (item.type !== 'tool' || !item.result) return 0;
  const content = 'content' in item.result ? item.result.content : [];
  const results = content.map((part) => (part.type === 'text' ? part.text.length : 0));
  return item.name.length + JSON.stringify(item.input ?? item.inputText).length + totalLength(results);
}

/** The length of what was said, by the model or the user. */
export function textLength(item: Item): number {
  if (item.type === 'text') return item.text.length;
  return item.type === 'message' ? item.message.text.length : 0;
}

export function totalLength(lengths: readonly number[]): number {
  return lengths.reduce((total, length) => total + length, 0);
}
