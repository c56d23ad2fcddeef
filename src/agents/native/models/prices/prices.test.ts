// Costs follow a newer price list as soon as it has been fetched.
import { expect, test } from 'vitest';
import { PriceTable } from './prices.ts';

const usage = { input: 1_000_000, output: 1_000_000, cacheRead: 500_000 };

test('an answer costs what the bundled list says, until a newer one has been fetched', async () => {
  const before = (await new PriceTable().pricesOf('openai', 'gpt-5')).cost(usage, Date.UTC(2026, 1, 1));
  // Input, half of it read from a cache, and output.
  expect(before).toBeCloseTo(0.5 * 1.25 + 0.5 * 0.125 + 10, 5);
  const lists: { readonly published: string[]; tell: (list: unknown) => void } = {
    published: [],
    tell: () => {},
  };
  const given = new Promise<unknown>((resolve) => {
    lists.tell = resolve;
  });
  const prices = await new PriceTable((published) => {
    lists.published.push(published);
    return given;
  }).pricesOf('openai', 'gpt-5');
  // Nobody waits for it.
  expect(prices.cost(usage, Date.UTC(2026, 1, 1))).toBe(before);
  lists.tell([
    {
      id: 'openai',
      name: 'OpenAI',
      api_pattern: 'openai',
      models: [
        {
          id: 'gpt-5',
          match: { equals: 'gpt-5' },
          context_window: 7,
          prices: { input_mtok: 3, cache_read_mtok: 1, output_mtok: 20 },
        },
      ],
    },
  ]);
  await expect.poll(() => prices.cost(usage, Date.UTC(2026, 1, 1))).toBe(0.5 * 3 + 0.5 * 1 + 20);
  expect(lists.published).toEqual([expect.stringMatching(/^https:\/\//)]);
});
