// Tokens, cost and context use, as far as the host reports them.
import type { UsageInfo } from '../../../src/protocols/ahp/v1_0/content.ts';
import { isRecord } from '../../../src/base/isRecord.ts';
import { formatTokens } from '../../text/format.ts';

export function UsageLine({ usages }: { readonly usages: readonly UsageInfo[] }) {
  const input = sum(usages, ({ inputTokens }) => inputTokens);
  const output = sum(usages, ({ outputTokens }) => outputTokens);
  const cached = sum(usages, ({ cacheReadTokens }) => cacheReadTokens);
  const cost = sum(usages, ({ _meta }) => (typeof _meta?.['cost'] === 'number' ? _meta['cost'] : undefined));
  const context = contextOf(usages.at(-1));
  return (
    <span class="usage">
      {input !== undefined && <span title="Input tokens">{formatTokens(input)} in</span>}
      {cached !== undefined && cached > 0 && (
        <span title="Input tokens from the cache">({formatTokens(cached)} cached)</span>
      )}
      {input !== undefined && output !== undefined && <span aria-hidden="true">·</span>}
      {output !== undefined && <span title="Output tokens">{formatTokens(output)} out</span>}
      {cost !== undefined && (
        <span title="Cost">
          <span class="unseen">Cost: </span>${cost.toFixed(cost < 1 ? 4 : 2)}
        </span>
      )}
      {context !== undefined && <span title="Context window in use">{context} % context</span>}
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
