// What an answer cost and how much fits into a model, from a price list that is only loaded when somebody has answered.
import type { Provider } from '@pydantic/genai-prices';
import type { ModelUsage } from '../../model.ts';

export interface PriceList {
  /** In US dollars; undefined where the list does not know the model. */
  cost(usage: ModelUsage, at: number): number | undefined;
  readonly context: number | undefined;
}

/** The newest list, which is published at an address; undefined where it is not to be had. */
export type Latest = (published: string) => Promise<unknown>;

/** The prices of one model of a provider; an unknown one has no prices. */
export async function pricesOf(provider: string, model: string, latest?: Latest): Promise<PriceList> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  if (latest) update ??= useLatest(latest);
  const look = (usage: ModelUsage, at: number) => {
    try {
      return calcPrice(tokens(usage), model, { providerId: provider, timestamp: new Date(at) });
    } catch {
      // Counts that contradict each other have no price.
      return null;
    }
  };
  return {
    cost: (usage, at) => look(usage, at)?.total_price,
    context: look({ input: 1, output: 1 }, 0)?.model.context_window,
  };
}

/** More read from a cache than there was in all would make no sense to the list. */
function tokens({
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

/** Once is enough; nobody waits for it. */
let update: Promise<void> | undefined;

/** Lays a newer list over the one that came along, as long as it can be reckoned with. */
async function useLatest(latest: Latest): Promise<void> {
  const { calcPrice, updatePrices, REMOTE_DATA_JSON_URL: published } = await import('@pydantic/genai-prices');
  const list = await latest(published);
  if (!isPriceList(list)) return;
  const use = (data: Newer | null) => updatePrices(({ setProviderData }) => setProviderData(data));
  use(list);
  try {
    calcPrice({ input_tokens: 1, output_tokens: 1 }, 'gpt-5', { providerId: 'openai' });
  } catch {
    use(null);
  }
}

type Newer = Provider[];

function isPriceList(list: unknown): list is Newer {
  return (
    Array.isArray(list) &&
    list.length > 0 &&
    list.every(
      (each: unknown) =>
        typeof each === 'object' &&
        each !== null &&
        'id' in each &&
        'models' in each &&
        Array.isArray(each.models),
    )
  );
}
