// What one request cost: by the user's own prices, by the provider's word, or by a price list.
import type { Clock } from '../../../../host/ports.ts';
import type { ModelUsage } from '../../model.ts';
import type { Latest, PriceList } from './prices.ts';
import type { GivenModel, Provider } from '../providers/providers.ts';

export interface Charged {
  readonly provider: Provider;
  readonly model: string;
  readonly clock: Clock;
  readonly priceList?: Latest;
}

/** The prices of a model, once they were looked up. */
export interface KnownPrices {
  prices?: PriceList;
}

/** No answer is held up or lost for the want of a price. What only the price depends on is left out of what is told. */
export async function charged(
  { pictureTokens = 0, ...usage }: ModelUsage,
  { provider, model, clock, priceList }: Charged,
  known: KnownPrices,
): Promise<ModelUsage> {
  const own = provider.given?.models[model]?.cost;
  if (own) return { ...usage, cost: costBy(own, usage) };
  // Some providers say themselves what they charge.
  if (provider.prices === null || usage.cost !== undefined) return usage;
  try {
    known.prices ??= await (
      await import('./prices.ts')
    ).pricesOf(provider.prices ?? provider.id, model, priceList);
    const cost = known.prices.cost({ ...usage, pictureTokens }, clock.now());
    return cost === undefined ? usage : { ...usage, cost };
  } catch {
    return usage;
  }
}

/** The price is for a million tokens. */
function costBy(
  { input, output, cacheRead = input, cacheWrite = input }: NonNullable<GivenModel['cost']>,
  usage: ModelUsage,
): number {
  const plain = Math.max(0, (usage.input ?? 0) - (usage.cacheRead ?? 0) - (usage.cacheWrite ?? 0));
  return (
    (plain * input +
      (usage.cacheRead ?? 0) * cacheRead +
      (usage.cacheWrite ?? 0) * cacheWrite +
      (usage.output ?? 0) * output) /
    1_000_000
  );
}
