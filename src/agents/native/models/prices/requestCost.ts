// What one request cost: by the prices in the user's settings, by the provider's own
// figure, or by a price list.
import type { Clock } from '../../../../host/ports.ts';
import type { ModelUsage } from '../../model.ts';
import { PriceTable } from './prices.ts';
import type { ModelPrices } from './prices.ts';
import type { ModelConfig, Provider } from '../providers/providers.ts';

export interface PricedModel {
  readonly provider: Provider;
  readonly model: string;
  readonly clock: Clock;
  /** The bundled price list if absent. */
  readonly priceTable?: PriceTable | undefined;
}

/** The prices of a model after the first lookup. */
export interface PriceCache {
  prices?: ModelPrices;
}

/** The usage with its cost, if that is known. Never fails: an answer does not depend on its price. */
export async function withCost(
  { pictureTokens = 0, ...usage }: ModelUsage,
  { provider, model, clock, priceTable = new PriceTable() }: PricedModel,
  cache: PriceCache,
): Promise<ModelUsage> {
  const configured = provider.config?.models[model]?.cost;
  if (configured) return { ...usage, cost: configuredCost(configured, usage) };
  // Some providers report the cost themselves.
  if (provider.priceListId === null || usage.cost !== undefined) return usage;
  try {
    cache.prices ??= await priceTable.pricesOf(provider.priceListId ?? provider.id, model);
    const cost = cache.prices.cost({ ...usage, pictureTokens }, clock.now());
    return cost === undefined ? usage : { ...usage, cost };
  } catch {
    return usage;
  }
}

/** Configured prices are per million tokens. */
function configuredCost(
  { input, output, cacheRead = input, cacheWrite = input }: NonNullable<ModelConfig['cost']>,
  usage: ModelUsage,
): number {
  const uncached = Math.max(0, (usage.input ?? 0) - (usage.cacheRead ?? 0) - (usage.cacheWrite ?? 0));
  return (
    (uncached * input +
      (usage.cacheRead ?? 0) * cacheRead +
      (usage.cacheWrite ?? 0) * cacheWrite +
      (usage.output ?? 0) * output) /
    1_000_000
  );
}
