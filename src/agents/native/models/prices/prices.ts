// What an answer costs and how large a model's context is, from a price list that is loaded on the first use.
import { isRecord } from '../../../../base/isRecord.ts';
import type { Provider } from '@pydantic/genai-prices';
import type { ModelUsage } from '../../model.ts';

export interface ModelPrices {
  /** In US dollars; undefined if the list does not contain the model. */
  cost(usage: ModelUsage, at: number): number | undefined;
  readonly context: number | undefined;
}

/** Fetches the newest list from its published address; undefined if it is not available. */
export type LatestPriceList = (publishedAt: string) => Promise<unknown>;

/** The price list. The first lookup also fetches the newest list with `latest`, without waiting for it. */
export class PriceTable {
  /** Cleared by the first lookup, since one update is enough. */
  #latest: LatestPriceList | undefined;

  constructor(latest?: LatestPriceList) {
    this.#latest = latest;
  }

  /** The prices of one model; a model that is not in the list has none. */
  async pricesOf(provider: string, model: string): Promise<ModelPrices> {
    const { calcPrice } = await import('@pydantic/genai-prices');
    if (this.#latest) void useLatest(this.#latest);
    this.#latest = undefined;
    const look = (usage: ModelUsage, at: number) => {
      try {
        return calcPrice(tokenCounts(usage), model, { providerId: provider, timestamp: new Date(at) });
      } catch {
        // Contradictory counts have no price.
        return null;
      }
    };
    return {
      cost: (usage, at) => look(usage, at)?.total_price,
      context: look({ input: 1, output: 1 }, 0)?.model.context_window,
    };
  }
}

/** The list refuses a total that is smaller than its cached part. */
function tokenCounts({
  input = 0,
  output = 0,
  cacheRead = 0,
  cacheWrite = 0,
  searches = 0,
  pictureTokens = 0,
}: ModelUsage): { [name: string]: number } {
  return {
    input_tokens: Math.max(input, cacheRead + cacheWrite),
    output_tokens: output,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
    ...(searches > 0 ? { web_searches: searches } : {}),
    ...(pictureTokens > 0 ? { output_image_tokens: Math.min(pictureTokens, output) } : {}),
  };
}

/** Uses a newer list instead of the bundled one, unless it cannot price a well-known model. */
async function useLatest(latest: LatestPriceList): Promise<void> {
  const { calcPrice, updatePrices, REMOTE_DATA_JSON_URL: address } = await import('@pydantic/genai-prices');
  const list = await latest(address);
  if (!isProviderList(list)) return;
  const use = (data: Provider[] | null) => updatePrices(({ setProviderData }) => setProviderData(data));
  use(list);
  try {
    calcPrice({ input_tokens: 1, output_tokens: 1 }, 'gpt-5', { providerId: 'openai' });
  } catch {
    use(null);
  }
}

function isProviderList(list: unknown): list is Provider[] {
  return (
    Array.isArray(list) &&
    list.length > 0 &&
    list.every((each: unknown) => isRecord(each) && 'id' in each && Array.isArray(each['models']))
  );
}
