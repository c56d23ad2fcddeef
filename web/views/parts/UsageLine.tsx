// Tokens, money and how full the context is, as far as the host tells.
import type { UsageInfo } from '../../../src/protocols/ahp/v1_0/content.ts';
import { isRecord } from '../../../src/base/isRecord.ts';
import { tokens } from '../../text/words.ts';

export function UsageLine({ usages }: { readonly usages: readonly UsageInfo[] }) {
  const input = sum(usages, ({ inputTokens }) => inputTokens);
  const output = sum(usages, ({ outputTokens }) => outputTokens);
  const cached = sum(usages, ({ cacheReadTokens }) => cacheReadTokens);
  const cost = sum(usages, ({ _meta }) => (typeof _meta?.['cost'] === 'number' ? _meta['cost'] : undefined));
  const context = contextOf(usages.at(-1));
  return (
    <span class="usage">
      {input !== undefined && (
        <span title="Tokens read by the model">
          <span class="unseen">Input tokens: </span>↑ {tokens(input)}
        </span>
      )}
      {cached !== undefined && cached > 0 && (
        <span title="Of these from the cache">({tokens(cached)} cached)</span>
      )}
      {output !== undefined && (
        <span title="Tokens written by the model">
          <span class="unseen">Output tokens: </span>↓ {tokens(output)}
        </span>
      )}
      {cost !== undefined && (
        <span title="Cost">
          <span class="unseen">Cost: </span>${cost.toFixed(cost < 1 ? 4 : 2)}
        </span>
      )}
      {context !== undefined && <span title="Share of the context in use">{context} % context</span>}
    </span>
  );
}

function sum(
  usages: readonly UsageInfo[],
  pick: (usage: UsageInfo) => number | undefined,
): number | undefined {
  const known = usages.map(pick).filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0);
}

function contextOf(usage: UsageInfo | undefined): number | undefined {
  const context = usage?._meta?.['context'];
  if (!isRecord(context) || typeof context['used'] !== 'number' || typeof context['size'] !== 'number')
    return undefined;
  return context['size'] > 0 ? Math.round((100 * context['used']) / context['size']) : undefined;
}
