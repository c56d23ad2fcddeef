// Watches what a run costs. Reports are sums of their turn, so the newest one of each turn counts.
import type { EventOf, Problem, Usage } from '../../model/event.ts';

export class SpendingLimit {
  readonly #limit: number | undefined;
  readonly #turns = new Map<string, Usage>();

  /** Without a limit nothing exceeds it. */
  constructor(limit: number | undefined) {
    this.#limit = limit;
  }

  /** Why the run must stop now; undefined if it may go on. */
  exceededBy({ turn, usage }: EventOf<'usage.reported'>): Problem | undefined {
    this.#turns.set(turn, { ...this.#turns.get(turn), ...usage });
    if (this.#limit === undefined) return undefined;
    const known = this.#turns.get(turn);
    if (known?.cost === undefined && (known?.input ?? 0) + (known?.output ?? 0) > 0)
      return {
        code: 'budget',
        message:
          `The price of ${known?.model ?? 'the model'} is not known, so --max-cost cannot be kept. ` +
          'Write its price in the settings (providers.*.models.*.price).',
      };
    const spent = [...this.#turns.values()].reduce((sum, { cost = 0 }) => sum + cost, 0);
    if (spent <= this.#limit) return undefined;
    return {
      code: 'budget',
      message: `The run cost ${dollars(spent)}; the limit is ${dollars(this.#limit)}.`,
    };
  }
}

function dollars(amount: number): string {
  if (amount >= 0.1) return `$${amount.toFixed(2)}`;
  // Two digits that say something, however small the amount is.
  const digits = amount > 0 ? Math.ceil(-Math.log10(amount)) + 1 : 0;
  return `$${amount.toFixed(Math.min(20, Math.max(4, digits)))}`;
}
