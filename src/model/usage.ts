// What a chat has used, and how long its items are. Turns that were rolled back count: their tokens and money
// are spent. Pure.
import { present } from '../base/present.ts';
import type { Usage } from './event.ts';
import type { Chat, Item, Turn } from './state.ts';

export type SpentUsage = Pick<Usage, 'input' | 'output' | 'cost'>;

/** The sum, without what nobody reported; undefined if nobody reported anything. */
export function sumUsage(usages: readonly (SpentUsage | undefined)[]): SpentUsage | undefined {
  const total = present({
    input: sum(usages.map((usage) => usage?.input)),
    output: sum(usages.map((usage) => usage?.output)),
    cost: sum(usages.map((usage) => usage?.cost)),
  });
  return Object.keys(total).length === 0 ? undefined : total;
}

export interface CountedTokens {
  /** The part of the input that was neither read from the cache nor written to it. */
  readonly uncached: number;
  readonly total: number;
}

export function countedTokens(usage: Usage): CountedTokens {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = usage;
  const cached = cacheRead + cacheWrite;
  // Earlier versions stored what some agents count: the input without the cache.
  const uncached = input < cached ? input : input - cached;
  return { uncached, total: uncached + cached + output };
}

/** The usage of all turns that a chat ever had. */
export function spentIn({ turns, active, rolledBack }: Chat): SpentUsage {
  const all: readonly (Turn | undefined)[] = [...turns, active];
  return sumUsage([rolledBack, ...all.map((turn) => turn?.usage)]) ?? {};
}

function sum(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0);
}

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
