// What a chat has used. Turns that were rolled back count: their tokens and money are spent. Pure.
import { present } from '../base/present.ts';
import type { Usage } from './event.ts';
import type { Chat, Turn } from './state.ts';

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

/** The usage of all turns that a chat ever had. */
export function spentIn({ turns, active, rolledBack }: Chat): SpentUsage {
  const all: readonly (Turn | undefined)[] = [...turns, active];
  return sumUsage([rolledBack, ...all.map((turn) => turn?.usage)]) ?? {};
}

function sum(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0);
}
