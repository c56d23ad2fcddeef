// Adds up what sessions have used by day, model, agent or session. Pure.
import type { SpendingRow } from '../../../client/connection/extensions.ts';

export type SpendingKey = 'day' | 'model' | 'agent' | 'session';

export interface SpendingSum {
  readonly key: string;
  readonly title: string;
  readonly turns: number;
  readonly input: number;
  readonly output: number;
  /** Absent if no price is known. */
  readonly cost: number | undefined;
}

/** Days come newest first, everything else by cost, then by tokens. */
export function sumsBy(rows: readonly SpendingRow[], by: SpendingKey): readonly SpendingSum[] {
  const sums = new Map<string, SpendingSum>();
  for (const row of rows) sums.set(row[by], plus(sums.get(row[by]), row, by));
  const all = [...sums.values()];
  if (by === 'day') return all.toSorted((a, b) => (a.key < b.key ? 1 : -1));
  return all.toSorted((a, b) => weightOf(b) - weightOf(a) || tokensOf(b) - tokensOf(a));
}

const nothing = { turns: 0, input: 0, output: 0, cost: undefined };

function plus(before: SpendingSum | undefined, row: SpendingRow, by: SpendingKey): SpendingSum {
  const { turns, input, output, cost } = before ?? nothing;
  return {
    key: row[by],
    title: by === 'session' ? row.title || 'New session' : row[by],
    turns: turns + row.turns,
    input: input + (row.input ?? 0),
    output: output + (row.output ?? 0),
    cost: row.cost === undefined ? cost : (cost ?? 0) + row.cost,
  };
}

/** What bars show: the cost, or the tokens where no price is known. */
export function shareOf(sum: SpendingSum, all: readonly SpendingSum[]): number {
  const measure = all.some(({ cost }) => cost !== undefined) ? weightOf : tokensOf;
  const most = Math.max(...all.map(measure));
  return most === 0 ? 0 : Math.round((100 * measure(sum)) / most);
}

function weightOf({ cost = 0 }: SpendingSum): number {
  return cost;
}

function tokensOf({ input, output }: SpendingSum): number {
  return input + output;
}
