// What an answer cost and how much fits into a model, from a price list that is only loaded when somebody has answered.
import type { ModelUsage } from '../model.ts';

export interface PriceList {
  /** In US dollars; undefined where the list does not know the model. */
  cost(usage: ModelUsage, at: number): number | undefined;
  readonly context: number | undefined;
}

/** The prices of one model of a provider; an unknown one has no prices. */
export async function pricesOf(provider: string, model: string): Promise<PriceList> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  const look = (usage: ModelUsage, at: number) => {
    try {
      return calcPrice(tokens(usage), model, { providerId: provider, timestamp: new Date(at) });
    } catch {
      // Counts that contradict each other have no price.
      return null;
    }
  };
  return { cost: (usage, at) => look(usage, at)?.total_price, context: look({ input: 1, output: 1 }, 0)?.model.context_window };
}

/** More read from a cache than there was in all would make no sense to the list. */
function tokens({ input = 0, output = 0, cacheRead = 0, cacheWrite = 0 }: ModelUsage): { [name: string]: number } {
  return { input_tokens: Math.max(input, cacheRead + cacheWrite), output_tokens: output, cache_read_tokens: cacheRead, cache_write_tokens: cacheWrite };
}
